import { RAGError } from '../../core/errors.js';
import {
  EVERYONE,
  EVERYTHING,
  type Filter,
  type Metadata,
  oneOf,
  type VectorCollection,
  type VectorStore,
} from '../../index.js';
import { createChromaStore } from '../../stores/chroma/chroma-store.js';

/** Which collection, and of which vectors. */
export interface VectorStoreConfig {
  /** Of every vector. */
  readonly dimensions: number;
  /** @default 'documents' */
  readonly collection?: string;
  /** Name of the model that made the vectors: a collection of another one is refused. @default 'unnamed' */
  readonly model?: string;
}

export interface VectorDocument {
  readonly id: string;
  /** Of unit length. */
  readonly vector: Float32Array;
  readonly content?: string;
  readonly metadata?: Metadata;
}

export interface VectorStoreQuery {
  /** Of unit length. */
  readonly vector: Float32Array;
  /** @default 10 */
  readonly topK?: number;
  /** On metadata. */
  readonly filter?: Filter;
}

export interface VectorStoreResult {
  readonly id: string;
  readonly content: string;
  /** Cosine. */
  readonly score: number;
  readonly metadata: Metadata;
}

/** Section 2.1: documents with vectors of the caller's own, without an index around them. */
export interface IVectorStore {
  initialize(config: VectorStoreConfig): Promise<void>;
  upsert(documents: readonly VectorDocument[]): Promise<void>;
  search(query: VectorStoreQuery): Promise<VectorStoreResult[]>;
  delete(filter: readonly string[] | Filter): Promise<number>;
  getStats(): Promise<{ readonly documents: number }>;
}

/** A collection of a store under the calls of section 2.1. It knows no tenants. */
export class DocumentVectors implements IVectorStore {
  readonly #store: VectorStore;
  #collection: VectorCollection | undefined;

  constructor(store: VectorStore) {
    this.#store = store;
  }

  /** Opens the collection, or makes it. Throws `CONFIG_INVALID` for one of other vectors, `STORE_UNAVAILABLE`. */
  async initialize({
    dimensions,
    collection = 'documents',
    model = 'unnamed',
  }: VectorStoreConfig): Promise<void> {
    this.#collection = await this.#store.open({ name: collection, dimensions, fingerprint: model });
  }

  /** Writes documents, or replaces those of their ids. */
  async upsert(documents: readonly VectorDocument[]): Promise<void> {
    await this.#opened.upsert(
      documents.map(({ id, vector, content = '', metadata = {} }) => ({
        ...{ id, documentId: id, tenant: 'default', source: 'documents', content, searchText: '' },
        ...{ identifiers: [], vector, metadata, access: { groups: [EVERYONE], level: 0 } },
      })),
    );
  }

  /** The nearest first. */
  async search({ vector, topK = 10, filter = EVERYTHING }: VectorStoreQuery): Promise<VectorStoreResult[]> {
    const found = await this.#opened.searchVector({ vector, topK, filter });
    return found.map(({ chunk: { id, content, metadata }, score }) => ({ id, content, score, metadata }));
  }

  /** By ids or a filter on metadata; says how many there were. */
  delete(filter: readonly string[] | Filter): Promise<number> {
    return this.#opened.delete('op' in filter ? filter : oneOf('$documentId', filter));
  }

  async getStats(): Promise<{ readonly documents: number }> {
    return { documents: await this.#opened.count(EVERYTHING) };
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  get #opened(): VectorCollection {
    if (this.#collection === undefined)
      throw new RAGError(
        'USAGE',
        'The store has no collection yet: call `initialize({ dimensions })` first.',
      );
    return this.#collection;
  }
}

/** Where the server is. */
export interface ChromaServer {
  /** @default 'localhost' */
  readonly host?: string;
  /** @default 8000 */
  readonly port?: number;
}

/** Documents on a Chroma server. Needs the package `chromadb` (`PACKAGE_MISSING`). */
export class ChromaStore extends DocumentVectors {
  constructor(server: ChromaServer = {}) {
    super(createChromaStore(server));
  }
}
