import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Hit } from '../candidate.js';
import { laneOff } from '../lanes/lane.js';
import type { LaneOutcomes } from '../run-lanes.js';
import { chunk, idsOf, laneHits, sumOf } from '../test-candidates.js';
import {
  convexCombination,
  type FuseOptions,
  type FusionLane,
  fuse,
  fuseLanes,
  laneWeightsOf,
  reciprocalRank,
} from './fuse.js';

const weights = fc.double({ min: 0, max: 1, noNaN: true });
const lanes: fc.Arbitrary<FusionLane[]> = fc
  .tuple(laneHits, laneHits, weights, weights)
  .map(([dense, lexical, d, l]) => [
    { signal: 'dense', weight: d, hits: dense },
    { signal: 'lexical', weight: l, hits: lexical },
  ]);
const hit = (id: string, score: number) => ({ chunk: chunk(id), score });

describe.each([
  ['convexCombination', convexCombination],
  ['reciprocalRank', reciprocalRank(60)],
])('fuse with %s', (_name, scoring) => {
  it('gives each chunk of the lanes once, nothing else, in order', () => {
    fc.assert(
      fc.property(lanes, (input) => {
        const fused = fuse(input, scoring);
        const found = new Set(input.flatMap((lane) => idsOf(lane.hits)));
        expect(new Set(idsOf(fused))).toEqual(found);
        expect(fused).toHaveLength(found.size);
        fused.slice(1).forEach((entry, i) => {
          expect(entry.score).toBeLessThanOrEqual(fused[i]?.score ?? 0);
        });
      }),
    );
  });

  it('explains each score, which lies in [0, 1]', () => {
    fc.assert(
      fc.property(lanes, (input) => {
        for (const entry of fuse(input, scoring)) {
          expect(entry.score).toBeGreaterThanOrEqual(0);
          expect(entry.score).toBeLessThanOrEqual(1 + 1e-12);
          expect(Math.abs(sumOf(entry) - entry.score)).toBeLessThan(1e-12);
        }
      }),
    );
  });

  it('with all weight on one lane keeps the order of that lane', () => {
    fc.assert(
      fc.property(laneHits, laneHits, (dense, lexical) => {
        fc.pre(lexical.length > 0);
        const fused = fuse(
          [
            { signal: 'dense', weight: 0, hits: dense },
            { signal: 'lexical', weight: 1, hits: lexical },
          ],
          scoring,
        );
        const scoreOf = new Map(lexical.map((entry) => [entry.chunk.id, entry.score]));
        const ranked = idsOf(fused).flatMap((id) => scoreOf.get(id) ?? []);
        expect(ranked).toEqual(ranked.toSorted((a, b) => b - a));
        if (scoring !== convexCombination)
          expect(idsOf(fused).slice(0, lexical.length)).toEqual(idsOf(lexical));
      }),
    );
  });

  it('is not pressed down by a lane that found nothing', () => {
    const hits = [hit('a', 2), hit('b', 1)];
    const [best] = fuse(
      [
        { signal: 'dense', weight: 0.7, hits: [] },
        { signal: 'lexical', weight: 0.3, hits },
      ],
      scoring,
    );
    expect(best?.score).toBe(1);
  });

  it('breaks ties by id and does not depend on the order of the lanes', () => {
    fc.assert(
      fc.property(lanes, (input) => {
        expect(idsOf(fuse(input.toReversed(), scoring))).toEqual(idsOf(fuse(input, scoring)));
      }),
    );
    const tied = fuse([{ signal: 'dense', weight: 1, hits: [hit('b', 1), hit('a', 1)] }], convexCombination);
    expect(idsOf(tied)).toEqual(['a', 'b']);
  });
});

describe('worked cases', () => {
  const dense = [hit('a', 0.9), hit('b', 0.5), hit('c', 0.1)];
  const lexical = [hit('b', 12), hit('d', 2)];
  const input = (d: number): FusionLane[] => [
    { signal: 'dense', weight: d, hits: dense },
    { signal: 'lexical', weight: 1 - d, hits: lexical },
  ];

  it('convex combination of min-max normalised scores', () => {
    const fused = fuse(input(0.7), convexCombination);
    expect(fused.map(({ chunk: { id }, score }) => [id, Number(score.toFixed(6))])).toEqual([
      ['a', 0.7],
      ['b', 0.65],
      ['c', 0],
      ['d', 0],
    ]);
    expect(fused[1]).toMatchObject({ semanticScore: 0.5, keywordScore: 12 });
  });

  it('reciprocal rank fusion with k = 60', () => {
    const fused = fuse(input(0.5), reciprocalRank(60));
    const value = 61 * (0.5 / 62 + 0.5 / 61);
    expect(fused[0]?.chunk.id).toBe('b');
    expect(fused[0]?.score).toBeCloseTo(value, 12);
  });

  it('understands weights that do not sum to 1', () => {
    const scale = (factor: number) =>
      fuse(
        input(0.7).map((lane) => ({ ...lane, weight: lane.weight * factor })),
        convexCombination,
      ).map(({ score }) => score.toFixed(12));
    expect(scale(70)).toEqual(scale(1));
  });
});

const outcomesOf = (dense: readonly Hit[], lexical: readonly Hit[]): LaneOutcomes => ({
  dense: { ...laneOff('dense', ''), hits: dense },
  lexical: { ...laneOff('lexical', ''), hits: lexical },
  identifier: laneOff('identifier', ''),
  identifierHits: [],
});
const methods = fc.constantFrom('adaptive', 'convex-combination', 'reciprocal-rank');
const settings = (method: FuseOptions['method']): FuseOptions => ({
  method,
  rankConstant: 60,
  modelKey: 'builtin',
});

describe('fuseLanes', () => {
  it('gives every found chunk once and nothing else; contributions sum to a score in [0, 1]', () => {
    fc.assert(
      fc.property(laneHits, laneHits, laneHits, methods, (dense, lexical, added, method) => {
        const expansions = [{ signal: 'expansion', weight: 0.1, hits: added }] as const;
        const fused = fuseLanes(outcomesOf(dense, lexical), { ...settings(method), expansions });
        const found = [...new Set([...idsOf(dense), ...idsOf(lexical), ...idsOf(added)])];
        expect(idsOf(fused).toSorted()).toEqual(found.toSorted());
        for (const candidate of fused) {
          expect(Math.abs(sumOf(candidate) - candidate.score)).toBeLessThan(1e-12);
          expect(candidate.score).toBeGreaterThanOrEqual(0);
          expect(candidate.score).toBeLessThanOrEqual(1 + 1e-12);
        }
      }),
    );
  });

  it('names what an expansion alone contributed, without a cosine or a BM25 score of the query', () => {
    const [first, second] = fuseLanes(outcomesOf([], [{ chunk: chunk('a'), score: 2 }]), {
      ...settings('adaptive'),
      expansions: [{ signal: 'expansion', weight: 0.1, hits: [{ chunk: chunk('b'), score: 7 }] }],
    });
    expect(first?.contributions).toEqual([{ signal: 'lexical', value: expect.closeTo(0.9, 12) }]);
    expect(second).toMatchObject({ chunk: { id: 'b' }, contributions: [{ signal: 'expansion' }] });
    expect(second?.keywordScore).toBeUndefined();
    expect(second?.semanticScore).toBeUndefined();
  });

  it('keeps weights that were set by hand, whatever the method', () => {
    fc.assert(
      fc.property(laneHits, laneHits, methods, (dense, lexical, method) => {
        const weights = { dense: 0.7, lexical: 0.3 };
        expect(laneWeightsOf(outcomesOf(dense, lexical), { ...settings(method), weights })).toBe(weights);
      }),
    );
  });

  it('breaks ties by id, in whatever order a lane gave them', () => {
    const tied = ['b', 'c', 'a'].map((id) => ({ chunk: chunk(id), score: 1 }));
    for (const hits of [tied, tied.toReversed()])
      expect(idsOf(fuseLanes(outcomesOf(hits, []), settings('adaptive')))).toEqual(['a', 'b', 'c']);
  });
});
