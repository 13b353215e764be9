import { text, textAt } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import { originalText, storableText } from '../ledger-text.js';

/** In name order. */
export function rememberedSources(database: SqliteDatabase, tenant: string): string[] {
  const sql = `SELECT ${text('source')} FROM remembered_source WHERE tenant = ? ORDER BY source`;
  return database.rows(sql, storableText(tenant)).map((row) => originalText(textAt(row, 0)));
}

export function rememberSource(database: SqliteDatabase, tenant: string, source: string): void {
  database.run(
    'INSERT OR IGNORE INTO remembered_source (tenant, source) VALUES (?, ?)',
    storableText(tenant),
    storableText(source),
  );
}

export function forgetRememberedSource(database: SqliteDatabase, tenant: string, source: string): void {
  for (const table of ['remembered_source', 'source_root'])
    database.run(
      `DELETE FROM ${table} WHERE tenant = ? AND source = ?`,
      storableText(tenant),
      storableText(source),
    );
}

export function sourceOwners(database: SqliteDatabase, tenant: string): Map<string, string[]> {
  const sql = `SELECT ${text('source')}, ${text('owner')} FROM source_owner WHERE tenant = ? ORDER BY source, owner`;
  const owners = new Map<string, string[]>();
  for (const row of database.rows(sql, storableText(tenant))) {
    const source = originalText(textAt(row, 0));
    owners.set(source, [...(owners.get(source) ?? []), originalText(textAt(row, 1))]);
  }
  return owners;
}

export function ownSources(
  database: SqliteDatabase,
  tenant: string,
  { owner, sources }: { readonly owner: string; readonly sources: readonly string[] },
): void {
  const names = [storableText(tenant), storableText(owner)] as const;
  database.run('DELETE FROM source_owner WHERE tenant = ? AND owner = ?', ...names);
  for (const source of new Set(sources))
    database.run(
      'INSERT INTO source_owner (tenant, owner, source) VALUES (?, ?, ?)',
      ...names,
      storableText(source),
    );
}

export function sourceRoots(database: SqliteDatabase, tenant: string): Map<string, string> {
  const sql = `SELECT ${text('source')}, ${text('root')} FROM source_root WHERE tenant = ?`;
  const rows = database.rows(sql, storableText(tenant));
  return new Map(rows.map((row) => [originalText(textAt(row, 0)), originalText(textAt(row, 1))]));
}

export function recordSourceRoots(
  database: SqliteDatabase,
  tenant: string,
  roots: ReadonlyMap<string, string>,
): void {
  for (const [source, root] of roots)
    database.run(
      'INSERT OR REPLACE INTO source_root (tenant, source, root) VALUES (?, ?, ?)',
      storableText(tenant),
      storableText(source),
      storableText(root),
    );
}
