import { RAGError } from '../core/errors.js';
import type { ScoredId } from './metrics.js';

/** Results by query id, as a TREC run file holds them. */
export type TrecRun = ReadonlyMap<string, readonly ScoredId[]>;

/**
 * A run in the six columns of TREC: `query Q0 document rank score tag`. Ranks start at 1 and are for people;
 * trec_eval orders by score.
 *
 * @throws RAGError `DATASET_INVALID` where an id or the tag holds white space or is empty: the format has no escape.
 */
export function formatTrecRun(run: TrecRun, tag: string): string {
  const lines = [...run].flatMap(([query, results]) =>
    results.map(({ id, score }, i) =>
      [column(query, 'query id'), 'Q0', column(id, 'document id'), i + 1, score, column(tag, 'tag')].join(
        ' ',
      ),
    ),
  );
  return lines.map((line) => `${line}\n`).join('');
}

function column(value: string, what: string): string {
  if (/^\S+$/.test(value)) return value;
  throw new RAGError(
    'DATASET_INVALID',
    `The ${what} ${JSON.stringify(value)} is empty or holds white space, which a TREC run file cannot carry. Rename it, or leave --run out.`,
    { details: { what } },
  );
}

/**
 * Reads a run file, results in the order of the file.
 *
 * @throws RAGError `DATASET_INVALID` naming the line.
 */
export function parseTrecRun(text: string): TrecRun {
  const run = new Map<string, ScoredId[]>();
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [query, , id, , score, ...rest] = line.trim().split(/\s+/);
    const value = Number(score);
    if (query === undefined || id === undefined || rest.length !== 1 || Number.isNaN(value)) {
      throw new RAGError(
        'DATASET_INVALID',
        `Line ${i + 1} of the run file must have six columns: query, Q0, document, rank, score (a number), tag.`,
        { details: { line: i + 1 } },
      );
    }
    const results = run.get(query) ?? [];
    results.push({ id, score: value });
    run.set(query, results);
  }
  return run;
}
