import { bytesAt, numberAt, textAt } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import type { VectorRows } from '../vector-index.js';
import { type RowCache, vectorOf } from './row-cache.js';

// Made with the first note and not with the store's tables: most stores have no vector index.
const NOTES = 'CREATE TABLE IF NOT EXISTS vector_index (collection INTEGER PRIMARY KEY, note TEXT NOT NULL)';

/** The rows of a collection as a vector index sees them. Valid in the snapshot in which the cache was refreshed. */
export function vectorRows(database: SqliteDatabase, collection: number, cache: RowCache): VectorRows {
  // The plus keeps SQLite from sorting; see row-cache.ts.
  const sql = `SELECT row, vector FROM chunk CROSS JOIN vector USING (row)
    WHERE +collection = ? AND row > ? ORDER BY row LIMIT ?`;
  return {
    size: cache.size,
    isLive: (row) => cache.ordinalOf(row) !== undefined,
    after: (after, limit) =>
      database
        .rows(sql, collection, after, limit)
        .map((row) => ({ row: numberAt(row, 0), vector: vectorOf(bytesAt(row, 1)) })),
    readNote: () => {
      if (!hasNotes(database)) return undefined;
      const row = database.row('SELECT note FROM vector_index WHERE collection = ?', collection);
      return row === undefined ? undefined : textAt(row, 0);
    },
  };
}

/** Replaces the note of a collection's vector index; inside a transaction. */
export function writeNote(database: SqliteDatabase, collection: number, note: string): void {
  database.exec(NOTES);
  database.run('INSERT OR REPLACE INTO vector_index (collection, note) VALUES (?, ?)', collection, note);
}

/** Removes the note, where there is one; inside a transaction. */
export function removeNote(database: SqliteDatabase, collection: number): void {
  if (hasNotes(database)) database.run('DELETE FROM vector_index WHERE collection = ?', collection);
}

const hasNotes = (database: SqliteDatabase): boolean =>
  database.row("SELECT 1 FROM sqlite_schema WHERE name = 'vector_index'") !== undefined;
