import { numberAt, optionalTextAt, text } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import { countChange as countOneChange } from '../rows/changes.js';
import { runProgram } from './run-program.js';

export const countChange = (database: SqliteDatabase): void => {
  runProgram(database, countOneChange());
};

/** See `Ledger.revision`. */
export function revisionOf(database: SqliteDatabase): string | undefined {
  const row = database.row(
    `SELECT ${text('life')}, changes, (SELECT max(generation) FROM generation WHERE state = 'live') FROM change`,
  );
  if (row === undefined) return undefined;
  return `${optionalTextAt(row, 0)}.${String(row[2] ?? '')}.${numberAt(row, 1)}`;
}
