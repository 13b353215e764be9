import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Hit } from './candidate.js';
import { type FuseOptions, fuseLanes, laneWeightsOf } from './fuse-lanes.js';
import { laneOff } from './lanes/lane.js';
import type { LaneOutcomes } from './run-lanes.js';
import { chunk, idsOf, laneHits, sumOf } from './test-candidates.js';

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
