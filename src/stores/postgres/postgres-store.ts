import { RAGError } from '../../core/errors.js';
import { ALL_FILTER_OPERATORS } from '../../core/filter.js';
import type { PostgresDatabase, RunStatement } from '../../platform/postgres/postgres-database.js';
import { assertCollectionName, assertSameSpec, assertSpec } from '../store-checks.js';
import type { CollectionSpec, StoreCapabilities, VectorCollection, VectorStore } from '../vector-store.js';
import { chunkTableLayout, chunkTableName, createChunkTable, dropChunkTable } from './chunk-table.js';
import {
  type CollectionKey,
  findCollection,
  type RegisteredCollection,
  registerCollection,
  unregisterCollection,
} from './collection-registry.js';
import { PostgresCollection } from './postgres-collection.js';
import {
  type PostgresStoreOptions,
  storeDatabase,
  type VectorIndexSettings,
  vectorIndexSettings,
} from './postgres-options.js';
import { prepareSchema, schemaVersion } from './schema-migrations.js';
import { findVectorExtension, type VectorTypes } from './vector-extension.js';
import { refillWords } from './words/refill-words.js';

/** What both layouts can do. */
export const CAPABILITIES: StoreCapabilities = Object.freeze({
  filterOperators: ALL_FILTER_OPERATORS,
  lexical: 'bm25',
  maxTopK: 10_000,
  consistency: 'immediate',
  persistent: true,
  exactVectorSearch: false,
  keepsDeleted:
    'the PostgreSQL server keeps bytes of deleted rows in the free room of its pages until that is written over (`VACUUM FULL` of the tables removes them at once and locks them meanwhile), in its write-ahead log until that is recycled, and in replicas and backups of yours',
});

const LAYOUT = 'chunks';

/**
 * A store in PostgreSQL (13 or later) with pgvector (0.8 or later): one table a collection in a schema of its own, which is
 * made and migrated on first use, by several processes at once if need be. Filters are exact; vector search is exact
 * below `vectorIndexRows`, by HNSW from there on, and exact again wherever the index leaves hits wanting. A finished
 * write is seen by the next read. PostgreSQL has no BM25: words are kept in tables of ours, written with the chunks.
 *
 * Metadata keeps its values, not the order of its keys. A connection pooler in front must keep sessions.
 *
 * Needs the optional package `pg`, loaded with the first call (`PACKAGE_MISSING`). Throws `CONFIG_INVALID` for an option
 * out of its range.
 */
export function createPostgresStore(options: PostgresStoreOptions): VectorStore {
  return new PostgresStore(storeDatabase(options), vectorIndexSettings(options));
}

class PostgresStore implements VectorStore {
  readonly name = 'postgres';
  readonly capabilities = CAPABILITIES;
  readonly #database: PostgresDatabase;
  readonly #indexSettings: VectorIndexSettings;
  readonly #schema: string;
  #prepared: Promise<VectorTypes> | undefined;

  constructor(database: PostgresDatabase, indexSettings: VectorIndexSettings) {
    this.#database = database;
    this.#indexSettings = indexSettings;
    this.#schema = `"${database.settings.schema}"`;
  }

  async open(spec: CollectionSpec): Promise<VectorCollection> {
    assertSpec(spec);
    const types = await this.#prepare();
    const action = `open collection "${spec.name}"`;
    const stored =
      (await this.#database.withConnection({ action }, (run) => this.#find(run, spec.name))) ??
      (await this.#database.transaction({ action }, (run) => this.#create(run, spec, types)));
    assertSameSpec(stored.spec, spec);
    const layout = chunkTableLayout({ schema: this.#schema, types, ...stored }, this.#indexSettings);
    await refillWords(this.#database, stored, layout);
    const { maxTopK } = CAPABILITIES;
    return new PostgresCollection(this.#database, { spec: stored.spec, layout, types, maxTopK });
  }

  describe(name: string): Promise<CollectionSpec | undefined> {
    return describeCollection(this.#database, this.#keyOf(name));
  }

  async drop(name: string): Promise<void> {
    assertCollectionName(name);
    await this.#database.transaction({ action: `drop collection "${name}"` }, async (run) => {
      if ((await schemaVersion(run, this.#database.settings.schema)) === 0) return;
      const id = await unregisterCollection(run, this.#keyOf(name));
      if (id !== undefined) await dropChunkTable(run, { schema: this.#schema, id });
    });
  }

  health(): Promise<{ ok: boolean; detail: string }> {
    return healthOf(this.#database);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #prepare(): Promise<VectorTypes> {
    this.#prepared ??= prepareSchema(this.#database);
    try {
      return await this.#prepared;
    } catch (error) {
      this.#prepared = undefined;
      throw error;
    }
  }

  #keyOf(name: string): CollectionKey {
    return { schema: this.#schema, layout: LAYOUT, name };
  }

  async #find(run: RunStatement, name: string): Promise<RegisteredCollection | undefined> {
    const stored = await findCollection(run, this.#keyOf(name));
    if (stored === undefined) return undefined;
    const table = `${this.#schema}.${chunkTableName(stored.id)}`;
    const [row] = (await run('SELECT to_regclass($1::text) IS NOT NULL AS is_there', [table])).rows;
    if (row?.is_there === true) return stored;
    throw new RAGError(
      'STORE_DAMAGED',
      `Collection "${name}" has lost its table ${table}. Rebuild it with \`ragstone index --force\`.`,
    );
  }

  async #create(run: RunStatement, spec: CollectionSpec, types: VectorTypes): Promise<RegisteredCollection> {
    const id = await registerCollection(run, this.#keyOf(spec.name), spec);
    if (id !== undefined) await createChunkTable(run, { schema: this.#schema, id, spec, types });
    const stored = await this.#find(run, spec.name);
    if (stored === undefined)
      throw new RAGError(
        'STORE_UNAVAILABLE',
        `Collection "${spec.name}" was dropped while it was opened; try again.`,
      );
    return stored;
  }
}

/** The spec of a collection of either layout, or undefined; makes nothing. */
export async function describeCollection(
  database: PostgresDatabase,
  key: CollectionKey,
): Promise<CollectionSpec | undefined> {
  assertCollectionName(key.name);
  return database.withConnection({ action: `describe collection "${key.name}"` }, async (run) => {
    if ((await schemaVersion(run, database.settings.schema)) === 0) return undefined;
    return (await findCollection(run, key))?.spec;
  });
}

/** Versions of server and extension, or what is wrong. */
export async function healthOf(database: PostgresDatabase): Promise<{ ok: boolean; detail: string }> {
  try {
    return await database.withConnection({ action: 'answer' }, async (run) => {
      const [row] = (await run("SELECT current_setting('server_version') AS version")).rows;
      const types = await findVectorExtension(run);
      const extension = types === undefined ? 'pgvector not installed yet' : `pgvector ${types.version}`;
      return { ok: true, detail: `PostgreSQL ${String(row?.version)}, ${extension}, at ${database.address}` };
    });
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}
