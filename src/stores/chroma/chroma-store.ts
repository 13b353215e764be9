import type { Collection } from 'chromadb';
import { ALL_FILTER_OPERATORS } from '../../core/filter.js';
import { ServerCollection } from '../server-collection.js';
import { assertCollectionName, assertSameSpec, assertSpec } from '../store-checks.js';
import type { CollectionSpec, StoreCapabilities, VectorCollection, VectorStore } from '../vector-store.js';
import { ChromaConnection, type ChromaServerOptions } from './chroma-connection.js';
import { isNotFound, isTaken } from './chroma-errors.js';
import { chromaName, specMetadata, specOfCollection } from './chroma-names.js';
import { CollectionRecords } from './collection-records.js';
import type { LocalChroma } from './local-chroma.js';

export interface ChromaStoreOptions extends ChromaServerOptions {
  /** A server from `startLocalChroma`, used instead of `host` and `port` and closed with the store. */
  readonly server?: LocalChroma;
  /** Candidates that a search visits, for collections that are made: more is slower and nearer to exact. @default 512 */
  readonly efSearch?: number;
  /** Candidates that are compared when a record is added, for collections that are made. @default 128 */
  readonly efConstruction?: number;
  /** Neighbours of a record in the graph, for collections that are made. @default 24 */
  readonly maxNeighbors?: number;
}

const CAPABILITIES: StoreCapabilities = Object.freeze({
  filterOperators: ALL_FILTER_OPERATORS,
  lexical: 'none',
  maxTopK: 10_000,
  consistency: 'immediate',
  persistent: true,
  exactVectorSearch: false,
  keepsDeleted:
    'the Chroma server keeps deleted records in the free pages of its SQLite file and in its log of writes until it uses the room again, and their vectors in its graph until that is built anew; `chroma vacuum` removes the former',
});

/**
 * Collections on a Chroma server (1.5 or later, for lists in metadata). Every filter is exact; vector search is a graph
 * search. Metadata have the names that other readers of such collections expect, beside technical keys that filters need.
 *
 * The space of a collection is `ip` over unit vectors, whose order and scores are those of cosine: the server gives vectors
 * of its `cosine` space back changed in the last digits.
 *
 * Needs the optional package `chromadb`, loaded with the first call (`PACKAGE_MISSING`).
 */
export function createChromaStore(options: ChromaStoreOptions = {}): VectorStore {
  return new ChromaStore(options);
}

/** The server deletes a large collection record by record: 44,000 took more than half a minute. */
const DROP_PATIENCE = 20;

class ChromaStore implements VectorStore {
  readonly name = 'chroma';
  readonly capabilities = CAPABILITIES;
  readonly #connection: ChromaConnection;
  readonly #server: LocalChroma | undefined;
  readonly #index: {
    readonly ef_search: number;
    readonly ef_construction: number;
    readonly max_neighbors: number;
  };
  #isClosed = false;

  constructor({
    server,
    efSearch = 512,
    efConstruction = 128,
    maxNeighbors = 24,
    ...options
  }: ChromaStoreOptions) {
    const address = server === undefined ? {} : { host: server.host, port: server.port, ssl: false };
    this.#connection = new ChromaConnection({ ...options, ...address });
    this.#server = server;
    this.#index = { ef_search: efSearch, ef_construction: efConstruction, max_neighbors: maxNeighbors };
  }

  async open(spec: CollectionSpec): Promise<VectorCollection> {
    this.#connection.begin();
    assertSpec(spec);
    const found = (await this.#find(spec.name)) ?? (await this.#make(spec));
    const stored = specOfCollection(spec.name, found.metadata);
    assertSameSpec(stored, spec);
    const { ef_search = this.#index.ef_search, max_neighbors = this.#index.max_neighbors } =
      found.configuration.hnsw ?? {};
    const records = new CollectionRecords(this.#connection, {
      id: found.id,
      name: spec.name,
      vectorIndex: `HNSW of unit vectors, ${max_neighbors} neighbours, ${ef_search} candidates a search`,
    });
    return new ServerCollection(Object.freeze(stored), records, CAPABILITIES.maxTopK);
  }

  async describe(name: string): Promise<CollectionSpec | undefined> {
    this.#connection.begin();
    assertCollectionName(name);
    const found = await this.#find(name);
    return found === undefined ? undefined : specOfCollection(name, found.metadata);
  }

  async drop(name: string): Promise<void> {
    this.#connection.begin();
    assertCollectionName(name);
    const call = { action: `drop collection "${name}"`, isIdempotent: true, patience: DROP_PATIENCE };
    await this.#connection.call(call, async (client) => {
      try {
        await client.deleteCollection({ name: chromaName(name) });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });
  }

  async health(): Promise<{ ok: boolean; detail: string }> {
    if (this.#isClosed) return { ok: false, detail: 'closed' };
    try {
      const call = { action: 'tell its version', isIdempotent: true };
      const [version, count] = await this.#connection.call(call, (client) =>
        Promise.all([client.version(), client.countCollections()]),
      );
      return { ok: true, detail: `Chroma ${version} at ${this.#connection.address}, ${count} collections` };
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#connection.close();
    await this.#server?.close();
  }

  #find(name: string): Promise<Collection | undefined> {
    const call = { action: `open collection "${name}"`, isIdempotent: true };
    return this.#connection.call(call, async (client) => {
      try {
        return await client.getCollection({ name: chromaName(name) });
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    });
  }

  #make(spec: CollectionSpec): Promise<Collection> {
    const call = { action: `make collection "${spec.name}"`, isIdempotent: true };
    return this.#connection.call(call, async (client) => {
      const name = chromaName(spec.name);
      try {
        return await client.createCollection({
          name,
          metadata: specMetadata(spec),
          embeddingFunction: null,
          configuration: { hnsw: { space: 'ip', ...this.#index } },
        });
      } catch (error) {
        // Another process, or a first attempt whose answer was lost, made it.
        if (isTaken(error)) return client.getCollection({ name });
        throw error;
      }
    });
  }
}
