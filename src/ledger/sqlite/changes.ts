import { numberAt, optionalTextAt, text } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';

/** Counts a change that a search may show, in the transaction that makes it. */
export const countChange = (database: SqliteDatabase): void => {
  database.run('UPDATE change SET changes = changes + 1');
};

/** See `Ledger.revision`. */
export function revisionOf(database: SqliteDatabase): string | undefined {
  const row = database.row(
    `SELECT ${text('life')}, changes, (SELECT max(generation) FROM generation WHERE state = 'live') FROM change`,
  );
  if (row === undefined) return undefined;
  return `${optionalTextAt(row, 0)}.${String(row[2] ?? '')}.${numberAt(row, 1)}`;
}
