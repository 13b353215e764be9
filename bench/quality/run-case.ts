import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EvaluationReport } from '../../src/pipelines/evaluate-types.js';
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
  readonly metric: string;
  readonly value: number;
  /** In words; empty where nothing was promised. */
  readonly target: string;
  readonly met: boolean | undefined;
  readonly notes: string;
}

export interface CaseOutcome {
  readonly case: QualityCase;
  readonly report: EvaluationReport;
}

/** Runs the built command line, in a folder without a configuration; vectors are kept between runs. */
export async function runCase(quality: QualityCase): Promise<CaseOutcome> {
  const folder = join(LOCAL_RESULTS, 'quality');
  mkdirSync(folder, { recursive: true });
  const { mode, embedder, args } = quality;
  const { stdout } = await runProcess(
    process.execPath,
    [
      CLI,
      ...['--data', join(folder, 'data'), '--json', '--quiet'],
      ...['eval', ...args, '--mode', mode, '--embedder', embedderArgument(embedder)],
    ],
    { cwd: folder },
  );
  return { case: quality, report: JSON.parse(stdout) as EvaluationReport };
}

/** A row for each metric that the case looks at. */
export function rowsOf({ case: quality, report }: CaseOutcome, all: readonly CaseOutcome[]): QualityRow[] {
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
      metric,
      value,
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
