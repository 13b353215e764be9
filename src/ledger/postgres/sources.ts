import type { PostgresDatabase } from '../../postgres/postgres-database.js';
import type { SqlRow } from '../../postgres/postgres-session.js';
import type { SourceState, SourceSummary } from '../ledger.js';
import { originalText, storableText } from '../ledger-text.js';
import type { Books } from './books.js';
import { STATUSES, sourceKeyOf } from './items.js';
import { generationLost, inLockOrder } from './leases.js';
import { numberOf, storedTextOf, textOf } from './row.js';

/** Cursor of a source's last complete run. */
export async function findCursor(
  { database, generation }: Books,
  tenant: string,
  source: string,
): Promise<string | undefined> {
  const [row] = await database.rows(
    'SELECT cursor FROM ragstone_ledger_source_cursor WHERE generation = $1 AND source_key = $2',
    [generation, sourceKeyOf(tenant, source)],
    { action: 'read the cursor of a source' },
  );
  return row === undefined ? undefined : textOf(row, 'cursor');
}

export async function recordCursor(
  { database, generation }: Books,
  { tenant, source, cursor }: { readonly tenant: string; readonly source: string; readonly cursor: string },
): Promise<void> {
  const { count } = await database.query(
    `INSERT INTO ragstone_ledger_source_cursor (generation, source_key, cursor)
     SELECT generation, $2, $3 FROM ragstone_ledger_generation WHERE generation = $1 FOR KEY SHARE
     ON CONFLICT (generation, source_key) DO UPDATE SET cursor = EXCLUDED.cursor`,
    [generation, sourceKeyOf(tenant, source), storableText(cursor)],
    { action: 'record the cursor of a source' },
  );
  if (count === 0) throw generationLost(generation);
}

export async function sourceStates(
  { database, generation }: Books,
  tenant: string,
): Promise<Map<string, SourceState>> {
  const rows = await database.rows(
    'SELECT source, state FROM ragstone_ledger_source_state WHERE generation = $1 AND tenant = $2 ORDER BY source',
    [generation, storableText(tenant)],
    { action: 'read how its sources are' },
  );
  return new Map(
    rows.map((row) => [textOf(row, 'source'), JSON.parse(storedTextOf(row, 'state')) as SourceState]),
  );
}

export async function recordSourceState(
  { database, generation }: Books,
  {
    tenant,
    source,
    state,
  }: { readonly tenant: string; readonly source: string; readonly state: SourceState },
): Promise<void> {
  const { count } = await database.query(
    `INSERT INTO ragstone_ledger_source_state (generation, source_key, tenant, source, state)
     SELECT generation, $2, $3, $4, $5 FROM ragstone_ledger_generation WHERE generation = $1 FOR KEY SHARE
     ON CONFLICT (generation, source_key) DO UPDATE SET state = EXCLUDED.state`,
    [
      generation,
      sourceKeyOf(tenant, source),
      storableText(tenant),
      storableText(source),
      JSON.stringify(state),
    ],
    { action: 'record how a source is' },
  );
  if (count === 0) throw generationLost(generation);
}

/** See `GenerationWriter.forgetSource`. */
export async function forgetSource(
  { database, generation }: Books,
  tenant: string,
  source: string,
): Promise<void> {
  await database.query(
    `WITH cursors AS (
       DELETE FROM ragstone_ledger_source_cursor WHERE generation = $1 AND source_key = $2
     )
     DELETE FROM ragstone_ledger_source_state WHERE generation = $1 AND source_key = $2`,
    [generation, sourceKeyOf(tenant, source)],
    { action: 'forget a source' },
  );
}

/** In name order. */
export async function rememberedSources(database: PostgresDatabase, tenant: string): Promise<string[]> {
  const sql = 'SELECT source FROM ragstone_ledger_remembered_source WHERE tenant = $1 ORDER BY source';
  const rows = await database.rows(sql, [storableText(tenant)], { action: 'list its remembered sources' });
  return rows.map((row) => textOf(row, 'source'));
}

export async function rememberSources(
  database: PostgresDatabase,
  tenant: string,
  sources: readonly string[],
): Promise<void> {
  await database.query(
    `INSERT INTO ragstone_ledger_remembered_source (source_key, tenant, source)
     SELECT source_key, $2, source FROM unnest($1::bytea[], $3::text[]) AS named (source_key, source) ORDER BY source_key
     ON CONFLICT DO NOTHING`,
    [
      sources.map((source) => sourceKeyOf(tenant, source)),
      storableText(tenant),
      sources.map((source) => storableText(source)),
    ],
    { action: 'remember sources' },
  );
}

export async function forgetRememberedSources(
  database: PostgresDatabase,
  tenant: string,
  sources: readonly string[],
): Promise<void> {
  await database.query(
    'DELETE FROM ragstone_ledger_remembered_source WHERE source_key = ANY($1::bytea[])',
    [inLockOrder(sources.map((source) => sourceKeyOf(tenant, source)))],
    { action: 'forget remembered sources' },
  );
}

export async function sourceOwners(
  database: PostgresDatabase,
  tenant: string,
): Promise<Map<string, string[]>> {
  const sql =
    'SELECT source, owner FROM ragstone_ledger_source_owner WHERE tenant = $1 ORDER BY source, owner';
  const rows = await database.rows(sql, [storableText(tenant)], { action: 'list who indexes its sources' });
  const owners = new Map<string, string[]>();
  for (const row of rows) {
    const source = textOf(row, 'source');
    owners.set(source, [...(owners.get(source) ?? []), textOf(row, 'owner')]);
  }
  return owners;
}

export async function ownSources(
  database: PostgresDatabase,
  tenant: string,
  { owner, sources }: { readonly owner: string; readonly sources: readonly string[] },
): Promise<void> {
  const names = [...new Set(sources)];
  await database.query(
    `WITH given_up AS (
       DELETE FROM ragstone_ledger_source_owner WHERE owner_key = $1 AND source_key <> ALL($4::bytea[])
     )
     INSERT INTO ragstone_ledger_source_owner (owner_key, source_key, tenant, source, owner)
     SELECT $1, source_key, $2, source, $3 FROM unnest($4::bytea[], $5::text[]) AS named (source_key, source)
     ORDER BY source_key ON CONFLICT DO NOTHING`,
    [
      sourceKeyOf(tenant, owner),
      storableText(tenant),
      storableText(owner),
      names.map((source) => sourceKeyOf(tenant, source)),
      names.map(storableText),
    ],
    { action: 'record who indexes its sources' },
  );
}

/** Shown for a source of which no document was ever planned. */
const UNKNOWN_SOURCE_TYPE = 'unknown';

/** Counts per source, in tenant and source order. */
export async function summarizeSources({ database, generation }: Books): Promise<SourceSummary[]> {
  const counts = STATUSES.map((status) => `count(*) FILTER (WHERE status = '${status}') AS ${status}`);
  const rows = await database.rows(
    `WITH items AS (
       SELECT source_key, min(tenant) AS tenant, min(source) AS source, count(error) AS failed_items
       FROM ragstone_ledger_item WHERE generation = $1 GROUP BY source_key
     ), documents AS (
       SELECT source_key, min(tenant) AS tenant, min(source) AS source, max(source_type) AS source_type,
         ${counts.join(', ')}
       FROM ragstone_ledger_document WHERE generation = $1 GROUP BY source_key
     ), chunks AS (
       SELECT source_key, count(*) AS chunks FROM ragstone_ledger_chunk JOIN ragstone_ledger_document ON id = document
       WHERE ragstone_ledger_chunk.generation = $1 AND state <> 2 GROUP BY source_key
     ), redactions AS (
       SELECT source_key, json_object_agg(key, total) AS redactions
       FROM (SELECT source_key, entry.key, sum(entry.value::bigint) AS total
         FROM ragstone_ledger_document, jsonb_each_text(redactions) AS entry
         WHERE generation = $1 GROUP BY source_key, entry.key) AS totals
       GROUP BY source_key
     )
     SELECT coalesce(items.tenant, documents.tenant) AS tenant, coalesce(items.source, documents.source) AS source,
       coalesce(failed_items, 0) AS failed_items, source_type, coalesce(chunks, 0) AS chunks, redactions,
       ${STATUSES.map((status) => `coalesce(${status}, 0) AS ${status}`).join(', ')}
     FROM items FULL JOIN documents USING (source_key) LEFT JOIN chunks USING (source_key)
       LEFT JOIN redactions USING (source_key)
     ORDER BY 1, 2`,
    [generation],
    { action: 'count what it holds' },
  );
  return rows.map(readSummary);
}

function readSummary(row: SqlRow): SourceSummary {
  const { redactions } = row;
  return {
    tenant: textOf(row, 'tenant'),
    source: textOf(row, 'source'),
    sourceType: row.source_type === null ? UNKNOWN_SOURCE_TYPE : textOf(row, 'source_type'),
    documents: {
      pending: numberOf(row, 'pending'),
      indexed: numberOf(row, 'indexed'),
      failed: numberOf(row, 'failed'),
      outdated: numberOf(row, 'outdated'),
    },
    failedItems: numberOf(row, 'failed_items'),
    chunks: numberOf(row, 'chunks'),
    ...(typeof redactions === 'object' && redactions !== null
      ? {
          redactions: Object.fromEntries(
            Object.entries(redactions).map(([k, v]) => [originalText(k), Number(v)]),
          ),
        }
      : {}),
  };
}
