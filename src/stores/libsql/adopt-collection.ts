import { existsSync, rmSync } from 'node:fs';
import { numberAt } from '../../platform/sqlite/row.js';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { removeCollection } from './remove-collection.js';
import { storeError } from './store-errors.js';
import { prepareStore } from './store-schema.js';

/** Tables whose rows belong to a collection by a column. */
const OF_COLLECTION = ['profile', 'chunk', 'segment', 'posting', 'dead', 'vector_index'] as const;
/** Tables whose rows belong to a chunk. */
const OF_CHUNK = ['body', 'vector', 'terms'] as const;

export interface Adoption {
  /** The file that holds the collection; removed when nothing is left in it. */
  readonly from: string;
  /** The file that shall hold it; what else a store kept there is dropped. */
  readonly into: string;
  readonly collection: string;
}

/**
 * Moves a collection from a store's own file into the ledger's: version 0.1.0 kept them apart. One transaction on the new
 * file; a death before its end changes nothing, one after it leaves the old file to be removed by the next call. Returns
 * whether the collection was moved.
 */
export function adoptCollection({ from, into, collection }: Adoption): boolean {
  if (!existsSync(from) || !existsSync(into)) return false;
  const source = openPrepared(from);
  const isThere = source.row('SELECT 1 FROM store_collection WHERE name = ?', collection) !== undefined;
  source.tryTruncateLog();
  source.close();
  if (!isThere) return false;
  const target = openPrepared(into);
  try {
    const isMoved = copyCollection(target, { from, collection });
    removeFromFile(from, collection);
    return isMoved;
  } finally {
    target.close();
  }
}

function copyCollection(target: SqliteDatabase, { from, collection }: Omit<Adoption, 'into'>): boolean {
  target.run('ATTACH DATABASE ? AS adopted', from);
  try {
    return target.transaction(() => {
      if (target.row('SELECT 1 FROM main.store_collection WHERE name = ?', collection) !== undefined)
        return false;
      // Row numbers are part of the postings, so they must stay as they are.
      for (const table of [...OF_CHUNK, ...OF_COLLECTION, 'collection'])
        target.exec(`DELETE FROM main.store_${table}`);
      target.run(
        'INSERT INTO main.store_collection SELECT * FROM adopted.store_collection WHERE name = ?',
        collection,
      );
      const id = numberAt(target.row('SELECT id FROM main.store_collection') ?? [], 0);
      for (const table of OF_COLLECTION)
        target.run(
          `INSERT INTO main.store_${table} SELECT * FROM adopted.store_${table} WHERE collection = ?`,
          id,
        );
      for (const table of OF_CHUNK)
        target.run(
          `INSERT INTO main.store_${table} SELECT part.* FROM adopted.store_chunk
           CROSS JOIN adopted.store_${table} AS part USING (row) WHERE collection = ?`,
          id,
        );
      return true;
    });
  } finally {
    target.exec('DETACH DATABASE adopted');
  }
}

/** Removes a collection from a store's file, and the file when nothing is left in it. Returns whether it was there. */
export function removeFromFile(path: string, collection: string, fileKey?: string): boolean {
  if (!existsSync(path)) return false;
  const source = openPrepared(path, fileKey);
  const isThere = source.row('SELECT 1 FROM store_collection WHERE name = ?', collection) !== undefined;
  removeCollection(source, collection);
  const isEmpty = source.row('SELECT 1 FROM store_collection') === undefined;
  source.close();
  if (isEmpty) for (const suffix of ['-wal', '-shm', '']) rmSync(path + suffix, { force: true });
  return isThere;
}

function openPrepared(path: string, fileKey?: string): SqliteDatabase {
  const database = SqliteDatabase.open(path, {
    fileKey,
    toError: (kind, cause) => storeError(path, kind, cause),
  });
  try {
    prepareStore(database);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}
