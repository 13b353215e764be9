import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RerankedCandidate, Reranker } from '../../reranking/reranker.js';
import type { Candidate } from '../candidate.js';
import { candidates, idsOf, sumOf } from '../test-candidates.js';
import { rerankCandidates } from './rerank.js';

const rerankerOf = (scores: readonly number[], maxCandidates: number): Reranker => ({
  name: 'scripted',
  maxCandidates,
  doRerank: async (_query, passages) =>
    passages.map((_, index): RerankedCandidate => ({ index, score: scores[index] ?? 0 })).toReversed(),
  close: async () => undefined,
});

const rerank = (list: readonly Candidate[], reranker: Reranker, deadlineMs = 10_000, weight?: number) =>
  rerankCandidates(list, {
    load: async () => reranker,
    query: 'q',
    read: async (found) =>
      found.flatMap((entry) => {
        const chunk = list.find((known) => known.chunk.id === entry.chunk.id)?.chunk;
        return chunk === undefined ? [] : [{ ...entry, chunk }];
      }),
    maxCandidates: 100,
    deadlineMs,
    weight,
  });

// Hundredths, so that scores tie; some outside [0, 1], as a faulty model might give.
const scores = fc.array(
  fc.integer({ min: -50, max: 150 }).map((value) => value / 100),
  { minLength: 12, maxLength: 12 },
);

/** Answers each call when it is told to. */
function heldReranker(concurrency: Reranker['concurrency']) {
  const begun: (() => void)[] = [];
  const reranker: Reranker = {
    name: 'held',
    maxCandidates: 100,
    ...(concurrency === undefined ? {} : { concurrency }),
    doRerank: (_query, passages) =>
      new Promise((resolve) => {
        begun.push(() => resolve(passages.map((_, index) => ({ index, score: 0.5 }))));
      }),
    close: async () => undefined,
  };
  return { reranker, begun };
}

describe('the deadline of a reranker', () => {
  const list = fc.sample(candidates, { numRuns: 1, seed: 7 })[0] ?? [];
  const started = (begun: readonly unknown[], count: number) => expect.poll(() => begun.length).toBe(count);

  it('begins when its turn comes: one that takes one call at a time makes the others wait', async () => {
    const { reranker, begun } = heldReranker(1);
    const first = rerank(list, reranker, 60_000);
    await started(begun, 1);
    const second = rerank(list, reranker, 200);
    // Three times as long as its deadline, in turns of the event loop that nothing else holds.
    for (let i = 0; i < 60; i++) await sleep(10);
    expect(begun).toHaveLength(1);
    begun[0]?.();
    await first;
    await started(begun, 2);
    begun[1]?.();
    expect(idsOf(await second).toSorted()).toEqual(idsOf(list).toSorted());
  });

  it('is none for one that computes on this thread', async () => {
    const { reranker, begun } = heldReranker('inline');
    const ranked = rerank(list, reranker, 1);
    await started(begun, 1);
    for (let i = 0; i < 10; i++) await sleep(10);
    begun[0]?.();
    expect(await ranked).toHaveLength(list.length);
  });

  it('ends the wait for one of another kind', async () => {
    const { reranker } = heldReranker(undefined);
    await expect(rerank(list, reranker, 1)).rejects.toMatchObject({ reason: 'RERANKER_UNAVAILABLE' });
  });
});

describe('a reranker that leaves candidates out', () => {
  const list = fc.sample(candidates, { numRuns: 50, seed: 7 }).find(({ length }) => length > 3) ?? [];
  const partial = (remark: string | undefined): Reranker => ({
    ...rerankerOf([], 100),
    doRerank: async () => [
      { index: 2, score: 0.9 },
      { index: 1, score: 0.4 },
    ],
    remarkOf: () => (remark === undefined ? undefined : { text: remark, isUnfinished: true }),
  });

  it('has them behind the others, in their order, where it says so', async () => {
    const plain = list.map((candidate) => ({ ...candidate, identifierHits: 0 }));
    const reranked = await rerank(plain, partial('Read 2.'));
    const ids = idsOf(plain);
    expect(idsOf(reranked)).toEqual([ids[2], ids[1], ids[0], ...ids.slice(3)]);
    expect(reranked.map(({ rerankScore }) => rerankScore)).toEqual([
      0.9,
      0.4,
      ...ids.slice(2).map(() => undefined),
    ]);
    for (const [at, { score }] of reranked.entries())
      expect(score).toBeLessThanOrEqual((reranked[at - 1]?.score ?? 1) + 1e-9);
  });

  it('is not used where it does not', async () => {
    await expect(rerank(list, partial(undefined))).rejects.toMatchObject({ reason: 'RERANKER_UNAVAILABLE' });
  });
});

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

  it('with a share of its own: between its order and that of fusion, and nothing outside of its range', () => {
    return fc.assert(
      fc.asyncProperty(
        candidates,
        scores,
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        async (list, given, weight) => {
          const clamped = given.slice(0, list.length).map((score) => Math.min(1, Math.max(0, score)));
          const reranked = await rerank(list, rerankerOf(given, 100), 10_000, weight);
          expect(idsOf(reranked).toSorted()).toEqual(idsOf(list).toSorted());
          for (const candidate of reranked) {
            expect(Math.abs(sumOf(candidate) - candidate.score)).toBeLessThan(1e-9);
            const own = candidate.score - candidate.identifierHits;
            expect(own).toBeGreaterThanOrEqual(Math.min(...clamped) - 1e-9);
            expect(own).toBeLessThanOrEqual(Math.max(...clamped) + 1e-9);
          }
        },
      ),
    );
  });

  it('a small share leaves the order of fusion, a whole one gives that of the reranker', async () => {
    const [first] = fc.sample(candidates, { numRuns: 1, seed: 3 });
    const template = first?.[0];
    if (template === undefined) throw new Error('There is no candidate.');
    const list = ['a', 'b', 'c'].map(
      (id, at): Candidate => ({
        ...template,
        chunk: { ...template.chunk, id },
        identifierHits: 0,
        holdsIdentifier: false,
        contributions: [{ signal: 'dense', value: 0.9 - at * 0.4 }],
        score: 0.9 - at * 0.4,
      }),
    );
    const orderAt = async (weight: number) =>
      idsOf(await rerank(list, rerankerOf([0.1, 0.2, 0.3], 100), 10_000, weight)).join('');
    expect(await orderAt(1)).toBe('cba');
    expect(await orderAt(0.05)).toBe('abc');
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
