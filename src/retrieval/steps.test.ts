import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrate, nonIncreasing } from './calibration/calibration.js';
import { promoteIdentifierHits } from './fusion/fuse.js';
import { jaccard, removeNearDuplicates, wordShingles } from './refining/near-duplicates.js';
import { applyRecency, applyThreshold, maximalMarginalRelevance } from './refining/refine.js';
import { candidate, candidates, chunk, idsOf, sumOf } from './test-candidates.js';

const isSubsequence = (part: readonly string[], whole: readonly string[]): boolean => {
  let at = 0;
  for (const id of whole) if (id === part[at]) at++;
  return at === part.length;
};

describe('nonIncreasing', () => {
  it('never rises, keeps the mean and leaves a falling list alone', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 }), (values) => {
        const pooled = Array.from(nonIncreasing(values));
        pooled.slice(1).forEach((value, i) => {
          expect(value).toBeLessThanOrEqual(pooled[i] ?? 0);
        });
        const sum = (list: number[]) => list.reduce((total, value) => total + value, 0);
        expect(sum(pooled)).toBeCloseTo(sum(values), 9);
        const falling = values.toSorted((a, b) => b - a);
        expect(Array.from(nonIncreasing(falling))).toEqual(falling);
      }),
    );
  });

  it('pools neighbours that contradict the order', () => {
    expect(Array.from(nonIncreasing([0.9, 0.2, 0.6, 0.1]))).toEqual([0.9, 0.4, 0.4, 0.1]);
  });
});

describe('maximalMarginalRelevance', () => {
  const lambdas = fc.double({ min: 0.01, max: 1, noNaN: true });

  it('selects some of the candidates, each once', () => {
    fc.assert(
      fc.property(candidates, lambdas, fc.nat(15), (pool, lambda, limit) => {
        const selected = idsOf(maximalMarginalRelevance(pool, { lambda, limit }));
        expect(selected).toHaveLength(Math.min(limit, pool.length));
        expect(new Set(selected).size).toBe(selected.length);
        expect(selected.every((id) => idsOf(pool).includes(id))).toBe(true);
      }),
    );
  });

  it('keeps the order at lambda 1, and always the best first', () => {
    fc.assert(
      fc.property(candidates, lambdas, (pool, lambda) => {
        expect(idsOf(maximalMarginalRelevance(pool, { lambda: 1, limit: 20 }))).toEqual(idsOf(pool));
        expect(idsOf(maximalMarginalRelevance(pool, { lambda, limit: 1 }))).toEqual(idsOf(pool).slice(0, 1));
      }),
    );
  });

  it('agrees with the definition, worked out anew at each step', () => {
    const dot = (a: Float32Array, b: Float32Array) =>
      a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
    fc.assert(
      fc.property(candidates, lambdas, (pool, lambda) => {
        const expected: (typeof pool)[number][] = [];
        const none = new Float32Array(2);
        while (expected.length < pool.length) {
          const values = pool.map((entry) => {
            if (expected.includes(entry)) return Number.NEGATIVE_INFINITY;
            const nearest = Math.max(
              0,
              ...expected.map((other) => dot(entry.chunk.vector ?? none, other.chunk.vector ?? none)),
            );
            return lambda * entry.score - (1 - lambda) * nearest;
          });
          const best = pool[values.indexOf(Math.max(...values))];
          if (best !== undefined) expected.push(best);
        }
        expect(idsOf(maximalMarginalRelevance(pool, { lambda, limit: 20 }))).toEqual(idsOf(expected));
      }),
    );
  });

  it('prefers what is new, but never to an exact identifier hit', () => {
    const east = Float32Array.of(1, 0);
    const north = Float32Array.of(0, 1);
    const pool = [
      candidate('a', 0.9, { vector: east }),
      candidate('b', 0.8, { vector: east }),
      candidate('c', 0.7, { vector: north }),
    ];
    expect(idsOf(maximalMarginalRelevance(pool, { lambda: 0.5, limit: 3 }))).toEqual(['a', 'c', 'b']);
    const exact = [candidate('x', 0.1, { vector: east, identifierHits: 1 }), ...pool];
    expect(idsOf(maximalMarginalRelevance(exact, { lambda: 0.5, limit: 2 }))).toEqual(['x', 'c']);
  });
});

describe('removeNearDuplicates', () => {
  it('keeps a part of the list in its order, accounts for the rest, and is done after one pass', () => {
    fc.assert(
      fc.property(candidates, fc.double({ min: 0.1, max: 1, noNaN: true }), (pool, threshold) => {
        const { kept, removed } = removeNearDuplicates(pool, { threshold, limit: 100 });
        expect(isSubsequence(idsOf(kept), idsOf(pool))).toBe(true);
        expect([...idsOf(kept), ...removed.map(({ id }) => id)].toSorted()).toEqual(idsOf(pool).toSorted());
        expect(removeNearDuplicates(kept, { threshold, limit: 100 }).removed).toEqual([]);
      }),
    );
  });

  it('finds exactly the pairs that comparing all of them finds', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        fc.array(words, { maxLength: 10 }),
        fc.constantFrom(0.3, 0.5, 0.8, 1),
        (texts, threshold) => {
          const pool = texts.map((text, i) => candidate(`c${i}`, 1, { content: text.join(' ') }));
          const kept: (typeof pool)[number][] = [];
          for (const entry of pool) {
            const shingles = wordShingles(entry.chunk.content);
            if (!kept.some((other) => jaccard(shingles, wordShingles(other.chunk.content)) >= threshold))
              kept.push(entry);
          }
          expect(idsOf(removeNearDuplicates(pool, { threshold, limit: 100 }).kept)).toEqual(idsOf(kept));
        },
      ),
    );
  });

  it('sees through case, spaces and punctuation, and says whose copy it was', () => {
    const pool = [
      candidate('a', 0.9, { content: 'Restart the indexer, then check its log.' }),
      candidate('b', 0.8, { content: 'restart  the INDEXER then check its log' }),
      candidate('c', 0.7, { content: 'Restart the printer, then check its paper.' }),
    ];
    const { kept, removed } = removeNearDuplicates(pool, { threshold: 0.9, limit: 10 });
    expect(idsOf(kept)).toEqual(['a', 'c']);
    expect(removed).toEqual([{ id: 'b', step: 'near-duplicate', detail: 'of a' }]);
  });

  it('compares texts without spaces by their characters', () => {
    const said = '搜索引擎返回最相关的文档片段';
    const pool = [said, `${said}。`, '今天天气很好'].map((content, i) => candidate(`c${i}`, 1, { content }));
    expect(idsOf(removeNearDuplicates(pool, { threshold: 0.7, limit: 10 }).kept)).toEqual(['c0', 'c2']);
  });
});

describe('applyRecency', () => {
  const day = 86_400_000;
  const now = 1_000 * day;
  const dated = (id: string, days: number) =>
    candidate(id, 0.8, { metadata: { updatedAt: new Date(now - days * day).toISOString() } });

  it('takes a quarter after one half-life, nothing of what is new, and explains it', () => {
    const pool = [dated('new', 0), dated('future', -5), dated('aged', 30), candidate('undated', 0.8)];
    const scores = applyRecency(pool, { halfLifeDays: 30, now }).map(({ score }) => score);
    expect(scores.map((score) => Number(score.toFixed(9)))).toEqual([0.8, 0.8, 0.6, 0.6]);
  });

  it('explains what it takes', () => {
    const [aged] = applyRecency([dated('a', 10)], { halfLifeDays: 30, now });
    expect(aged?.contributions.map(({ signal }) => signal)).toEqual(['dense', 'recency']);
    expect(aged === undefined ? 0 : sumOf(aged)).toBeCloseTo(aged?.score ?? 1, 12);
  });
});

describe('applyThreshold', () => {
  it('keeps what reaches it and reports what does not', () => {
    const { kept, removed } = applyThreshold([candidate('a', 0.7), candidate('b', 0.69)], 0.7);
    expect(idsOf(kept)).toEqual(['a']);
    expect(removed).toEqual([{ id: 'b', step: 'threshold', detail: 'score 0.690', score: 0.69 }]);
  });
});

describe('promoteIdentifierHits', () => {
  const hit = (id: string, decisiveHits: number, score = 0) => ({ chunk: chunk(id), score, decisiveHits });
  const pool = [
    { ...candidate('paraphrase', 0.9), keywordScore: 1 },
    { ...candidate('words', 0.8), keywordScore: 9 },
    { ...candidate('holder', 0.1), keywordScore: 5 },
  ];

  it('puts a decisive hit before everything, also one that no other lane found', () => {
    const promoted = promoteIdentifierHits(pool, [hit('new', 1, 3), hit('holder', 2)]);
    expect(idsOf(promoted)).toEqual(['holder', 'new', 'paraphrase', 'words']);
    expect(promoted.every((entry) => Math.abs(sumOf(entry) - entry.score) < 1e-12)).toBe(true);
  });

  it('lifts any other hit above paraphrases, not above what shares more words', () => {
    expect(idsOf(promoteIdentifierHits(pool, [hit('holder', 0)]))).toEqual(['holder', 'paraphrase', 'words']);
    const worded = pool.map((entry) => (entry.chunk.id === 'words' ? { ...entry, score: 0.95 } : entry));
    expect(idsOf(promoteIdentifierHits(worded, [hit('holder', 0)]))).toEqual([
      'words',
      'holder',
      'paraphrase',
    ]);
  });

  it('changes nothing without hits', () => {
    expect(promoteIdentifierHits(pool, [])).toEqual(pool);
  });
});

describe('calibrate', () => {
  const calibration = {
    fused: { bias: -1, weights: { cosine: 3, fused: 2 } },
    reranked: { bias: 0, weights: { rerank: 4 } },
  };
  const context = { terms: ['content'], lowestCosine: 0, leading: [], leadingReranked: [] };
  const scorings = fc.constantFrom('fitted' as const, 'probability' as const, 'order' as const);

  it('keeps the order and the scores, and gives probabilities that never rise', () => {
    fc.assert(
      fc.property(candidates, fc.nat(12), scorings, (pool, reranked, scoring) => {
        const input = pool.map((entry, i) => ({
          ...entry,
          semanticScore: (i % 3) / 3,
          ...(i < reranked ? { rerankScore: (i * 7) % 11 === 0 ? 1 : entry.score } : {}),
        }));
        const calibrated = calibrate(input, { calibration, context, scoring });
        expect(calibrated.map(({ probability, ...rest }) => rest)).toEqual(input);
        calibrated.forEach(({ probability = -1 }, i) => {
          expect(probability).toBeGreaterThanOrEqual(0);
          expect(probability).toBeLessThanOrEqual(calibrated[i - 1]?.probability ?? 1);
        });
      }),
    );
  });

  describe('of a reranked candidate', () => {
    // 0.4 fused, of which the lanes alone make sigmoid(-1 + 2 * 0.4).
    const byLanes = 1 / (1 + Math.exp(0.2));
    const reranked = { ...candidate('a', 0.4), rerankScore: 0.8 };

    it.each([
      ['fitted' as const, 0.8],
      ['probability' as const, 1 / (1 + Math.exp(0.1 - Math.log(4) / 2))],
      ['order' as const, byLanes],
    ])('%s: %d', (scoring, probability) => {
      const [only] = calibrate([reranked], { calibration, context, scoring });
      expect(only?.probability).toBeCloseTo(probability, 12);
    });
  });
});
