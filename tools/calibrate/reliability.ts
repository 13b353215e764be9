import { mean } from '../../src/evaluation/metrics.js';
import { calibrate, type ScoreCalibration } from '../../src/retrieval/calibration/calibration.js';
import type { ObservedList } from './observe.js';

export interface ReliabilityBin {
  /** Mean stated score. */
  readonly stated: number;
  /** Share that was relevant. */
  readonly observed: number;
  readonly count: number;
}

export interface Reliability {
  readonly bins: readonly ReliabilityBin[];
  /** Expected calibration error: mean distance of stated and observed over all candidates (ten bins of equal width). */
  readonly error: number;
  /** The same over the first candidate of each query alone, where a threshold bites. */
  readonly firstError: number;
  /** Mean squared distance of score and relevance. */
  readonly brier: number;
  readonly count: number;
}

/** Compares the scores that would be shown with what is relevant. */
export function reliabilityOf(lists: readonly ObservedList[], calibration: ScoreCalibration): Reliability {
  const pairs = lists.flatMap(({ candidates, isRelevant, context }) =>
    calibrate(candidates, { calibration, context, scoring: 'fitted' }).map(({ probability = 0 }, i) => ({
      score: probability,
      label: Number(isRelevant[i] ?? false),
      isFirst: i === 0,
    })),
  );
  const bins = binsOf(pairs);
  return {
    bins,
    error: errorOf(bins),
    firstError: errorOf(binsOf(pairs.filter(({ isFirst }) => isFirst))),
    brier: mean(pairs.map(({ score, label }) => (score - label) ** 2)),
    count: pairs.length,
  };
}

interface Pair {
  readonly score: number;
  /** 1 where relevant. */
  readonly label: number;
}

const BINS = 10;

function binsOf(pairs: readonly Pair[]): ReliabilityBin[] {
  const members = Array.from({ length: BINS }, (): Pair[] => []);
  for (const pair of pairs) members[Math.min(BINS - 1, Math.floor(pair.score * BINS))]?.push(pair);
  return members
    .filter((bin) => bin.length > 0)
    .map((bin) => ({
      stated: mean(bin.map(({ score }) => score)),
      observed: mean(bin.map(({ label }) => label)),
      count: bin.length,
    }));
}

function errorOf(bins: readonly ReliabilityBin[]): number {
  const count = bins.reduce((sum, bin) => sum + bin.count, 0);
  return (
    bins.reduce((sum, bin) => sum + Math.abs(bin.stated - bin.observed) * bin.count, 0) / Math.max(1, count)
  );
}
