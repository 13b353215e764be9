import { describe, expect, it } from 'vitest';
import { poolBatch } from './pooling.js';

// Two texts of three tokens in two dimensions; the second text has one token of padding.
const states = { data: Float32Array.of(1, 0, 0, 1, 2, 2, 3, 4, 1, 0, 99, 99), width: 3, dimensions: 2 };
const lengths = [3, 2];

describe('poolBatch', () => {
  it.each([
    ['mean', [3, 3], [4, 4]],
    ['cls', [1, 0], [3, 4]],
    ['last-token', [2, 2], [1, 0]],
  ] as const)('pools by %s without padding, to unit length', (pooling, first, second) => {
    const unit = ([x, y]: readonly [number, number]): unknown[] => {
      const length = Math.hypot(x, y);
      return [expect.closeTo(x / length, 6), expect.closeTo(y / length, 6)];
    };
    const pooled = poolBatch(states, lengths, pooling).map((vector) => [...vector]);
    expect(pooled).toEqual([unit(first), unit(second)]);
  });

  it('leaves a zero vector at zero', () => {
    const zero = { data: new Float32Array(2), width: 1, dimensions: 2 };
    expect(poolBatch(zero, [1], 'mean').map((vector) => [...vector])).toEqual([[0, 0]]);
  });
});
