import type { Collection } from 'chromadb';
import { ALL_FILTER_OPERATORS } from '../../core/filter.js';
import { ServerCollection } from '../server-collection.js';
import { type FoundCollection, ServerStore, type StoreServer } from '../server-store.js';
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
  return new ServerStore('chroma', CAPABILITIES, new ChromaServer(options));
}

/** The server deletes a large collection record by record: 44,000 took more than half a minute. */
const DROP_PATIENCE = 20;

interface Found extends FoundCollection {
  readonly collection: Collection;
}

class ChromaServer implements StoreServer<Found> {
  readonly connection: ChromaConnection;
  readonly #server: LocalChroma | undefined;
  readonly #index: {
    readonly ef_search: number;
    readonly ef_construction: number;
    readonly max_neighbors: number;
  };

  constructor({
    server,
    efSearch = 512,
    efConstruction = 128,
    maxNeighbors = 24,
    ...options
  }: ChromaStoreOptions) {
    const address = server === undefined ? {} : { host: server.host, port: server.port, ssl: false };
    this.connection = new ChromaConnection({ ...options, ...address });
    this.#server = server;
    this.#index = { ef_search: efSearch, ef_construction: efConstruction, max_neighbors: maxNeighbors };
  }

  async find(name: string): Promise<Found | undefined> {
    const call = { action: `open collection "${name}"`, isIdempotent: true };
    const collection = await this.connection.call(call, async (client) => {
      try {
        return await client.getCollection({ name: chromaName(name) });
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    });
    return collection && foundOf(name, collection);
  }

  async make(spec: CollectionSpec): Promise<Found> {
    const call = { action: `make collection "${spec.name}"`, isIdempotent: true };
    const collection = await this.connection.call(call, async (client) => {
      const name = chromaName(spec.name);
      try {
        return await client.createCollection({
          name,
          metadata: specMetadata(spec),
          embeddingFunction: null,
          configuration: { hnsw: { space: 'ip', ...this.#index } },
        });
      } catch (error) {
        if (isTaken(error)) return client.getCollection({ name });
        throw error;
      }
    });
    return foundOf(spec.name, collection);
  }

  async collectionOf({ spec, collection }: Found): Promise<VectorCollection> {
    const { ef_search = this.#index.ef_search, max_neighbors = this.#index.max_neighbors } =
      collection.configuration.hnsw ?? {};
    const records = new CollectionRecords(this.connection, {
      id: collection.id,
      name: spec.name,
      vectorIndex: `HNSW of unit vectors, ${max_neighbors} neighbours, ${ef_search} candidates a search`,
    });
    const { maxTopK } = CAPABILITIES;
    return new ServerCollection(spec, records, { connection: this.connection, maxTopK });
  }

  async drop(name: string): Promise<void> {
    const call = { action: `drop collection "${name}"`, isIdempotent: true, patience: DROP_PATIENCE };
    await this.connection.call(call, async (client) => {
      try {
        await client.deleteCollection({ name: chromaName(name) });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  async tell(): Promise<string> {
    const call = { action: 'tell its version', isIdempotent: true };
    const [version, count] = await this.connection.call(call, (client) =>
      Promise.all([client.version(), client.countCollections()]),
    );
    return `Chroma ${version} at ${this.connection.address}, ${count} collections`;
  }
}

const foundOf = (name: string, collection: Collection): Found => ({
  spec: Object.freeze(specOfCollection(name, collection.metadata)),
  collection,
});
