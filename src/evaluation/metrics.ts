import { RAGError } from '../core/errors.js';
import { compareText } from '../core/filter.js';

/**
 * Retrieval metrics as trec_eval 9 computes them (Buckley; the reference program of TREC), under the names papers use.
 * nDCG: Järvelin and Kekäläinen 2002, with the linear gain and the discount log2(rank + 1) of trec_eval's `ndcg_cut`.
 *
 * A grade above 0 is relevant; a document that is not judged is not relevant.
 */
export type MetricName = 'ndcg' | 'recall' | 'hit' | 'precision' | 'mrr' | 'map';

/** A metric with its cut-off; without one it looks at the whole ranking. */
export interface Metric {
  readonly name: MetricName;
  readonly k?: number;
}

/** What `eval` reports when it is not told otherwise. */
export const DEFAULT_METRICS = 'ndcg@10, recall@5|10|20|100, hit@10, precision@5, mrr@10, map';

/** Grades of the judged documents of one query. */
export type Judgments = ReadonlyMap<string, number>;

/** A retrieved document and its score; higher is better. */
export interface ScoredId {
  readonly id: string;
  readonly score: number;
}

/**
 * Reads `ndcg@10, recall@5|10, map`: names with cut-offs, separated by commas or white space. `precision` needs a
 * cut-off; `ndcg`, `recall`, `hit`, `mrr` and `map` without one look at the whole ranking.
 *
 * @throws RAGError `USAGE` naming the part that is not understood.
 */
export function parseMetrics(list: string): Metric[] {
  const parts = list.split(/[\s,]+/).filter((part) => part !== '');
  if (parts.length === 0) throw metricError('the list is empty');
  return parts.flatMap(parseMetric);
}

function parseMetric(part: string): Metric[] {
  const [, name = '', cuts] = /^([a-z]+)(?:@(\d+(?:\|\d+)*))?$/.exec(part.toLowerCase()) ?? [];
  if (!isMetricName(name)) throw metricError(`"${part}" is not one of them`);
  if (cuts === undefined) {
    if (name === 'precision') throw metricError('"precision" needs a cut-off, such as precision@5');
    return [{ name }];
  }
  return cuts.split('|').map((cut) => {
    const k = Number(cut);
    if (k < 1 || !Number.isSafeInteger(k)) throw metricError(`the cut-off in "${part}" must be at least 1`);
    return { name, k };
  });
}

const metricError = (problem: string): RAGError =>
  new RAGError(
    'USAGE',
    `Metrics are a list such as "${DEFAULT_METRICS}" of ${Object.keys(COMPUTE).join(', ')}: ${problem}.`,
  );

const isMetricName = (name: string): name is MetricName => Object.hasOwn(COMPUTE, name);

/** `ndcg@10`, or `map` where there is no cut-off. */
export const labelOf = ({ name, k }: Metric): string => (k === undefined ? name : `${name}@${k}`);

/**
 * The order in which trec_eval reads a run: by score descending, ties by document id descending in byte order,
 * whatever ranks the run states. Scores are compared in single precision, as trec_eval keeps them.
 */
export function rankAsTrecEval(results: readonly ScoredId[]): string[] {
  return [...results]
    .sort((a, b) => Math.fround(b.score) - Math.fround(a.score) || compareText(b.id, a.id))
    .map(({ id }) => id);
}

/**
 * The value of a metric for one query with at least one relevant document; 0 where nothing was retrieved.
 * A document that comes a second time keeps its place and counts as not relevant.
 */
export function computeMetric(metric: Metric, ranking: readonly string[], judgments: Judgments): number {
  const ideal = [...judgments.values()].filter((grade) => grade > 0).sort((a, b) => b - a);
  if (ideal.length === 0) return 0;
  const k = metric.k ?? Number.POSITIVE_INFINITY;
  return COMPUTE[metric.name]({ grades: gradesOf(ranking, judgments, k), ideal, k });
}

interface RankedGrades {
  /** Grades in rank order down to the cut-off, 0 for not relevant. */
  readonly grades: readonly number[];
  /** Grades of all relevant documents, best first. */
  readonly ideal: readonly number[];
  readonly k: number;
}

const relevantIn = (grades: readonly number[]): number => grades.filter((grade) => grade > 0).length;

const COMPUTE: Readonly<Record<MetricName, (query: RankedGrades) => number>> = {
  ndcg: ({ grades, ideal, k }) => discountedGain(grades) / discountedGain(ideal.slice(0, k)),
  recall: ({ grades, ideal }) => relevantIn(grades) / ideal.length,
  hit: ({ grades }) => (relevantIn(grades) > 0 ? 1 : 0),
  // Over k even where fewer were retrieved, as trec_eval has it.
  precision: ({ grades, k }) => relevantIn(grades) / k,
  mrr: ({ grades }) => 1 / (grades.findIndex((grade) => grade > 0) + 1 || Number.POSITIVE_INFINITY),
  map: ({ grades, ideal }) => sumOfPrecisions(grades) / ideal.length,
};

const discountedGain = (grades: readonly number[]): number =>
  grades.reduce((sum, grade, i) => sum + grade / Math.log2(i + 2), 0);

function sumOfPrecisions(grades: readonly number[]): number {
  let found = 0;
  return grades.reduce((sum, grade, i) => (grade > 0 ? sum + ++found / (i + 1) : sum), 0);
}

function gradesOf(ranking: readonly string[], judgments: Judgments, k: number): number[] {
  const seen = new Set<string>();
  return ranking.slice(0, k).map((id) => {
    if (seen.has(id)) return 0;
    seen.add(id);
    return Math.max(0, judgments.get(id) ?? 0);
  });
}

/** Arithmetic mean; 0 for none. */
export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
