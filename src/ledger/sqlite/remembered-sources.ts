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
  database.run(
    'DELETE FROM remembered_source WHERE tenant = ? AND source = ?',
    storableText(tenant),
    storableText(source),
  );
}
