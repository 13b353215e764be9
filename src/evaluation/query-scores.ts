import { RAGError } from '../core/errors.js';
import { mean } from './metrics.js';

/** A query as reports name it. */
export interface ScoredQuery {
  readonly id: string;
  readonly text: string;
}

/** Values of every metric for every query of one evaluation: what paired tests need. */
export interface QueryScores {
  readonly queries: readonly ScoredQuery[];
  /** By label of the metric, in the order of `queries`. */
  readonly values: Readonly<Record<string, readonly number[]>>;
}

/** Means by label. */
export const meansOf = ({ values }: QueryScores): Record<string, number> =>
  Object.fromEntries(Object.entries(values).map(([label, scores]) => [label, mean(scores)]));

/** The values of one metric by query id; throws `USAGE` naming what there is, where it is not among them. */
export function valuesOf({ queries, values }: QueryScores, label: string): Map<string, number> {
  const scores = values[label];
  if (scores === undefined)
    throw new RAGError(
      'USAGE',
      `The metric "${label}" was not measured. Measured were: ${Object.keys(values).join(', ')}.`,
    );
  return new Map(queries.map(({ id }, i) => [id, scores[i] ?? 0]));
}

/**
 * The metric that decides where one must: nDCG@10 of a data set and hit@5 of a question set where they were measured,
 * else the first.
 */
export function primaryMetricOf(labels: readonly string[]): string {
  const [first] = labels;
  if (first === undefined) throw new RAGError('USAGE', 'No metric was measured.');
  return labels.find((label) => label === 'ndcg@10') ?? labels.find((label) => label === 'hit@5') ?? first;
}
