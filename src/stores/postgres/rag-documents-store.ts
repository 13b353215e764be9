import { RAGError } from '../../core/errors.js';
import { and, eq, type Filter } from '../../core/filter.js';
import type { PostgresDatabase, RunStatement } from '../../platform/postgres/postgres-database.js';
import { assertCollectionName, assertSameSpec, assertSpec } from '../store-checks.js';
import type { CollectionSpec, VectorCollection, VectorStore } from '../vector-store.js';
import {
  type CollectionKey,
  findCollection,
  type RegisteredCollection,
  registerCollection,
  unregisterCollection,
} from './collection-registry.js';
import { PostgresCollection } from './postgres-collection.js';
import {
  type AdoptionSettings,
  adoptionSettings,
  type RagDocumentsStoreOptions,
  storeDatabase,
} from './postgres-options.js';
import { CAPABILITIES, describeCollection, healthOf } from './postgres-store.js';
import { KEY_TYPE, ragDocumentsLayout } from './rag-documents-layout.js';
import { OWN_FACTS } from './rag-documents-row.js';
import { numberOf } from './row-reader.js';
import { prepareSchema, schemaVersion } from './schema-migrations.js';
import { refillWords } from './words/refill-words.js';
import { createWordTables, dropWordTables, type WordTables, wordTables } from './words/word-tables.js';

/**
 * A store over a `rag_documents` table that another application made and fills: adopted in place, beside that
 * application. Of the table's definition nothing is changed; a small schema of our own keeps the fingerprint and the words.
 *
 * - One tenant, no projects, every document open to everyone in it: another scope is refused (`STORE_FILTER_UNSUPPORTED`,
 *   `STORE_INVALID_RECORD`).
 * - Rows of the application are found by `searchVector` and `get`, not by words. `list`, `count` and `delete` reach them only by a
 *   filter on `source_type` or `source_id` (see `ragDocumentsOf`), so that no clean-up of ours can take them for strays.
 * - `drop` removes what we wrote and nothing else.
 * - A chunk id that is a UUID in lower case is a row of the table by that id; writing it replaces that row.
 *
 * Throws `CONFIG_INVALID` for an option out of its range, and at `open` where there is no such table.
 */
export function createRagDocumentsStore(options: RagDocumentsStoreOptions): VectorStore {
  return new RagDocumentsStore(storeDatabase(options), adoptionSettings(options));
}

/** The chunks of one document of the table, whoever wrote them. */
export const ragDocumentsOf = (sourceType: string, sourceId: string): Filter =>
  and(eq('source_type', sourceType), eq('source_id', sourceId));

class RagDocumentsStore implements VectorStore {
  readonly name = 'postgres';
  readonly capabilities = CAPABILITIES;
  readonly #database: PostgresDatabase;
  readonly #settings: AdoptionSettings;
  readonly #table: string;

  constructor(database: PostgresDatabase, settings: AdoptionSettings) {
    this.#database = database;
    this.#settings = settings;
    this.#table = `"${settings.tableSchema}"."${settings.table}"`;
  }

  async open(spec: CollectionSpec): Promise<VectorCollection> {
    assertSpec(spec);
    const types = await prepareSchema(this.#database);
    const action = `open collection "${spec.name}"`;
    const stored = await this.#database.transaction({ action }, (run) => this.#adopt(run, spec));
    const { tenant } = this.#settings;
    const layout = ragDocumentsLayout({
      table: this.#table,
      tenant,
      collection: stored.spec.name,
      types,
      words: this.#words(stored.id),
    });
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
      if (id === undefined) return;
      await dropWordTables(run, this.#words(id));
      const sql = `DELETE FROM ${this.#table} WHERE chunk_metadata #>> '{${OWN_FACTS},collection}' = $1`;
      if ((await this.#dimensions(run)) !== undefined) await run(sql, [name]);
    });
  }

  health(): Promise<{ ok: boolean; detail: string }> {
    return healthOf(this.#database);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  get #schema(): string {
    return `"${this.#database.settings.schema}"`;
  }

  #words(id: number): WordTables {
    return wordTables(this.#schema, id, KEY_TYPE);
  }

  #keyOf(name: string): CollectionKey {
    return { schema: this.#schema, layout: `rag_documents ${this.#table}`, name };
  }

  async #adopt(run: RunStatement, spec: CollectionSpec): Promise<RegisteredCollection> {
    const dimensions = await this.#dimensions(run);
    if (dimensions === undefined)
      throw new RAGError(
        'CONFIG_INVALID',
        `There is no table ${this.#table} with a vector column "embedding" to adopt. Let its application make it, correct the name, or use the "chunks" layout.`,
      );
    assertSameSpec({ ...spec, dimensions }, spec);
    const known = await findCollection(run, this.#keyOf(spec.name));
    if (known === undefined) {
      await this.#assertModel(run, spec);
      const id = await registerCollection(run, this.#keyOf(spec.name), spec);
      if (id !== undefined) await createWordTables(run, this.#words(id));
    }
    const stored = known ?? (await findCollection(run, this.#keyOf(spec.name)));
    if (stored === undefined)
      throw new RAGError(
        'STORE_UNAVAILABLE',
        `Collection "${spec.name}" was dropped while it was opened; try again.`,
      );
    assertSameSpec(stored.spec, spec);
    return stored;
  }

  /** Dimensions of the vectors in the table, or undefined where there is no such table. */
  async #dimensions(run: RunStatement): Promise<number | undefined> {
    const [row] = (
      await run(
        `SELECT atttypmod AS dimensions FROM pg_catalog.pg_attribute
          WHERE attrelid = to_regclass($1::text) AND attname = 'embedding' AND NOT attisdropped`,
        [this.#table],
      )
    ).rows;
    return row === undefined ? undefined : numberOf(row, 'dimensions');
  }

  async #assertModel(run: RunStatement, spec: CollectionSpec): Promise<void> {
    const { model } = this.#settings;
    if (spec.fingerprint.toLowerCase().includes(model.toLowerCase())) return;
    const sql = `SELECT EXISTS (SELECT FROM ${this.#table} WHERE NOT COALESCE(chunk_metadata ? '${OWN_FACTS}', FALSE)) AS has_rows`;
    const [row] = (await run(sql)).rows;
    if (row?.has_rows !== true) return;
    throw new RAGError(
      'STORE_FINGERPRINT_MISMATCH',
      `The rows of ${this.#table} were embedded with ${model}; the embedding model is ${spec.fingerprint}. Use the same model, or say with the option "model" which one made them.`,
    );
  }
}
