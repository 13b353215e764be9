import { expect, test } from 'vitest';
import type { ComparisonReport, MetricComparison } from '../../../index.js';
import { CliContext } from '../context.js';
import { renderComparison } from './comparison.js';

const context = new CliContext([], new AbortController().signal);

const metric = (wins: number): MetricComparison => ({
  metric: 'ndcg@10',
  a: 0.5,
  b: 0.5,
  difference: 0,
  low: 0,
  high: 0,
  pValue: 1,
  wins,
  losses: 0,
  ties: 3 - wins,
});

// Only what is printed of a report.
const report = (wins: number): ComparisonReport => {
  const side = { dataset: 'set', split: 'test', queries: 3, latencyMs: { p50: 1, p95: 2 } };
  return {
    a: { ...side, name: 'current' },
    b: { ...side, name: 'x=1' },
    metrics: [metric(wins)],
    changes: { 'ndcg@10': [] },
  } as unknown as ComparisonReport;
};

test('a comparison in which nothing changed says that it may be one of a configuration with itself', () => {
  expect(renderComparison(report(0), context)).toContain('may be the same settings');
  expect(renderComparison(report(1), context)).not.toContain('may be the same settings');
});
