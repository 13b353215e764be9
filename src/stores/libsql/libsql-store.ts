import { existsSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { RAGError } from '../../core/errors.js';
import { ALL_FILTER_OPERATORS } from '../../core/filter.js';
import { makePrivateFolder } from '../../platform/security/private-files.js';
import { numberAt, text, textAt } from '../../platform/sqlite/row.js';
import { bytesOf, SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { assertCollectionName, assertSameSpec, assertSpec } from '../store-checks.js';
import type { VectorIndexes } from '../vector-index.js';
import type { CollectionSpec, StoreCapabilities, VectorCollection, VectorStore } from '../vector-store.js';
import { LibsqlCollection } from './libsql-collection.js';
import { removeCollection } from './remove-collection.js';
import { storeError } from './store-errors.js';
import { COLLECTION_FORMAT, prepareStore, schemaTooNew } from './store-schema.js';

export interface LibsqlStoreOptions {
  /** The store's file; it and its folder are made with the first collection. */
  readonly path: string;
  /**
   * The file is another's too (the ledger's): it is never removed, nor rewritten to give room back, and its size is not the
   * store's. @default false
   */
  readonly isShared?: boolean;
  /** See `SqliteOptions.fileKey`. */
  readonly fileKey?: string | undefined;
  /** Finds near vectors in place of the exact scan; gives the store its name. */
  readonly vectorIndexes?: VectorIndexes;
}

const CAPABILITIES: StoreCapabilities = Object.freeze({
  filterOperators: ALL_FILTER_OPERATORS,
  lexical: 'bm25',
  maxTopK: 10_000,
  consistency: 'immediate',
  persistent: true,
  exactVectorSearch: true,
});

/**
 * A store in one SQLite file without any native vector or search engine: exact cosine, exact BM25, filters by the
 * reference semantics. For collections up to about 100,000 chunks, where LanceDB's weight is not wanted. Readers of other
 * processes see a write as soon as it is committed.
 */
export function createLibsqlStore({ path, ...options }: LibsqlStoreOptions): VectorStore {
  return new LibsqlStore(resolve(path), options);
}

interface StoredCollection {
  readonly format: number;
  readonly id: number;
  readonly spec: CollectionSpec;
}

class LibsqlStore implements VectorStore {
  readonly name: string;
  readonly capabilities: StoreCapabilities;
  readonly #path: string;
  readonly #vectorIndexes: VectorIndexes | undefined;
  readonly #isShared: boolean;
  readonly #collections = new Map<string, LibsqlCollection>();
  #database: SqliteDatabase | undefined;
  #closed = false;
  readonly #fileKey: string | undefined;

  constructor(path: string, { vectorIndexes, fileKey, isShared = false }: Omit<LibsqlStoreOptions, 'path'>) {
    this.#fileKey = fileKey;
    this.#path = path;
    this.#isShared = isShared;
    this.#vectorIndexes = vectorIndexes;
    this.name = vectorIndexes?.name ?? 'libsql';
    const exactVectorSearch = vectorIndexes?.isExact ?? CAPABILITIES.exactVectorSearch;
    this.capabilities = Object.freeze({ ...CAPABILITIES, exactVectorSearch });
  }

  async open(spec: CollectionSpec): Promise<VectorCollection> {
    this.#begin();
    assertSpec(spec);
    await this.#vectorIndexes?.load();
    this.#begin();
    const database = this.#open();
    const stored = this.#find(database, spec.name) ?? this.#create(database, spec);
    assertSameSpec(stored.spec, spec);
    const known = this.#collections.get(spec.name);
    if (known !== undefined && known.id === stored.id) return known;
    known?.close();
    const index = this.#vectorIndexes?.open(spec.name, spec.dimensions);
    const collection = new LibsqlCollection(database, {
      ...stored,
      maxTopK: CAPABILITIES.maxTopK,
      ...(this.#isShared ? {} : { bytes: () => bytesOf(this.#path) + bytesOf(`${this.#path}-wal`) }),
      ...(index === undefined ? {} : { index }),
    });
    this.#collections.set(spec.name, collection);
    return collection;
  }

  async describe(name: string): Promise<CollectionSpec | undefined> {
    this.#begin();
    if (!existsSync(this.#path)) return undefined;
    return this.#find(this.#open(), name)?.spec;
  }

  async drop(name: string): Promise<void> {
    this.#begin();
    assertCollectionName(name);
    this.#vectorIndexes?.drop(name);
    if (!existsSync(this.#path)) return;
    this.#collections.get(name)?.close();
    this.#collections.delete(name);
    try {
      removeCollection(this.#open(), name);
      // The next generation takes the room of the one before.
      if (this.#open().row('SELECT 1 FROM store_collection') === undefined) this.#shrink(this.#open());
      this.#open().eraseDeleted();
    } catch (error) {
      if (this.#isShared || !RAGError.isInstance(error)) throw error;
      // Nothing in a damaged file can be trusted, the other collections neither. Emptying a file takes room, removing it gives some.
      const isFull = error.reason === 'STORE_FULL' && this.#holdsNoOther(name);
      if (error.reason !== 'STORE_DAMAGED' && !isFull) throw error;
      this.#discard();
    }
  }

  async health(): Promise<{ ok: boolean; detail: string }> {
    if (this.#closed) return { ok: false, detail: 'closed' };
    if (!existsSync(this.#path))
      return { ok: true, detail: `${this.#path} will be made with the first collection` };
    try {
      const database = this.#open();
      const problems = database.rows('PRAGMA quick_check').map((row) => String(row[0]));
      const ok = problems.join() === 'ok';
      return { ok, detail: ok ? this.#path : `${this.#path}: ${problems.join('; ')}` };
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#release();
  }

  #begin(): void {
    if (this.#closed)
      throw new RAGError('STORE_UNAVAILABLE', 'The libSQL store is closed; create a new one.');
  }

  #open(): SqliteDatabase {
    if (this.#database !== undefined) return this.#database;
    const toError = storeError.bind(undefined, this.#path);
    try {
      makePrivateFolder(dirname(this.#path));
    } catch (error) {
      throw toError('cannot-open', error);
    }
    const database = SqliteDatabase.open(this.#path, { fileKey: this.#fileKey, toError });
    try {
      prepareStore(database);
    } catch (error) {
      database.close();
      throw error;
    }
    this.#database = database;
    return database;
  }

  #find(database: SqliteDatabase, name: string): StoredCollection | undefined {
    const sql = `SELECT id, format, dimensions, ${text('fingerprint')} FROM store_collection WHERE name = ?`;
    return database.guard(() => {
      const row = database.row(sql, name);
      if (row === undefined) return undefined;
      if (numberAt(row, 1) > COLLECTION_FORMAT) throw schemaTooNew(`collection "${name}" in ${this.#path}`);
      const spec = { name, dimensions: numberAt(row, 2), fingerprint: textAt(row, 3) };
      return { id: numberAt(row, 0), format: numberAt(row, 1), spec: Object.freeze(spec) };
    });
  }

  #create(database: SqliteDatabase, spec: CollectionSpec): StoredCollection {
    return database.transaction(() => {
      database.run(
        'INSERT OR IGNORE INTO store_collection (name, format, dimensions, fingerprint) VALUES (?, ?, ?, ?)',
        spec.name,
        COLLECTION_FORMAT,
        spec.dimensions,
        spec.fingerprint,
      );
      const stored = this.#find(database, spec.name);
      if (stored === undefined) throw new Error('A collection that was just made is not there.');
      return stored;
    });
  }

  /** Looked up beside the connection for writing, which a full disk may not give. */
  #holdsNoOther(name: string): boolean {
    const toError = storeError.bind(undefined, this.#path);
    const database = SqliteDatabase.open(this.#path, { readOnly: true, fileKey: this.#fileKey, toError });
    try {
      return database.row('SELECT 1 FROM store_collection WHERE name <> ?', name) === undefined;
    } finally {
      database.close();
    }
  }

  /** Gives the room back. */
  #shrink(database: SqliteDatabase): void {
    try {
      database.exec('VACUUM');
    } catch (error) {
      // It needs room for a copy; without, the pages are used again by what is written next.
      if (!RAGError.isInstance(error) || error.reason === 'STORE_DAMAGED') throw error;
    }
  }

  #discard(): void {
    this.#release();
    for (const suffix of ['-wal', '-shm', '']) rmSync(this.#path + suffix, { force: true });
  }

  #release(): void {
    for (const collection of this.#collections.values()) collection.close();
    this.#collections.clear();
    this.#database?.tryTruncateLog();
    this.#database?.close();
    this.#database = undefined;
  }
}
