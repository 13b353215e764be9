import { describe, expect, test } from 'vitest';
import { selectNested } from './nested-selection.js';
import { seededRandom } from './random.js';

const noise = (queries: number, random: () => number): number[] =>
  Array.from({ length: queries }, () => random());

describe('choosing settings with held-out queries', () => {
  test('a setting that is better on every query is chosen, and its whole gain is real', () => {
    const random = seededRandom(1);
    const current = noise(40, random).map((value) => value / 2);
    const better = current.map((value) => value + 0.2);
    const selection = selectNested([current, better, current]);
    expect(selection).toMatchObject({ best: 1, isGain: true });
    expect(selection.gain).toBeCloseTo(0.2, 10);
    expect(selection.low).toBeCloseTo(0.2, 10);
    expect([...selection.chosen]).toEqual([[1, expect.closeTo(1, 10)]]);
  });

  test('the best of a hundred settings of pure noise is no gain, although it looks like one', () => {
    let called = 0;
    for (let seed = 1; seed <= 20; seed++) {
      const random = seededRandom(seed);
      const values = Array.from({ length: 100 }, () => noise(50, random));
      const selection = selectNested(values, { repeats: 4 });
      expect(selection.bestMean - selection.currentMean).toBeGreaterThan(0);
      if (selection.isGain) called++;
    }
    expect(called).toBeLessThanOrEqual(2);
  });

  test('equal settings leave the current one in place', () => {
    const current = noise(10, seededRandom(3));
    const selection = selectNested([current, [...current].map((value) => value), current]);
    expect(selection).toMatchObject({ best: 0, gain: 0, isGain: false });
  });

  test('the same seed gives the same figures', () => {
    const random = seededRandom(4);
    const values = Array.from({ length: 6 }, () => noise(30, random));
    expect(selectNested(values, { seed: 9 })).toEqual(selectNested(values, { seed: 9 }));
  });

  test('fewer queries than folds are refused', () => {
    expect(() => selectNested([[1, 0]], { folds: 5 })).toThrow(/2 queries/);
    expect(() => selectNested([])).toThrow(/0 queries/);
  });
});
