import { bytesAt, numberAt } from '../../platform/sqlite/row.js';
import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { unpackTerms } from './packed-terms.js';
import { dropRowsOfTerm } from './postings.js';

/** Deleted rows of a collection whose postings may still be stored, youngest last. */
export const deadRows = (database: SqliteDatabase, collection: number): number[] =>
  database
    .rows('SELECT row FROM store_dead WHERE collection = ? ORDER BY row', collection)
    .map((row) => numberAt(row, 0));

/** Whether there is one. */
export const areAnyDead = (database: SqliteDatabase, collection: number): boolean =>
  database.row('SELECT 1 FROM store_dead WHERE collection = ? LIMIT 1', collection) !== undefined;

/** Whether the terms of every one of them are known. */
export const areTermsKnown = (database: SqliteDatabase, collection: number): boolean =>
  database.row('SELECT 1 FROM store_dead WHERE collection = ? AND terms IS NULL LIMIT 1', collection) ===
  undefined;

/** Drops the postings of some deleted rows, whose terms are known, and forgets the rows. One transaction. */
export function dropPostingsOf(database: SqliteDatabase, collection: number, rows: readonly number[]): void {
  const rowsOfTerm = new Map<string, Set<number>>();
  for (const row of rows) {
    const found = database.row('SELECT terms FROM store_dead WHERE row = ?', row);
    if (found === undefined) continue;
    for (const term of unpackTerms(bytesAt(found, 0)))
      rowsOfTerm.set(term, (rowsOfTerm.get(term) ?? new Set()).add(row));
  }
  for (const [term, ofTerm] of rowsOfTerm) dropRowsOfTerm(database, { collection, term }, ofTerm);
  forgetDead(database, collection, rows);
}

/** The postings of these rows are gone. */
export function forgetDead(database: SqliteDatabase, collection: number, rows: readonly number[]): void {
  for (const row of rows)
    database.run('DELETE FROM store_dead WHERE row = ? AND collection = ?', row, collection);
}
