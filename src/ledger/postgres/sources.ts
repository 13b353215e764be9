import type { PostgresDatabase } from '../../postgres/postgres-database.js';
import { storableText } from '../ledger-text.js';
import type { SourceState } from '../source-state.js';
import type { Books } from './books.js';
import { sourceKeyOf } from './items.js';
import { generationLost, inLockOrder } from './leases.js';
import { textOf } from './row.js';

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
