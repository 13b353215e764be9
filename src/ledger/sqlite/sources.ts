import { text, textAt } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import { originalText, storableText } from '../ledger-text.js';

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
