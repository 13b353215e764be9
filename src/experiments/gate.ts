import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RAGError } from '../core/errors.js';
import { withoutUndefined } from '../core/without-undefined.js';
import { type Baseline, formatBaseline, readBaseline } from '../evaluation/baseline.js';
import { type GateOptions, type GateVerdict, judgeAgainst } from '../evaluation/gate.js';
import { labelOf, parseMetrics } from '../evaluation/metrics.js';
import { valuesOf } from '../evaluation/query-scores.js';
import { measure } from './evaluate.js';
import type { EvaluateOptions, EvaluationReport } from './experiment-types.js';

/** Which baseline is held against, and how strictly. */
export interface GateEvaluationOptions extends EvaluateOptions, Omit<GateOptions, 'metric'> {
  /** A file that `writeBaseline` made. Relative to `cwd`. */
  readonly baseline: string;
  /** The metric that decides. @default the baseline's */
  readonly gateMetric?: string;
}

/** An evaluation and whether it may pass. */
export interface GatedReport extends EvaluationReport {
  readonly gate: GateVerdict;
}

/**
 * Measures, and holds the result against a baseline: CI for knowledge. Without `metrics` every metric that both have is told.
 *
 * @throws RAGError `USAGE` where the baseline lacks one of `metrics`, or the metric that decides is not among them.
 */
export async function evaluateAgainst(options: GateEvaluationOptions): Promise<GatedReport> {
  const { baseline: file, alpha, maxDrop, gateMetric, cwd = '.' } = options;
  const baseline = await readBaseline(resolve(cwd, file));
  assertComparable(baseline, options);
  const { report, scores } = await measure(options);
  const gate = judgeAgainst(baseline, scores, withoutUndefined({ alpha, maxDrop, metric: gateMetric }));
  return { ...report, gate, notices: [...report.notices, ...otherSetNotice(baseline, report)] };
}

/** Refuses, before anything is measured, metrics that the gate would leave out or could not decide by. */
function assertComparable(
  { metric, scores }: Baseline,
  { metrics, gateMetric = metric }: GateEvaluationOptions,
): void {
  const held = Object.keys(scores.values);
  const measured = metrics === undefined ? held : parseMetrics(metrics).map(labelOf);
  const missing = measured.filter((label) => !held.includes(label));
  if (missing.length > 0)
    throw new RAGError(
      'USAGE',
      `The baseline holds no ${missing.join(', ')}; it holds ${held.join(', ')}. Leave them out of the metrics, or write the baseline again with these metrics.`,
    );
  if (!measured.includes(gateMetric))
    throw new RAGError(
      'USAGE',
      `The gate decides by ${gateMetric}, which would not be measured. Name another one of ${measured.join(', ')} (--gate-metric), or add it to the metrics.`,
    );
}

function otherSetNotice(
  baseline: { readonly dataset: string; readonly split: string },
  { dataset, split }: EvaluationReport,
): string[] {
  if (baseline.dataset === dataset && baseline.split === split) return [];
  return [
    `The baseline is of "${baseline.dataset}, ${baseline.split}", this evaluation of "${dataset}, ${split}".`,
  ];
}

/** Where a baseline is written. */
export interface WriteBaselineOptions extends EvaluateOptions {
  /** The file to write, relative to `cwd`; one that is there is replaced. */
  readonly baseline: string;
  /** The metric that decides later. @default nDCG@10 of a data set, hit@5 of a question set, else the first measured */
  readonly gateMetric?: string;
}

/** Measures, and keeps the values of every query in a file that a later evaluation can be held against. */
export async function writeBaseline({
  baseline,
  gateMetric,
  ...options
}: WriteBaselineOptions): Promise<EvaluationReport> {
  const { report, scores } = await measure(options);
  if (gateMetric !== undefined) valuesOf(scores, gateMetric);
  const { dataset, split, config: settings } = report;
  const text = formatBaseline({
    dataset,
    split,
    settings,
    scores,
    ...withoutUndefined({ metric: gateMetric }),
  });
  await writeFile(resolve(options.cwd ?? '.', baseline), text);
  return report;
}
