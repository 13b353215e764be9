import { originalText, storableText, textAt } from '../sqlite/row.js';
import type { SqliteDatabase } from '../sqlite/sqlite-database.js';

/** In name order; none in a ledger of a schema that knew no such sources. */
export function rememberedSources(database: SqliteDatabase, tenant: string): string[] {
  const [table] = database.rows("SELECT name FROM sqlite_schema WHERE name = 'remembered_source'");
  if (table === undefined) return [];
  const sql = 'SELECT source FROM remembered_source WHERE tenant = ? ORDER BY source';
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
  database.run(
    'DELETE FROM remembered_source WHERE tenant = ? AND source = ?',
    storableText(tenant),
    storableText(source),
  );
}

/** Names of all sources with items or remembered, in name order. */
export function sourceNames(database: SqliteDatabase, tenant: string): string[] {
  const sql = 'SELECT DISTINCT source FROM item WHERE tenant = ?';
  const held = database.rows(sql, storableText(tenant)).map((row) => originalText(textAt(row, 0)));
  return [...new Set([...held, ...rememberedSources(database, tenant)])].sort();
}
