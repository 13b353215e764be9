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
