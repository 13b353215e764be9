import * as z from 'zod';
import { RAGError, systemErrorCode } from '../core/errors.js';
import { nonEmptyText } from '../core/setting-values.js';
import { readNamedFile } from '../platform/security/regular-file.js';
import { primaryMetricOf, type QueryScores } from './query-scores.js';

/** An evaluation kept for later ones to be held against: values of single queries, so that tests can be paired. */
export interface Baseline {
  readonly dataset: string;
  readonly split: string;
  /** The metric that decides. */
  readonly metric: string;
  readonly scores: QueryScores;
}

const FORMAT = 'ragstone-baseline-1';

/** Values are kept to this many digits: enough for any test, few enough for a readable difference between two files. */
const DIGITS = 6;

const SCHEMA = z.object({
  format: z.literal(FORMAT),
  dataset: z.string(),
  split: z.string(),
  metric: nonEmptyText(),
  settings: z.unknown(),
  queries: z
    .array(
      z.object({
        id: nonEmptyText(),
        text: z.string(),
        values: z.record(z.string(), z.number()),
      }),
    )
    .min(1),
});

export interface BaselineParts {
  readonly dataset: string;
  readonly split: string;
  /** What the values were measured with, for people who compare two files. */
  readonly settings: unknown;
  readonly scores: QueryScores;
  /** The metric that decides. @default `primaryMetricOf` */
  readonly metric?: string;
}

/** A baseline as JSON, one query a line, so that version control shows which queries changed. */
export function formatBaseline({ dataset, split, settings, scores, metric }: BaselineParts): string {
  const labels = Object.keys(scores.values);
  const head = { format: FORMAT, dataset, split, metric: metric ?? primaryMetricOf(labels), settings };
  const lines = scores.queries.map(({ id, text }, i) => {
    const values = Object.fromEntries(
      labels.map((label) => [label, Number((scores.values[label]?.[i] ?? 0).toFixed(DIGITS))]),
    );
    return `    ${JSON.stringify({ id, text, values })}`;
  });
  const start = JSON.stringify(head, null, 2).replace(/\n}$/, '');
  return `${start},\n  "queries": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

/**
 * Reads a baseline.
 *
 * @throws RAGError `DATASET_INVALID` where the file is missing, is not a baseline, or lacks a value.
 */
export async function readBaseline(file: string): Promise<Baseline> {
  const { dataset, split, metric, queries } = parse(await readText(file), file);
  const labels = Object.keys(queries[0]?.values ?? {});
  const column = (label: string): number[] =>
    queries.map(({ id, values }) => {
      const value = values[label];
      if (value === undefined) throw invalid(file, `query ${JSON.stringify(id)} has no value of ${label}`);
      return value;
    });
  return {
    dataset,
    split,
    metric,
    scores: {
      queries: queries.map(({ id, text }) => ({ id, text })),
      values: Object.fromEntries(labels.map((label) => [label, column(label)])),
    },
  };
}

async function readText(file: string): Promise<string> {
  try {
    return (await readNamedFile(file)).toString('utf8');
  } catch (cause) {
    const code = systemErrorCode(cause);
    throw new RAGError(
      'DATASET_INVALID',
      `The baseline ${file} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? 'unknown error'})`}. Write one with \`ragstone eval DATASET --write-baseline ${file}\`.`,
      { cause, details: { file } },
    );
  }
}

function parse(text: string, file: string): z.output<typeof SCHEMA> {
  try {
    return SCHEMA.parse(JSON.parse(text));
  } catch (cause) {
    const problem =
      cause instanceof z.ZodError ? z.prettifyError(cause).replaceAll('\n', ' ') : 'it is not JSON';
    throw invalid(file, problem, cause);
  }
}

const invalid = (file: string, problem: string, cause?: unknown): RAGError =>
  new RAGError(
    'DATASET_INVALID',
    `${file} is not a baseline of this version: ${problem}. Write it again with --write-baseline.`,
    { cause, details: { file } },
  );
