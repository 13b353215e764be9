import { originalText, storableText, textAt } from '../sqlite/row.js';
import type { SqliteDatabase } from '../sqlite/sqlite-database.js';

/** Cursor of a source's last complete run. */
export function findCursor(database: SqliteDatabase, tenant: string, source: string): string | undefined {
  const row = database.row(
    'SELECT cursor FROM source_cursor WHERE tenant = ? AND source = ?',
    storableText(tenant),
    storableText(source),
  );
  return row === undefined ? undefined : originalText(textAt(row, 0));
}

export function recordCursor(
  database: SqliteDatabase,
  { tenant, source, cursor }: { readonly tenant: string; readonly source: string; readonly cursor: string },
): void {
  database.run(
    'INSERT OR REPLACE INTO source_cursor (tenant, source, cursor) VALUES (?, ?, ?)',
    storableText(tenant),
    storableText(source),
    storableText(cursor),
  );
}
