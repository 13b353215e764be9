import { text, textAt } from '../../sqlite/row.js';
import { originalText, storableText } from '../ledger-text.js';
import type { Books } from './books.js';

/** Cursor of a source's last complete run. */
export function findCursor(
  { database, generation }: Books,
  tenant: string,
  source: string,
): string | undefined {
  const row = database.row(
    `SELECT ${text('cursor')} FROM source_cursor WHERE generation = ? AND tenant = ? AND source = ?`,
    generation,
    storableText(tenant),
    storableText(source),
  );
  return row === undefined ? undefined : originalText(textAt(row, 0));
}

export function recordCursor(
  { database, generation }: Books,
  { tenant, source, cursor }: { readonly tenant: string; readonly source: string; readonly cursor: string },
): void {
  database.run(
    'INSERT OR REPLACE INTO source_cursor (generation, tenant, source, cursor) VALUES (?, ?, ?, ?)',
    generation,
    storableText(tenant),
    storableText(source),
    storableText(cursor),
  );
}
