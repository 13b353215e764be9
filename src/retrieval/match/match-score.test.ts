import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { profileOf } from '../../core/analysis/query-profile.js';
import type { RerankScoring } from '../../reranking/reranker.js';
import type { Candidate } from '../candidate.js';
import { candidate, chunk, idsOf, sumOf } from '../test-candidates.js';
import { POOLED, pooledInOrder, scoreMatches } from './match-score.js';

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
  it('keeps the order, never rises along the list, stays within [0, 1], and closes the sums', () => {
    fc.assert(
      fc.property(lists, scorings, (list, scoring) => {
        const scored = scoreMatches(list, { context, scoring });
        expect(idsOf(scored)).toEqual(idsOf(list));
        scored.forEach((entry, i) => {
          expect(entry.score).toBeGreaterThan(0);
          expect(entry.score).toBeLessThanOrEqual(scored[i - 1]?.score ?? 1);
          expect(Math.abs(sumOf(entry) - entry.score)).toBeLessThan(1e-9);
        });
      }),
    );
  });

  it('gives each its own match where that falls along the list already', () => {
    fc.assert(
      fc.property(lists, scorings, (list, scoring) => {
        const alone = list
          .map((entry) => scoreMatches([entry], { context, scoring })[0])
          .filter((entry) => entry !== undefined)
          .toSorted((a, b) => b.identifierHits - a.identifierHits || b.score - a.score);
        const inOrder = alone.map(
          ({ chunk }) => list.find((entry) => entry.chunk.id === chunk.id) ?? alone[0],
        );
        const scored = scoreMatches(
          inOrder.filter((entry) => entry !== undefined),
          { context, scoring },
        );
        expect(scoresOf(scored)).toEqual(scoresOf(alone));
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

  it.each([0.2, undefined])(
    'a passage that the reader finds alike scores higher (background %s)',
    (background) => {
      const found = passage('Logs are turned over after midnight.', 0.3);
      const [alike, other] = [0.7, 0].map(
        (reading) => scoreMatches([{ ...found, reading }], { context: { query, background } })[0],
      );
      expect(alike?.score).toBeGreaterThan(0.5);
      expect(other?.score).toBeLessThan(0.4);
      expect(sumOf(alike ?? found)).toBeCloseTo(alike?.score ?? 0, 9);
      expect(alike?.contributions.map(({ signal }) => signal)).toContain('rerank');
    },
  );

  it('goes without vectors', () => {
    const found = {
      ...candidate('a', 1),
      chunk: chunk('a', { content: 'rotate the audit log every night' }),
    };
    const [scored] = scoreMatches([found], { context: { query } });
    expect(scored?.score).toBeGreaterThan(0.5);
  });
});

describe('pooledInOrder', () => {
  const scored = (scores: readonly number[]): Candidate[] =>
    scores.map((score, i) => candidate(`c${i}`, score));
  const numbers = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 2 * POOLED });
  const close = (a: number, b: number): boolean => Math.abs(a - b) < 1e-9;

  it.each([
    { case: 'a low one first does not hold down those behind', of: [0.2, 0.8, 0.8], is: [0.6, 0.6, 0.6] },
    { case: 'a pool takes in what is above its mean', of: [0.6, 0.8, 0.3, 0.5], is: [0.7, 0.7, 0.4, 0.4] },
    { case: 'what falls is left alone', of: [0.6, 0.5, 0.5, 0.2], is: [0.6, 0.5, 0.5, 0.2] },
  ])('$case', ({ of, is }) => {
    const found = scoresOf(pooledInOrder(scored(of)));
    expect(found.every((score, i) => close(score, is[i] ?? 0))).toBe(true);
  });

  it('never rises, keeps within the range of what was given, and leaves alone what falls already', () => {
    fc.assert(
      fc.property(numbers, (scores) => {
        const found = scoresOf(pooledInOrder(scored(scores)));
        found.forEach((score, i) => {
          expect(score).toBeLessThanOrEqual(found[i - 1] ?? 1);
          expect(score).toBeGreaterThanOrEqual(Math.min(...scores) - 1e-9);
        });
        const falling = scores.toSorted((a, b) => b - a);
        expect(scoresOf(pooledInOrder(scored(falling)))).toEqual(falling);
      }),
    );
  });

  it('keeps the mean of each pool, and scores none lower than a bound by all before it would', () => {
    fc.assert(
      fc.property(numbers, (all) => {
        const scores = all.slice(0, POOLED);
        const found = scoresOf(pooledInOrder(scored(scores)));
        for (const score of new Set(found)) {
          const own = scores.filter((_, i) => found[i] === score);
          expect(close(own.reduce((sum, value) => sum + value, 0) / own.length, score)).toBe(true);
        }
        found.forEach((score, i) => {
          expect(score).toBeGreaterThanOrEqual(Math.min(...scores.slice(0, i + 1)) - 1e-9);
        });
      }),
    );
  });

  it('does not depend on what stands behind the first that are pooled', () => {
    fc.assert(
      fc.property(numbers, fc.nat(2 * POOLED), (scores, count) => {
        const found = scoresOf(pooledInOrder(scored(scores)));
        const fewer = scores.slice(0, Math.max(POOLED, count));
        expect(scoresOf(pooledInOrder(scored(fewer)))).toEqual(found.slice(0, fewer.length));
      }),
    );
  });
});
