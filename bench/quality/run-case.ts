import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readBaseline } from '../../src/evaluation/baseline.js';
import { bootstrapInterval } from '../../src/evaluation/paired-test.js';
import type { EvaluationReport } from '../../src/experiments/experiment-types.js';
import { CLI, LOCAL_RESULTS } from '../shared/places.js';
import { runProcess } from '../shared/run-process.js';
import { embedderArgument, type QualityCase, type Target } from './cases.js';

/** One figure, as the table shows it. */
export interface QualityRow {
  readonly dataset: string;
  readonly split: string;
  readonly queries: number;
  readonly mode: string;
  readonly embedder: string;
  readonly rerank: string;
  readonly metric: string;
  readonly value: number;
  /** 95 % bootstrap interval over the queries. */
  readonly low: number;
  readonly high: number;
  /** In words; empty where nothing was promised. */
  readonly target: string;
  readonly met: boolean | undefined;
  readonly notes: string;
}

export interface CaseOutcome {
  readonly case: QualityCase;
  readonly report: EvaluationReport;
  /** 95 % bootstrap intervals by label. */
  readonly intervals: ReadonlyMap<string, { readonly low: number; readonly high: number }>;
}

/** Runs the built command line, in a folder without a configuration; vectors are kept between runs. */
export async function runCase(quality: QualityCase): Promise<CaseOutcome> {
  const folder = join(LOCAL_RESULTS, 'quality');
  mkdirSync(folder, { recursive: true });
  const { mode, embedder, rerank, args } = quality;
  const baseline = join(folder, 'values.json');
  const { stdout } = await runProcess(
    process.execPath,
    [
      CLI,
      ...['--data', join(folder, 'data'), '--json', '--quiet'],
      ...['eval', ...args, '--mode', mode, '--embedder', embedderArgument(embedder)],
      ...['--rerank', rerank, '--write-baseline', baseline],
    ],
    { cwd: folder },
  );
  const { scores } = await readBaseline(baseline);
  const intervals = new Map(
    Object.entries(scores.values).map(([label, values]) => [
      label,
      // The interval of a mean is that of its difference from nothing.
      bootstrapInterval(new Array<number>(values.length).fill(0), values),
    ]),
  );
  return { case: quality, report: JSON.parse(stdout) as EvaluationReport, intervals };
}

/** A row for each metric that the case looks at. */
export function rowsOf(
  { case: quality, report, intervals }: CaseOutcome,
  all: readonly CaseOutcome[],
): QualityRow[] {
  return Object.entries(quality.metrics).map(([metric, target]) => {
    const value = report.metrics[metric];
    if (value === undefined) throw new Error(`"ragstone eval" reports no ${metric} for ${quality.dataset}.`);
    const bounds = target === undefined ? undefined : boundsOf(target, metric, { quality, all });
    return {
      dataset: quality.dataset,
      split: report.split,
      queries: report.queries,
      mode: quality.mode,
      embedder: quality.embedder,
      rerank: quality.rerank,
      metric,
      value,
      ...(intervals.get(metric) ?? { low: value, high: value }),
      target: bounds?.words ?? '',
      met: bounds === undefined ? undefined : value >= bounds.lowest && value <= bounds.highest,
      notes: quality.notes,
    };
  });
}

interface Bounds {
  readonly lowest: number;
  readonly highest: number;
  readonly words: string;
}

function boundsOf(
  { atLeast, atMost, notBelow }: Target,
  metric: string,
  { quality, all }: { quality: QualityCase; all: readonly CaseOutcome[] },
): Bounds {
  const other = all.find(
    (outcome) =>
      outcome.case.dataset === quality.dataset &&
      outcome.case.mode === notBelow &&
      outcome.case.embedder === quality.embedder,
  );
  const lowest = other?.report.metrics[metric] ?? atLeast ?? 0;
  const highest = atMost ?? 1;
  const words = notBelow === undefined ? `>= ${shown(lowest)}` : `>= ${notBelow}, ${shown(lowest)}`;
  return { lowest, highest, words: atMost === undefined ? words : `${shown(lowest)} to ${shown(highest)}` };
}

/** Three decimals without the leading zero, as the field writes them. */
export const shown = (value: number): string => value.toFixed(3).replace(/^0\./, '.');
