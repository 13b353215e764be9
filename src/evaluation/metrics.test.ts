import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentile } from '../core/percentile.js';
import { computeMetric, DEFAULT_METRICS, labelOf, mean, parseMetrics, rankAsTrecEval } from './metrics.js';

const value = (metric: string, ranking: string[], grades: Record<string, number>): number => {
  const [parsed] = parseMetrics(metric);
  if (parsed === undefined) throw new Error('no metric');
  return computeMetric(parsed, ranking, new Map(Object.entries(grades)));
};

describe('hand-worked cases', () => {
  // Relevant: a (grade 2), b (1), c (1). Retrieved: x, a, b, y, z. c is missed, z is judged not relevant.
  const ranking = ['x', 'a', 'b', 'y', 'z'];
  const grades = { a: 2, b: 1, c: 1, z: 0 };

  it.each<[string, number]>([
    // (2/log2 3 + 1/log2 4) / (2/log2 2 + 1/log2 3 + 1/log2 4)
    ['ndcg@10', (2 / Math.log2(3) + 1 / 2) / (2 + 1 / Math.log2(3) + 1 / 2)],
    ['ndcg@2', 2 / Math.log2(3) / (2 + 1 / Math.log2(3))],
    ['ndcg@1', 0],
    ['recall@1', 0],
    ['recall@2', 1 / 3],
    ['recall@5', 2 / 3],
    ['recall@100', 2 / 3],
    ['hit@1', 0],
    ['hit@2', 1],
    ['precision@5', 2 / 5],
    ['precision@10', 2 / 10],
    ['mrr@10', 1 / 2],
    ['mrr@1', 0],
    // (1/2 + 2/3) / 3
    ['map', (1 / 2 + 2 / 3) / 3],
    ['map@2', 1 / 2 / 3],
  ])('%s is %f', (metric, expected) => {
    expect(value(metric, ranking, grades)).toBeCloseTo(expected, 12);
  });

  it('gives 0 for an empty ranking and for a query without a relevant document', () => {
    for (const metric of parseMetrics(DEFAULT_METRICS)) {
      expect(computeMetric(metric, [], new Map([['a', 1]]))).toBe(0);
      expect(computeMetric(metric, ['a'], new Map([['a', 0]]))).toBe(0);
    }
  });

  it('takes negative grades for not relevant, as trec_eval does', () => {
    expect(value('ndcg@10', ['junk', 'a'], { junk: -2, a: 1 })).toBeCloseTo(1 / Math.log2(3), 12);
  });

  it('lets a repeated document keep its place and gain nothing', () => {
    expect(value('recall@2', ['a', 'a', 'b'], { a: 1, b: 1 })).toBe(1 / 2);
    expect(value('map', ['a', 'a', 'b'], { a: 1, b: 1 })).toBeCloseTo((1 + 2 / 3) / 2, 12);
  });
});

describe('rankAsTrecEval', () => {
  it('orders by score, then by document id descending', () => {
    const results = [
      { id: 'a', score: 1 },
      { id: 'c', score: 1 },
      { id: 'b', score: 1 },
      { id: 'd', score: 2 },
      { id: 'B', score: 1 },
    ];
    expect(rankAsTrecEval(results)).toEqual(['d', 'c', 'b', 'a', 'B']);
  });

  it('takes scores that single precision cannot tell apart for ties', () => {
    expect(
      rankAsTrecEval([
        { id: 'a', score: 1 + 1e-12 },
        { id: 'b', score: 1 },
      ]),
    ).toEqual(['b', 'a']);
  });
});

describe('parseMetrics', () => {
  it('reads the default list', () => {
    expect(parseMetrics(DEFAULT_METRICS).map(labelOf)).toEqual([
      'ndcg@10',
      'recall@5',
      'recall@10',
      'recall@20',
      'recall@100',
      'hit@10',
      'precision@5',
      'mrr@10',
      'map',
    ]);
  });

  it.each([
    '',
    ' , ',
    'bleu@4',
    'ndcg@',
    'ndcg@0',
    'ndcg@1.5',
    'precision',
    'toString',
    'ndcg@99999999999999999999',
  ])('refuses %j', (list) => {
    expect(() => parseMetrics(list)).toThrow(/Metrics are a list/);
  });
});

describe('properties', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const rankings = fc.shuffledSubarray(ids);
  const judgments = fc
    .array(fc.integer({ min: 0, max: 3 }), { minLength: 6, maxLength: 6 })
    .filter((grades) => grades.some((grade) => grade > 0))
    .map((grades) => new Map(grades.map((grade, i) => [ids[i] ?? '', grade])));
  const metrics = fc.constantFrom(
    ...parseMetrics('ndcg ndcg@3 recall@2 recall hit@1 precision@4 mrr mrr@2 map map@3'),
  );

  it('every metric lies in [0, 1]', () => {
    fc.assert(
      fc.property(metrics, rankings, judgments, (metric, ranking, grades) => {
        const result = computeMetric(metric, ranking, grades);
        expect(result).toBeGreaterThanOrEqual(0);
        expect(result).toBeLessThanOrEqual(1 + 1e-12);
      }),
    );
  });

  it('moving a better document one place up never lowers a metric', () => {
    fc.assert(
      fc.property(metrics, rankings, judgments, fc.nat(4), (metric, ranking, grades, at) => {
        const upper = ranking[at];
        const lower = ranking[at + 1];
        if (upper === undefined || lower === undefined) return;
        const swapped = ranking.with(at, lower).with(at + 1, upper);
        const isBetter = (grades.get(lower) ?? 0) >= (grades.get(upper) ?? 0);
        const [better, worse] = isBetter ? [swapped, ranking] : [ranking, swapped];
        expect(computeMetric(metric, better, grades)).toBeGreaterThanOrEqual(
          computeMetric(metric, worse, grades) - 1e-12,
        );
      }),
    );
  });

  it('the ideal ranking has nDCG 1', () => {
    fc.assert(
      fc.property(judgments, fc.integer({ min: 1, max: 6 }), (grades, k) => {
        const ideal = [...grades].sort((a, b) => b[1] - a[1]).map(([id]) => id);
        expect(computeMetric({ name: 'ndcg', k }, ideal, grades)).toBeCloseTo(1, 12);
      }),
    );
  });
});

it('mean and nearest-rank percentile', () => {
  expect(mean([])).toBe(0);
  expect(mean([1, 2, 6])).toBe(3);
  expect(percentile([], 0.5)).toBe(0);
  expect(percentile([3, 1, 2], 0.5)).toBe(2);
  expect(percentile([4, 1, 3, 2], 0.5)).toBe(2);
  expect(percentile([1, 2, 3], 0.95)).toBe(3);
});
