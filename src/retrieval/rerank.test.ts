import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RerankedCandidate, Reranker } from '../reranking/reranker.js';
import type { Candidate } from './candidate.js';
import { rerankCandidates } from './rerank.js';
import { candidates, idsOf, sumOf } from './test-candidates.js';

const rerankerOf = (scores: readonly number[], maxCandidates: number): Reranker => ({
  name: 'scripted',
  maxCandidates,
  doRerank: async (_query, passages) =>
    passages.map((_, index): RerankedCandidate => ({ index, score: scores[index] ?? 0 })).toReversed(),
  close: async () => undefined,
});

const rerank = (list: readonly Candidate[], reranker: Reranker) =>
  rerankCandidates(list, {
    load: async () => reranker,
    query: 'q',
    read: async (found) =>
      found.flatMap((entry) => {
        const chunk = list.find((known) => known.chunk.id === entry.chunk.id)?.chunk;
        return chunk === undefined ? [] : [{ ...entry, chunk }];
      }),
    maxCandidates: 100,
    deadlineMs: 10_000,
  });

// Hundredths, so that scores tie; some outside [0, 1], as a faulty model might give.
const scores = fc.array(
  fc.integer({ min: -50, max: 150 }).map((value) => value / 100),
  { minLength: 12, maxLength: 12 },
);

describe('rerankCandidates', () => {
  it('only permutes: nothing is invented, nothing lost, and what was not reranked keeps its order behind', () => {
    return fc.assert(
      fc.asyncProperty(candidates, scores, fc.integer({ min: 1, max: 12 }), async (list, given, cap) => {
        const reranked = await rerank(list, rerankerOf(given, cap));
        expect(idsOf(reranked).toSorted()).toEqual(idsOf(list).toSorted());
        expect(idsOf(reranked).slice(cap)).toEqual(idsOf(list).slice(cap));
      }),
    );
  });

  it('explains each score, and scores never rise', () => {
    return fc.assert(
      fc.asyncProperty(candidates, scores, fc.integer({ min: 1, max: 12 }), async (list, given, cap) => {
        const reranked = await rerank(list, rerankerOf(given, cap));
        reranked.forEach((candidate, i) => {
          expect(Math.abs(sumOf(candidate) - candidate.score)).toBeLessThan(1e-9);
          expect(candidate.score).toBeLessThanOrEqual((reranked[i - 1]?.score ?? 1) + 1e-9);
        });
      }),
    );
  });

  it('breaks ties the same way, in whatever order the candidates came', () => {
    return fc.assert(
      fc.asyncProperty(candidates, async (list) => {
        const even = rerankerOf(
          Array.from(list, () => 0.5),
          100,
        );
        const forwards = await rerank(list, even);
        expect(idsOf(forwards)).toEqual(idsOf(await rerank(list.toReversed(), even)));
      }),
    );
  });
});
