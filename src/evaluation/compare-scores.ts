import { RAGError } from '../core/errors.js';
import { mean } from './metrics.js';
import { bootstrapInterval, pairedRandomisationTest } from './paired-test.js';
import type { QueryScores, ScoredQuery } from './query-scores.js';
import { valuesOf } from './query-scores.js';

/** One metric of two evaluations over the same queries. */
export interface MetricComparison {
  readonly metric: string;
  /** Means over the queries that both have. */
  readonly a: number;
  readonly b: number;
  /** `b - a`. */
  readonly difference: number;
  /** 95 % bootstrap interval of the difference. */
  readonly low: number;
  readonly high: number;
  /** Two-sided paired randomisation test. */
  readonly pValue: number;
  /** Queries on which `b` is better, worse, equal. */
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
}

/** A query whose value differs. */
export interface QueryChange extends ScoredQuery {
  readonly a: number;
  readonly b: number;
}

/** Two evaluations, query by query. */
export interface ScoreComparison {
  readonly metrics: readonly MetricComparison[];
  /** Changes by label of the metric, largest loss first, largest win last. */
  readonly changes: Readonly<Record<string, readonly QueryChange[]>>;
  /** Queries that only one side has: they are in no mean and no test. */
  readonly onlyA: readonly string[];
  readonly onlyB: readonly string[];
}

/** Differences smaller than this are rounding. */
const ROUNDING = 1e-9;

/**
 * Compares two evaluations on the queries and metrics that both have.
 *
 * @throws RAGError `DATASET_INVALID` where they share no query or no metric.
 */
export function compareScores(a: QueryScores, b: QueryScores): ScoreComparison {
  const idsOfA = new Set(a.queries.map(({ id }) => id));
  const idsOfB = new Set(b.queries.map(({ id }) => id));
  const shared = b.queries.filter(({ id }) => idsOfA.has(id));
  const labels = Object.keys(a.values).filter((label) => Object.hasOwn(b.values, label));
  if (shared.length === 0 || labels.length === 0)
    throw new RAGError(
      'DATASET_INVALID',
      `The two evaluations share no ${shared.length === 0 ? 'query' : 'metric'}, so there is nothing to compare. Evaluate the same data set, split and metrics.`,
    );
  const pairs = new Map(
    labels.map((label) => [label, pairsOf(shared, valuesOf(a, label), valuesOf(b, label))]),
  );
  return {
    metrics: Array.from(pairs, ([label, values]) => compareMetric(label, values)),
    changes: Object.fromEntries(Array.from(pairs, ([label, values]) => [label, changesOf(values)])),
    onlyA: a.queries.map(({ id }) => id).filter((id) => !idsOfB.has(id)),
    onlyB: b.queries.map(({ id }) => id).filter((id) => !idsOfA.has(id)),
  };
}

const pairsOf = (
  queries: readonly ScoredQuery[],
  a: ReadonlyMap<string, number>,
  b: ReadonlyMap<string, number>,
): QueryChange[] => queries.map(({ id, text }) => ({ id, text, a: a.get(id) ?? 0, b: b.get(id) ?? 0 }));

function compareMetric(metric: string, pairs: readonly QueryChange[]): MetricComparison {
  const valuesOfA = pairs.map(({ a }) => a);
  const valuesOfB = pairs.map(({ b }) => b);
  const { difference, pValue } = pairedRandomisationTest(valuesOfA, valuesOfB);
  const wins = pairs.filter(({ a, b }) => b - a > ROUNDING).length;
  const losses = pairs.filter(({ a, b }) => a - b > ROUNDING).length;
  return {
    metric,
    a: mean(valuesOfA),
    b: mean(valuesOfB),
    difference,
    ...bootstrapInterval(valuesOfA, valuesOfB),
    pValue,
    wins,
    losses,
    ties: pairs.length - wins - losses,
  };
}

const changesOf = (pairs: readonly QueryChange[]): QueryChange[] =>
  pairs
    .filter(({ a, b }) => Math.abs(b - a) > ROUNDING)
    .sort((left, right) => left.b - left.a - (right.b - right.a));
