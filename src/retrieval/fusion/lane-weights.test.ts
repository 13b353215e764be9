import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Hit } from '../candidate.js';
import { adaptiveWeights, denseLogOddsFor, usualWeightsFor } from './lane-weights.js';

const hitsOf = (scores: readonly number[]): Hit[] =>
  scores.toSorted((a, b) => b - a).map((score, i) => ({ chunk: { id: `c${i}` }, score }));

const score = fc.integer({ min: -1000, max: 1000 }).map((value) => value / 100);
const lane = fc.array(score, { maxLength: 40 }).map(hitsOf);
const longLane = fc.array(score, { minLength: 20, maxLength: 40 }).map(hitsOf);
const logOdds = fc.double({ min: -3, max: 3, noNaN: true });

/** From `top` down to 0 in equal steps. */
const falling = (top: number, count = 30): number[] =>
  Array.from({ length: count }, (_, i) => (top * (count - 1 - i)) / (count - 1));

describe('adaptiveWeights', () => {
  it('are shares that sum to 1, whatever the lanes found', () => {
    fc.assert(
      fc.property(lane, lane, logOdds, (dense, lexical, odds) => {
        const weights = adaptiveWeights({ dense, lexical }, odds);
        expect(weights.dense).toBeGreaterThan(0);
        expect(weights.lexical).toBeGreaterThan(0);
        expect(weights.dense + weights.lexical).toBeCloseTo(1, 12);
      }),
    );
  });

  it('do not depend on the scale and the origin of a lane', () => {
    fc.assert(
      fc.property(
        longLane,
        longLane,
        fc.integer({ min: 1, max: 50 }),
        score,
        (dense, lexical, scale, shift) => {
          const moved = lexical.map((hit) => ({ ...hit, score: hit.score * scale + shift }));
          expect(adaptiveWeights({ dense, lexical: moved }, 0).dense).toBeCloseTo(
            adaptiveWeights({ dense, lexical }, 0).dense,
            6,
          );
        },
      ),
    );
  });

  it('are the learned ones where the scores of both lanes fall alike', () => {
    const even = hitsOf(falling(1));
    expect(adaptiveWeights({ dense: even, lexical: even }, 0).dense).toBeCloseTo(0.5, 12);
    expect(
      adaptiveWeights({ dense: even, lexical: hitsOf(falling(20)) }, denseLogOddsFor('builtin')),
    ).toEqual(usualWeightsFor('builtin'));
  });

  it('give more to the lane whose first hit stands far ahead and presses the others together', () => {
    const even = hitsOf(falling(1));
    const ahead = hitsOf([4, ...falling(1).slice(1)]);
    expect(adaptiveWeights({ dense: even, lexical: ahead }, 0).lexical).toBeGreaterThan(0.7);
    expect(adaptiveWeights({ dense: ahead, lexical: even }, 0).dense).toBeGreaterThan(0.7);
  });

  it('are the learned ones where a lane found too little to tell', () => {
    const few = hitsOf([9, 1, 1, 1]);
    expect(adaptiveWeights({ dense: hitsOf(falling(1)), lexical: few }, 0).dense).toBe(0.5);
  });

  it('fall back to what was learned of all models', () => {
    expect(denseLogOddsFor('some:unheard-of-model')).toBe(denseLogOddsFor('another'));
    expect(denseLogOddsFor('transformers:/models/all-MiniLM-L6-v2')).toBe(
      denseLogOddsFor('all-minilm-l6-v2'),
    );
  });
});
