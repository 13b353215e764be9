import { RAGError } from '../../src/core/errors.js';
import { mean } from '../../src/evaluation/metrics.js';

/** Ranks from 1, ascending; equal values share the mean of theirs. */
export function ranksOf(values: readonly number[]): number[] {
  const order = values.map((value, index) => ({ value, index })).sort((a, b) => a.value - b.value);
  const ranks = new Array<number>(values.length).fill(0);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && order[to]?.value === order[from]?.value) to += 1;
    for (const { index } of order.slice(from, to)) ranks[index] = (from + to + 1) / 2;
    from = to;
  }
  return ranks;
}

/**
 * Area under the ROC curve: how often a positive scores above a negative, ties counting one half (Hanley and McNeil 1982).
 *
 * @throws RAGError `USAGE` where one of the two is empty.
 */
export function areaUnderRoc(positives: readonly number[], negatives: readonly number[]): number {
  if (positives.length === 0 || negatives.length === 0)
    throw new RAGError('USAGE', 'An area under the ROC curve needs positives and negatives.');
  const ranks = ranksOf([...positives, ...negatives]);
  const sum = ranks.slice(0, positives.length).reduce((total, rank) => total + rank, 0);
  const count = positives.length;
  return (sum - (count * (count + 1)) / 2) / (count * negatives.length);
}

/** Spearman's rank correlation, with ties; 0 where one side does not vary. */
export function spearman(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length || a.length === 0)
    throw new RAGError('USAGE', 'A rank correlation needs two values for each case.');
  return pearson(ranksOf(a), ranksOf(b));
}

function pearson(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [mean(a), mean(b)];
  let covariance = 0;
  let varianceA = 0;
  let varianceB = 0;
  a.forEach((value, i) => {
    const [da, db] = [value - meanA, (b[i] ?? 0) - meanB];
    covariance += da * db;
    varianceA += da * da;
    varianceB += db * db;
  });
  return varianceA === 0 || varianceB === 0 ? 0 : covariance / Math.sqrt(varianceA * varianceB);
}

/** A question that was answered or could have been withheld. */
export interface Decision {
  readonly confidence: number;
  readonly isRight: boolean;
}

export interface RiskCoveragePoint {
  /** Share of questions that are answered. */
  readonly coverage: number;
  /** Share of the answers given that are wrong. */
  readonly risk: number;
  /** Confidence from which on is answered. */
  readonly threshold: number;
}

/** The most confident answered first: share answered against share wrong (El-Yaniv and Wiener 2010). Equal confidences go together. */
export function riskCoverage(decisions: readonly Decision[]): RiskCoveragePoint[] {
  const sorted = [...decisions].sort((a, b) => b.confidence - a.confidence);
  const points: RiskCoveragePoint[] = [];
  let wrong = 0;
  sorted.forEach(({ confidence, isRight }, index) => {
    if (!isRight) wrong += 1;
    if (sorted[index + 1]?.confidence === confidence) return;
    const answered = index + 1;
    points.push({ coverage: answered / sorted.length, risk: wrong / answered, threshold: confidence });
  });
  return points;
}

/** Area under the risk-coverage curve: mean risk over all coverages; less is better. */
export function areaUnderRiskCoverage(points: readonly RiskCoveragePoint[]): number {
  let area = 0;
  let before = 0;
  for (const { coverage, risk } of points) {
    area += risk * (coverage - before);
    before = coverage;
  }
  return area;
}
