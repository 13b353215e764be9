import { RAGError } from '../core/errors.js';
import type { Baseline } from './baseline.js';
import { compareScores, type MetricComparison, type QueryChange } from './compare-scores.js';
import type { QueryScores } from './query-scores.js';

export interface GateOptions {
  /** A loss this improbable by chance fails, in (0, 1). @default 0.05 */
  readonly alpha?: number;
  /** A mean lower by more than this fails whatever the test says. @default no such bound */
  readonly maxDrop?: number;
  /** The metric that decides. @default the baseline's */
  readonly metric?: string;
}

/** Whether a change of documents or settings may pass, and everything it changed. */
export interface GateVerdict {
  readonly passed: boolean;
  readonly metric: string;
  readonly alpha: number;
  readonly maxDrop?: number;
  /** Of the metric that decides: how often chance alone loses at least as much. */
  readonly pValueOfLoss: number;
  /** Every metric, `a` the baseline and `b` what is there now. */
  readonly metrics: readonly MetricComparison[];
  /** Queries that lost or gained in the metric that decides, largest change first. */
  readonly worse: readonly QueryChange[];
  readonly better: readonly QueryChange[];
  /** Queries of the baseline that are not asked any more, and new ones: not part of the test. */
  readonly missing: readonly string[];
  readonly added: readonly string[];
  /** Why it failed, or what a person should know although it passed. */
  readonly reasons: readonly string[];
}

/**
 * Holds an evaluation against a baseline with a paired randomisation test over the queries that both have. The test is
 * one-sided, for a gate asks one thing, whether it got worse: the distribution of the mean under random signs is
 * symmetric, so its p-value is half of the two-sided one.
 *
 * @throws RAGError `DATASET_INVALID` where nothing can be compared; `USAGE` for a metric that was not measured.
 */
export function judgeAgainst(
  baseline: Baseline,
  now: QueryScores,
  { alpha = 0.05, maxDrop, metric = baseline.metric }: GateOptions = {},
): GateVerdict {
  const { metrics, changes, onlyA, onlyB } = compareScores(baseline.scores, now);
  const decisive = decisiveOf(metrics, metric);
  const pValueOfLoss = decisive.difference < 0 ? decisive.pValue / 2 : 1 - decisive.pValue / 2;
  const drop = -decisive.difference;
  const isSignificant = decisive.difference < 0 && pValueOfLoss < alpha;
  const isTooLarge = maxDrop !== undefined && drop > maxDrop;
  const changed = changes[metric] ?? [];
  return {
    passed: !isSignificant && !isTooLarge,
    metric,
    alpha,
    ...(maxDrop === undefined ? {} : { maxDrop }),
    pValueOfLoss,
    metrics,
    worse: changed.filter(({ a, b }) => b < a),
    better: changed.filter(({ a, b }) => b > a).reverse(),
    missing: onlyA,
    added: onlyB,
    reasons: [
      ...(isSignificant
        ? [
            `${metric} fell by ${drop.toFixed(4)}; chance alone loses as much with p = ${pValueOfLoss.toFixed(4)}.`,
          ]
        : []),
      ...(isTooLarge ? [`${metric} fell by ${drop.toFixed(4)}, more than ${maxDrop} allows.`] : []),
      ...blindSpots(decisive, { missing: onlyA.length, alpha }),
      ...(!isSignificant && decisive.wins === 0 && decisive.losses > 0
        ? [
            `Lost ${decisive.losses} and won none, yet chance alone does so with p = ${pValueOfLoss.toFixed(4)}; more questions, or --max-drop, would tell.`,
          ]
        : []),
    ],
  };
}

function decisiveOf(metrics: readonly MetricComparison[], label: string): MetricComparison {
  const found = metrics.find(({ metric }) => metric === label);
  if (found !== undefined) return found;
  const known = metrics.map(({ metric }) => metric).join(', ');
  throw new RAGError(
    'USAGE',
    `The metric "${label}" is not in both the baseline and this evaluation. Both have: ${known}.`,
  );
}

/** What the test cannot see. */
function blindSpots(
  { wins, losses, ties }: MetricComparison,
  { missing, alpha }: { missing: number; alpha: number },
): string[] {
  const queries = wins + losses + ties;
  const total = queries + missing;
  // With n losses and no win the p-value of the exact test is 2^-n.
  const needed = Math.floor(Math.log2(1 / alpha)) + 1;
  return [
    ...(missing === 0 ? [] : [`${missing} of ${total} queries of the baseline were not asked.`]),
    ...(queries < needed
      ? [
          `With ${queries} queries no loss can be significant at ${alpha}; use at least ${needed}, or --max-drop.`,
        ]
      : []),
  ];
}
