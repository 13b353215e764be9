import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { profileOf } from '../../analysis/query-profile.js';
import type { RerankScoring } from '../../reranking/reranker.js';
import type { Candidate } from '../candidate.js';
import { candidate, chunk, idsOf, sumOf } from '../test-candidates.js';
import { keptInOrder, scoreMatches } from './match-score.js';

const query = profileOf('rotate the audit log every night', (word) => Math.min(8, word.length));
const context = { query, background: 0.2 };

const words = fc.constantFrom('rotate', 'the', 'audit', 'log', 'every', 'night', 'boat', 'harbour', 'of');

/** Candidates in ranking order, some reranked, some that hold an identifier. */
const lists: fc.Arbitrary<Candidate[]> = fc
  .array(
    fc.record({
      content: fc.array(words, { maxLength: 40 }).map((list) => list.join(' ')),
      semanticScore: fc.option(fc.double({ min: -1, max: 1, noNaN: true }), { nil: undefined }),
      rerankScore: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
      hits: fc.nat(2),
    }),
    { maxLength: 12 },
  )
  .map((rows) =>
    rows
      .toSorted((a, b) => b.hits - a.hits)
      .map(({ content, semanticScore, rerankScore, hits }, i) => ({
        ...candidate(`c${i}`, 1 - i / 20, { content, identifierHits: hits }),
        ...(semanticScore === undefined ? {} : { semanticScore }),
        ...(rerankScore === undefined ? {} : { rerankScore }),
      })),
  );
const scorings = fc.constantFrom<RerankScoring>('fitted', 'probability', 'order');

const scoresOf = (list: readonly Candidate[]): number[] => list.map(({ score }) => score);

describe('scoreMatches', () => {
  it('keeps the order, falls along the list within [0, 1], and closes the sums', () => {
    fc.assert(
      fc.property(lists, scorings, (list, scoring) => {
        const scored = scoreMatches(list, { context, scoring });
        expect(idsOf(scored)).toEqual(idsOf(list));
        scored.forEach((entry, i) => {
          expect(entry.score).toBeGreaterThan(0);
          expect(entry.score).toBeLessThan(scored[i - 1]?.score ?? 1);
          expect(Math.abs(sumOf(entry) - entry.score)).toBeLessThan(1e-9);
        });
      }),
    );
  });

  it('does not depend on how many are asked for', () => {
    fc.assert(
      fc.property(lists, scorings, fc.nat(12), (list, scoring, topK) => {
        const all = scoreMatches(list, { context, scoring });
        expect(scoreMatches(list.slice(0, topK), { context, scoring })).toEqual(all.slice(0, topK));
      }),
    );
  });

  it('does not depend on other candidates, but that it stays below what the order puts before it', () => {
    fc.assert(
      fc.property(lists, scorings, (list, scoring) => {
        const alone = list.map((entry) => scoreMatches([entry], { context, scoring })[0]?.score ?? 0);
        let before = Number.POSITIVE_INFINITY;
        scoresOf(scoreMatches(list, { context, scoring })).forEach((score, i) => {
          expect(score).toBe(Math.min(alone[i] ?? 0, 0.98 * before));
          before = score;
        });
      }),
    );
  });

  const passage = (content: string, semanticScore: number, identifierHits = 0): Candidate => ({
    ...candidate('a', 0.5, { content, identifierHits }),
    semanticScore,
  });
  const scoreOf = (entry: Candidate): number => scoresOf(scoreMatches([entry], { context }))[0] ?? 0;

  it('reads like what it means', () => {
    expect(scoreOf(passage('Rotate the audit log every night at two.', 0.7))).toBeGreaterThan(0.7);
    expect(scoreOf(passage('Boats lie in the harbour and wait for the tide.', 0.1))).toBeLessThan(0.3);
  });

  it('puts the holder of an identifier above everything, more of them above fewer', () => {
    const best = scoreOf(passage('Rotate the audit log every night.', 1));
    const holder = scoreOf(passage('boat', 0, 1));
    expect(holder).toBeGreaterThan(best);
    expect(scoreOf(passage('boat', 0, 2))).toBeGreaterThan(
      scoreOf(passage('Rotate the audit log every night.', 1, 1)),
    );
  });

  it('takes the mean of both opinions where the scale of a reranker is not known', () => {
    const found = passage('Rotate the audit log.', 0.5);
    const [own, sure, unsure] = [undefined, 0.999, 0.001].map((rerankScore) => {
      const reranked = rerankScore === undefined ? found : { ...found, rerankScore };
      return scoreMatches([reranked], { context, scoring: 'probability' })[0];
    });
    expect(sure?.score).toBeGreaterThan(own?.score ?? 1);
    expect(unsure?.score).toBeLessThan(own?.score ?? 0);
    expect(sure?.contributions.find(({ signal }) => signal === 'rerank')?.value).toBeCloseTo(
      (sure?.score ?? 0) - (own?.score ?? 0),
      9,
    );
  });

  it('goes without vectors', () => {
    const found = {
      ...candidate('a', 1),
      chunk: chunk('a', { content: 'rotate the audit log every night' }),
    };
    const [scored] = scoreMatches([found], { context: { query } });
    expect(scored?.score).toBeGreaterThan(0.5);
  });
});

describe('keptInOrder', () => {
  it('sets what would rise just below what is before it, and leaves the rest alone', () => {
    const list = [0.6, 0.8, 0.3, 0.2].map((score, i) => candidate(`c${i}`, score));
    expect(scoresOf(keptInOrder(list))).toEqual([0.6, 0.588, 0.3, 0.2]);
  });
});
