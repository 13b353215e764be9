import { numberAt, optionalTextAt, type SqlRow, text, textAt } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import type { DocumentStatus, RunRecord, SourceSummary } from '../ledger.js';
import { originalText } from '../ledger-text.js';
import type { Books } from './books.js';
import { readStatus } from './items.js';

/** Shown for a source of which no document was ever planned. */
const UNKNOWN_SOURCE_TYPE = 'unknown';

interface Tally {
  readonly tenant: string;
  readonly source: string;
  sourceType: string;
  documents: Record<DocumentStatus, number>;
  failedItems: number;
  chunks: number;
  redactions?: Record<string, number>;
}

/** Counts per source, in tenant and source order. */
export function summarizeSources({ database, generation }: Books): SourceSummary[] {
  const tallies = new Map<string, Tally>();
  const tallyFor = (row: SqlRow): Tally =>
    tallyOf(tallies, originalText(textAt(row, 0)), originalText(textAt(row, 1)));
  const items = database.rows(
    `SELECT ${text('tenant')}, ${text('source')}, count(error) FROM item WHERE generation = ?
     GROUP BY tenant, source ORDER BY tenant, source`,
    generation,
  );
  for (const row of items) tallyFor(row).failedItems = numberAt(row, 2);
  const documents = database.rows(
    `SELECT ${text('tenant')}, ${text('source')}, ${text('status')}, count(*), ${text('max(source_type)')} FROM document
     WHERE generation = ? GROUP BY tenant, source, status`,
    generation,
  );
  for (const row of documents) {
    const tally = tallyFor(row);
    tally.documents[readStatus(row, 2)] = numberAt(row, 3);
    tally.sourceType = originalText(textAt(row, 4));
  }
  const chunks = database.rows(
    `SELECT ${text('tenant')}, ${text('source')}, count(*) FROM chunk JOIN document ON document.id = chunk.document
     WHERE chunk.generation = ? AND state <> 2 GROUP BY tenant, source`,
    generation,
  );
  for (const row of chunks) tallyFor(row).chunks = numberAt(row, 2);
  const redactions = database.rows(
    `SELECT ${text('tenant')}, ${text('source')}, ${text('entry.key')}, sum(entry.value)
     FROM document, json_each(metadata, '$.redactions') AS entry
     WHERE generation = ? AND json_type(metadata, '$.redactions') = 'object' AND entry.type = 'integer'
     GROUP BY tenant, source, entry.key`,
    generation,
  );
  for (const row of redactions) {
    const tally = tallyFor(row);
    tally.redactions = { ...tally.redactions, [textAt(row, 2)]: numberAt(row, 3) };
  }
  return [...tallies.values()];
}

function tallyOf(tallies: Map<string, Tally>, tenant: string, source: string): Tally {
  const key = JSON.stringify([tenant, source]);
  const known = tallies.get(key);
  if (known !== undefined) return known;
  const documents = { pending: 0, indexed: 0, failed: 0, outdated: 0 };
  const tally = { tenant, source, sourceType: UNKNOWN_SOURCE_TYPE, documents, failedItems: 0, chunks: 0 };
  tallies.set(key, tally);
  return tally;
}

/** The run that was started last, finished or not. */
export function findLastRun(database: SqliteDatabase): RunRecord | undefined {
  const row = database.row(
    `SELECT run_id, ${text('command')}, ${text('started_at')}, ${text('finished_at')}, success, ${text('stats')} FROM run
     ORDER BY run_id DESC LIMIT 1`,
  );
  if (row === undefined) return undefined;
  const finishedAt = optionalTextAt(row, 3);
  const stats = optionalTextAt(row, 5);
  return {
    runId: numberAt(row, 0),
    command: originalText(textAt(row, 1)),
    startedAt: textAt(row, 2),
    ...(finishedAt === undefined ? {} : { finishedAt, success: numberAt(row, 4) === 1 }),
    ...(stats === undefined ? {} : { stats }),
  };
}
