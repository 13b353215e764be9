import { RAGError } from '../../core/errors.js';
import { numberAt } from '../../platform/sqlite/row.js';
import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { assertRecords, lastRecordById } from '../store-checks.js';
import type { CollectionSpec, EnlistedWrites } from '../vector-store.js';
import { deleteRows, rowsOfIds, writeRecords } from './chunk-rows.js';

/** Writes of a collection on a connection of somebody else, inside the transaction that is open there. */
export function enlistedWrites(
  database: SqliteDatabase,
  { id, spec }: { readonly id: number; readonly spec: CollectionSpec },
): EnlistedWrites {
  return {
    upsert: (records) => {
      assertRecords(spec, records);
      if (records.length === 0) return;
      nextVersion(database, id, spec.name);
      const latest = lastRecordById(records);
      const ids = latest.map((record) => record.id);
      deleteRows(database, id, rowsOfIds(database, id, ids));
      writeRecords(database, id, latest);
    },
    delete: (chunkIds) => {
      if (chunkIds.length === 0) return;
      nextVersion(database, id, spec.name);
      deleteRows(database, id, rowsOfIds(database, id, chunkIds));
    },
  };
}

/**
 * Makes it known that a collection has changed, to the caches of every process; inside the transaction of the change. Throws
 * `COLLECTION_NOT_FOUND` where another process has dropped the collection.
 */
export function nextVersion(database: SqliteDatabase, collection: number, name: string): void {
  const version = versionOf(database, collection, name) + 1;
  database.run('UPDATE store_collection SET version = ? WHERE id = ?', version, collection);
}

/** The version of a collection's content. Throws `COLLECTION_NOT_FOUND` where another process has dropped it. */
export function versionOf(database: SqliteDatabase, collection: number, name: string): number {
  const row = database.row('SELECT version FROM store_collection WHERE id = ?', collection);
  if (row !== undefined) return numberAt(row, 0);
  throw new RAGError('COLLECTION_NOT_FOUND', `Collection "${name}" was removed meanwhile; open it again.`);
}
