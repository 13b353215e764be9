import { join, resolve } from 'node:path';
import { createLibsqlStore } from './libsql/libsql-store.js';
import { UsearchIndexes, type UsearchIndexesOptions } from './usearch/usearch-indexes.js';
import type { VectorStore } from './vector-store.js';

export interface UsearchStoreOptions extends Pick<UsearchIndexesOptions, 'index' | 'graphRows'> {
  /** Folder of the records and of the vector indexes; made with the first collection. */
  readonly path: string;
}

/**
 * The store in the role of FAISS: an index in this process, saved in a folder and mapped into memory. Records, filters and
 * BM25 are the libSQL store's (`records.db`); only its vector scan is replaced. Composed here, because no backend imports
 * another.
 *
 * Scores are exact in either kind. With `hnsw` a record may be missed once there is a graph; a filter that leaves few
 * records is answered exactly. Needs the optional package `usearch`, loaded with the first collection (`PACKAGE_MISSING`).
 */
export function createUsearchStore({ path, ...options }: UsearchStoreOptions): VectorStore {
  const folder = resolve(path);
  return createLibsqlStore({
    path: join(folder, 'records.db'),
    vectorIndexes: new UsearchIndexes({ folder, ...options }),
  });
}
