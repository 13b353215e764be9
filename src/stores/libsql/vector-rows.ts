import { bytesAt, numberAt, text, textAt } from '../../platform/sqlite/row.js';
import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import type { VectorRows } from '../vector-index.js';
import { type RowCache, vectorOf } from './row-cache.js';

/** The rows of a collection as a vector index sees them. Valid in the snapshot in which the cache was refreshed. */
export function vectorRows(database: SqliteDatabase, collection: number, cache: RowCache): VectorRows {
  // The plus keeps SQLite from sorting; see row-cache.ts.
  const sql = `SELECT row, vector FROM store_chunk CROSS JOIN store_vector USING (row)
    WHERE +collection = ? AND row > ? ORDER BY row LIMIT ?`;
  return {
    size: cache.size,
    isLive: (row) => cache.ordinalOf(row) !== undefined,
    after: (after, limit) =>
      database
        .rows(sql, collection, after, limit)
        .map((row) => ({ row: numberAt(row, 0), vector: vectorOf(bytesAt(row, 1)) })),
    readNote: () => {
      const row = database.row(
        `SELECT ${text('note')} FROM store_vector_index WHERE collection = ?`,
        collection,
      );
      return row === undefined ? undefined : textAt(row, 0);
    },
  };
}

/** Replaces the note of a collection's vector index; inside a transaction. */
export function writeNote(database: SqliteDatabase, collection: number, note: string): void {
  database.run(
    'INSERT OR REPLACE INTO store_vector_index (collection, note) VALUES (?, ?)',
    collection,
    note,
  );
}

/** Removes the note, where there is one; inside a transaction. */
export function removeNote(database: SqliteDatabase, collection: number): void {
  database.run('DELETE FROM store_vector_index WHERE collection = ?', collection);
}
