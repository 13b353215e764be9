import { describe, expect, test } from 'vitest';
import { compareScores } from './compare-scores.js';
import type { QueryScores } from './query-scores.js';

const scores = (values: Readonly<Record<string, number>>, label = 'ndcg@10'): QueryScores => ({
  queries: Object.keys(values).map((id) => ({ id, text: `text of ${id}` })),
  values: { [label]: Object.values(values) },
});

describe('two evaluations query by query', () => {
  test('difference, wins and losses by hand', () => {
    const { metrics, changes } = compareScores(
      scores({ q1: 0.5, q2: 1, q3: 0.2 }),
      scores({ q1: 1, q2: 0.9, q3: 0.2 }),
    );
    expect(metrics).toHaveLength(1);
    expect(metrics[0]).toMatchObject({ metric: 'ndcg@10', wins: 1, losses: 1, ties: 1 });
    expect(metrics[0]?.difference).toBeCloseTo(0.4 / 3, 10);
    expect(changes['ndcg@10']?.map(({ id }) => id)).toEqual(['q2', 'q1']);
    expect(changes['ndcg@10']?.[0]).toMatchObject({ text: 'text of q2', a: 1, b: 0.9 });
  });

  test('queries are paired by id, whatever their order, and those of one side are named', () => {
    const { metrics, onlyA, onlyB } = compareScores(
      scores({ gone: 1, q1: 0, q2: 1 }),
      scores({ q2: 1, q1: 0, fresh: 0 }),
    );
    expect(metrics[0]).toMatchObject({ difference: 0, ties: 2, pValue: 1 });
    expect([onlyA, onlyB]).toEqual([['gone'], ['fresh']]);
  });

  test('swapping the sides swaps the sign and keeps the p-value', () => {
    const a = scores({ q1: 0.1, q2: 0.4, q3: 0.9 });
    const b = scores({ q1: 0.3, q2: 0.5, q3: 0.8 });
    const [forth] = compareScores(a, b).metrics;
    const [back] = compareScores(b, a).metrics;
    expect(back?.difference).toBeCloseTo(-(forth?.difference ?? Number.NaN), 12);
    expect(back?.pValue).toBe(forth?.pValue);
  });

  test('nothing in common is an error', () => {
    expect(() => compareScores(scores({ q1: 1 }), scores({ q2: 1 }))).toThrow(/share no query/);
    expect(() => compareScores(scores({ q1: 1 }), scores({ q1: 1 }, 'map'))).toThrow(/share no metric/);
  });
});
