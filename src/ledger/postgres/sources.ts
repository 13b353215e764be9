import type { PostgresDatabase } from '../../postgres/postgres-database.js';
import { storableText } from '../ledger-text.js';
import { sourceKeyOf } from './items.js';
import { inLockOrder } from './leases.js';
import { textOf } from './row.js';

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
