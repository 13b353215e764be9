import { codeOf } from '../chunk-states.js';
import type { DocumentStatus, SourceSummary } from '../ledger.js';
import { bigint, text, word } from './columns.js';
import { type Program, select } from './program.js';
import { spelled, sql } from './sql.js';
import { readStatus } from './stored-words.js';

/** Shown for a source of which no document was ever planned. */
const UNKNOWN_SOURCE_TYPE = 'unknown';

interface Tally {
  readonly tenant: string;
  readonly source: string;
  sourceType: string;
  readonly documents: Record<DocumentStatus, number>;
  failedItems: number;
  chunks: number;
  redactions?: Record<string, number>;
  unread?: Record<string, number>;
}

const SOURCE = { tenant: text('tenant'), source: text('source') };

/** Counts per source, in tenant and source order. */
export function* summarizeSources(generation: number): Program<SourceSummary[]> {
  const tallies = new Map<string, Tally>();
  const tallyOf = ({ tenant, source }: { readonly tenant: string; readonly source: string }): Tally => {
    const key = JSON.stringify([tenant, source]);
    const documents = { pending: 0, indexed: 0, failed: 0, outdated: 0 };
    const empty = { tenant, source, sourceType: UNKNOWN_SOURCE_TYPE, documents, failedItems: 0, chunks: 0 };
    const tally = tallies.get(key) ?? empty;
    tallies.set(key, tally);
    return tally;
  };
  const items = yield* select(
    { ...SOURCE, failed: bigint('count(error)') },
    sql`FROM @item WHERE generation = ${generation} GROUP BY tenant, source ORDER BY tenant, source`,
  );
  for (const row of items) tallyOf(row).failedItems = row.failed;
  const documents = yield* select(
    { ...SOURCE, status: word('status'), count: bigint('count(*)'), sourceType: text('max(source_type)') },
    sql`FROM @document WHERE generation = ${generation} GROUP BY tenant, source, status`,
  );
  for (const row of documents) {
    tallyOf(row).documents[readStatus(row.status)] = row.count;
    tallyOf(row).sourceType = row.sourceType;
  }
  const chunks = yield* select(
    { ...SOURCE, count: bigint('count(*)') },
    sql`FROM @chunk AS chunks JOIN @document AS documents ON documents.id = chunks.document
      WHERE chunks.generation = ${generation} AND state <> ${codeOf('stale')} GROUP BY tenant, source`,
  );
  for (const row of chunks) tallyOf(row).chunks = row.count;
  const redactions = yield* select(
    { ...SOURCE, type: text('entry.key'), count: bigint('sum(CAST(entry.value AS bigint))') },
    sql`${spelled({
      sqlite: sql`FROM @document, json_each(metadata, '$.redactions') AS entry WHERE generation = ${generation}
        AND json_type(metadata, '$.redactions') = 'object' AND entry.type = 'integer'`,
      postgres: sql`FROM @document, jsonb_each_text(redactions) AS entry WHERE generation = ${generation}`,
    })} GROUP BY tenant, source, entry.key`,
  );
  for (const { type, count, ...row } of redactions)
    tallyOf(row).redactions = { ...tallyOf(row).redactions, [type]: count };
  const unread = yield* select(
    { ...SOURCE, kind: text('entry.key'), count: bigint('sum(CAST(entry.value AS bigint))') },
    sql`${spelled({
      sqlite: sql`FROM @document, json_each(metadata, '$.unread') AS entry WHERE generation = ${generation}
        AND json_type(metadata, '$.unread') = 'object' AND entry.type = 'integer'`,
      // By its form: JSON with a NUL character or half of a surrogate pair in it is none to the server.
      postgres: sql`FROM @document, json_each_text(
        substring(metadata FROM '"unread":(\\{(?:"[a-z ]+":[0-9]{1,15},?)+\\})')::json) AS entry
        WHERE generation = ${generation}`,
    })} GROUP BY tenant, source, entry.key`,
  );
  for (const { kind, count, ...row } of unread)
    tallyOf(row).unread = { ...tallyOf(row).unread, [kind]: count };
  return [...tallies.values()];
}
