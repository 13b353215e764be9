import type { RAGSettingsInput } from '../config/schema/index.js';
import { compareScores, type ScoreComparison } from '../evaluation/compare-scores.js';
import { measure } from './evaluate.js';
import type { EvaluateOptions, EvaluationReport } from './experiment-types.js';

/** One of two configurations to compare. */
export interface ComparedConfiguration {
  /** How the report names it: a file, `current`, or the settings that differ. */
  readonly name: string;
  /** @default the file of the other options, else the one that is found */
  readonly configFile?: string;
  readonly overrides?: RAGSettingsInput;
}

/** What is compared, on which data. */
export interface CompareOptions extends Omit<EvaluateOptions, 'run'> {
  readonly a: ComparedConfiguration;
  readonly b: ComparedConfiguration;
}

/** Two configurations on the same queries: difference, interval, paired test, and each query that changed. */
export interface ComparisonReport extends ScoreComparison {
  readonly a: EvaluationReport & { readonly name: string };
  readonly b: EvaluationReport & { readonly name: string };
}

/** Measures both configurations on one target, one after the other, and compares them query by query. */
export async function compareConfigurations({ a, b, ...options }: CompareOptions): Promise<ComparisonReport> {
  const first = await measure(optionsOf(a, options));
  const second = await measure(optionsOf(b, options));
  return {
    a: { name: a.name, ...first.report },
    b: { name: b.name, ...second.report },
    ...compareScores(first.scores, second.scores),
  };
}

const optionsOf = (
  { configFile, overrides }: ComparedConfiguration,
  options: EvaluateOptions,
): EvaluateOptions => ({
  ...options,
  ...(configFile === undefined ? {} : { configFile }),
  ...(overrides === undefined ? {} : { overrides }),
});
