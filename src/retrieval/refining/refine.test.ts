import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Candidate } from '../candidate.js';
import { candidate, candidates, idsOf } from '../test-candidates.js';
import { cutWhereScoresFall } from './refine.js';

const likely = (id: string, probability: number): Candidate => ({ ...candidate(id, 0.5), probability });

describe('cutWhereScoresFall', () => {
  it('keeps a beginning of the list, its first always, and accounts for the rest', () => {
    fc.assert(
      fc.property(candidates, fc.double({ min: 0, max: 0.99, noNaN: true }), (list, share) => {
        const { before, after } = cutWhereScoresFall(list, share);
        expect([...idsOf(before), ...after.map(({ id }) => id)]).toEqual(idsOf(list));
        expect(before.length).toBeGreaterThanOrEqual(Math.min(1, list.length));
      }),
    );
  });

  it('leaves out what is less than the share of the best, and says so', () => {
    const { before, after } = cutWhereScoresFall(
      [likely('a', 0.8), likely('b', 0.2), likely('c', 0.1)],
      0.25,
    );
    expect(idsOf(before)).toEqual(['a', 'b']);
    expect(after).toEqual([
      {
        id: 'c',
        step: 'score-fall',
        detail: 'probability 0.100, less than 0.25 of the best, 0.800',
        score: 0.5,
      },
    ]);
  });

  it('is off at 0 and by default', () => {
    const list = [likely('a', 0.8), likely('b', 0)];
    expect(cutWhereScoresFall(list).before).toHaveLength(2);
    expect(cutWhereScoresFall(list, 0).after).toEqual([]);
  });
});
