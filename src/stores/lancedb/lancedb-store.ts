import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection, Table } from '@lancedb/lancedb';
import { RAGError } from '../../core/errors.js';
import { ALL_FILTER_OPERATORS } from '../../core/filter.js';
import { makePrivateFolder } from '../../platform/security/private-files.js';
import { assertCollectionName, assertSameSpec, assertSpec } from '../store-checks.js';
import type {
  CollectionSpec,
  StoreCapabilities,
  VectorCollection,
  VectorStore,
  WordsOfChunk,
} from '../vector-store.js';
import { LanceDbCollection } from './lancedb-collection.js';
import { type LanceDriver, loadLanceDriver } from './lancedb-driver.js';
import { storeError } from './lancedb-errors.js';
import { CHUNK_COLUMNS, readWords } from './row-reader.js';
import type { MaintenanceOptions } from './table-maintenance.js';
import { specOfTable, tableSchema } from './table-schema.js';

export interface LanceDbStoreOptions extends Partial<MaintenanceOptions> {
  /** Folder of the database, made on first use; or `s3://BUCKET/FOLDER` in S3-compatible object storage. */
  readonly path: string;
  /**
   * Of object storage, as Lance names them: `region`, `endpoint`, `awsAccessKeyId`, `awsSecretAccessKey`, `allowHttp`,
   * `virtualHostedStyleRequest` (`'true'`, `'false'`). What is absent comes from the variables `AWS_*`. Never shown.
   */
  readonly storageOptions?: Readonly<Record<string, string>>;
  /** Rows from which `optimize` builds a vector index. @default 50_000 */
  readonly vectorIndexRows?: number;
  /** How long a replaced version stays for readers in other processes, in milliseconds. @default 60_000 */
  readonly keepVersionsMs?: number;
  /** Candidates visited per wanted hit when searching a vector index: more is slower and nearer to exact. @default 2 */
  readonly searchWidth?: number;
}

const CAPABILITIES: StoreCapabilities = Object.freeze({
  filterOperators: ALL_FILTER_OPERATORS,
  // Lance's own BM25 weighs words by the chunks of all tenants, which would show in the scores of each.
  lexical: 'none',
  maxTopK: 10_000,
  consistency: 'immediate',
  persistent: true,
  exactVectorSearch: false,
});

/**
 * LanceDB in a folder, one table a collection. Every filter is exact; vector search is exact below `vectorIndexRows`. Words
 * are kept, and searched in an index beside the store (`with-lexical-index.ts`).
 *
 * Needs the optional packages `@lancedb/lancedb` and `apache-arrow`, loaded with the first call (`PACKAGE_MISSING`).
 */
export function createLanceDbStore(options: LanceDbStoreOptions): VectorStore {
  return new LanceDbStore(options);
}

type ResolvedOptions = Required<Omit<LanceDbStoreOptions, 'storageOptions'>> &
  Pick<LanceDbStoreOptions, 'storageOptions'>;

const IN_OBJECT_STORAGE: StoreCapabilities = Object.freeze({
  ...CAPABILITIES,
  keepsDeleted:
    'in object storage deleted rows stay in the files that they share with others until a table is compacted or built anew (`ragstone index --force`), and in versions of objects where the bucket keeps them',
});

interface Session {
  readonly driver: LanceDriver;
  readonly connection: Connection;
}

class LanceDbStore implements VectorStore {
  readonly name = 'lancedb';
  readonly capabilities: StoreCapabilities;
  readonly #options: ResolvedOptions;
  readonly #collections = new Set<LanceDbCollection>();
  #session: Promise<Session> | undefined;
  #isClosed = false;

  constructor(options: LanceDbStoreOptions) {
    this.#options = { vectorIndexRows: 50_000, keepVersionsMs: 60_000, searchWidth: 2, ...options };
    this.capabilities = this.#isRemote ? IN_OBJECT_STORAGE : CAPABILITIES;
  }

  async open(spec: CollectionSpec): Promise<VectorCollection> {
    const session = await this.#connect();
    assertSpec(spec);
    const table = (await this.#openTable(session, spec.name)) ?? (await this.#createTable(session, spec));
    const stored = await this.#specOf(table, spec.name);
    assertSameSpec(stored, spec);
    const parts = { driver: session.driver, table, schema: tableSchema(session.driver.arrow, stored) };
    const collection = new LanceDbCollection(Object.freeze(stored), parts, {
      ...this.#options,
      ...CAPABILITIES,
      deletedFrom: this.#isRemote ? undefined : () => fragmentsWithDeletions(this.#folderOf(spec.name)),
    });
    this.#collections.add(collection);
    return collection;
  }

  async describe(name: string): Promise<CollectionSpec | undefined> {
    assertCollectionName(name);
    const table = await this.#openTable(await this.#connect(), name);
    if (table === undefined) return undefined;
    try {
      return await this.#specOf(table, name);
    } finally {
      table.close();
    }
  }

  async *writtenWords(name: string): AsyncGenerator<readonly WordsOfChunk[]> {
    assertCollectionName(name);
    const table = await this.#openTable(await this.#connect(), name);
    if (table === undefined) return;
    try {
      // One version of the table, whatever is written meanwhile.
      for await (const batch of table.query().select([...CHUNK_COLUMNS, 'search_text']))
        yield readWords(batch);
    } catch (error) {
      throw storeError(error, `read the words of collection "${name}"`);
    } finally {
      table.close();
    }
  }

  async drop(name: string): Promise<void> {
    assertCollectionName(name);
    this.#begin();
    if (this.#isRemote) return this.#dropRemote(name);
    // Removing the folder needs nothing of it to be readable, which the driver's own way does.
    try {
      await rm(this.#folderOf(name), { recursive: true, force: true });
    } catch (error) {
      throw storeError(error, `drop collection "${name}"`);
    }
  }

  async health(): Promise<{ ok: boolean; detail: string }> {
    if (this.#isClosed) return { ok: false, detail: 'closed' };
    try {
      const { connection } = await this.#connect();
      const names = await allTableNames(connection);
      return { ok: true, detail: `${names.length} collections in ${this.#options.path}` };
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const collection of this.#collections) collection.close();
    this.#collections.clear();
    const session = await this.#session?.catch(() => undefined);
    session?.connection.close();
    this.#session = undefined;
  }

  #begin(): void {
    if (this.#isClosed)
      throw new RAGError('STORE_UNAVAILABLE', 'The LanceDB store is closed; create a new one.');
  }

  get #isRemote(): boolean {
    return /^[a-z][a-z0-9+.-]+:\/\//i.test(this.#options.path);
  }

  #folderOf(name: string): string {
    return this.#isRemote ? `${this.#options.path}/${name}.lance` : join(this.#options.path, `${name}.lance`);
  }

  async #exists(connection: Connection, name: string): Promise<boolean> {
    if (!this.#isRemote) return existsSync(this.#folderOf(name));
    try {
      return (await allTableNames(connection)).includes(name);
    } catch (error) {
      throw storeError(error, `list the collections in ${this.#options.path}`);
    }
  }

  async #dropRemote(name: string): Promise<void> {
    const { connection } = await this.#connect();
    if (!(await this.#exists(connection, name))) return;
    try {
      await connection.dropTable(name);
    } catch (error) {
      throw storeError(error, `drop collection "${name}"`);
    }
  }

  async #connect(): Promise<Session> {
    this.#begin();
    this.#session ??= this.#startSession();
    return this.#session;
  }

  async #startSession(): Promise<Session> {
    try {
      const driver = await loadLanceDriver();
      const { path, storageOptions } = this.#options;
      const options = storageOptions === undefined ? {} : { storageOptions: { ...storageOptions } };
      // The driver makes its files as the umask lets it: what keeps them private is the folder.
      if (!this.#isRemote) makePrivateFolder(path);
      return { driver, connection: await driver.lancedb.connect(path, options) };
    } catch (error) {
      this.#session = undefined;
      throw storeError(error, `open the folder ${this.#options.path}`);
    }
  }

  /** The table, or undefined where there is none. A folder that is there and does not open is damaged. */
  async #openTable({ connection }: Session, name: string): Promise<Table | undefined> {
    if (!(await this.#exists(connection, name))) return undefined;
    try {
      return await connection.openTable(name);
    } catch (error) {
      const known = storeError(error, `open collection "${name}"`);
      if (known.reason === 'STORE_READ_ONLY') throw known;
      throw new RAGError(
        'STORE_DAMAGED',
        `Collection "${name}" in ${this.#folderOf(name)} cannot be read: its manifest is missing or damaged. Rebuild it with \`ragstone index --force\`.`,
        { cause: error },
      );
    }
  }

  async #createTable({ driver, connection }: Session, spec: CollectionSpec): Promise<Table> {
    try {
      const schema = tableSchema(driver.arrow, spec);
      const table = await connection.createEmptyTable(spec.name, schema, { mode: 'create', existOk: true });
      // Makes Lance refuse two processes that insert the same new id at once; the loser then updates.
      await table.setUnenforcedPrimaryKey('id');
      return table;
    } catch (error) {
      throw storeError(error, `make collection "${spec.name}"`);
    }
  }

  async #specOf(table: Table, name: string): Promise<CollectionSpec> {
    try {
      return specOfTable(name, (await table.schema()).metadata);
    } catch (error) {
      throw storeError(error, `read the schema of collection "${name}"`);
    }
  }
}

/** Lance notes deleted rows in files named by the number of their fragment. */
function fragmentsWithDeletions(folder: string): number[] {
  const notes = join(folder, '_deletions');
  if (!existsSync(notes)) return [];
  const numbers = readdirSync(notes).map((name) => Number.parseInt(name, 10));
  return [...new Set(numbers)].filter(Number.isInteger);
}

/** The driver gives names in pages of ten. */
async function allTableNames(connection: Connection): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const startAfter = names.at(-1);
    const page = await connection.tableNames({
      limit: NAMES_PER_PAGE,
      ...(startAfter === undefined ? {} : { startAfter }),
    });
    names.push(...page);
    if (page.length < NAMES_PER_PAGE) return names;
  }
}

const NAMES_PER_PAGE = 1_000;
