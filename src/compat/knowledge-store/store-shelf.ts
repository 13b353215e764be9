import type { DocumentChunker } from '../../chunking/chunker.js';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import type { ChunkRecord, StoredChunk } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';
import { and, eq, not, oneOf } from '../../core/filter.js';
import type { Scope } from '../../core/scope.js';
import { OpenedOnce } from '../../core/shared-load.js';
import { slicesOf } from '../../core/slices.js';
import { embedAll } from '../../embedding/embed-all.js';
import { type Embedder, fingerprintOf } from '../../embedding/embedder.js';
import { NO_SEALING } from '../../platform/security/sealed-metadata.js';
import { createRerankerFor } from '../../resources/assembly/open-reranker.js';
import { queryEmbedderOver } from '../../resources/query-adaptation.js';
import { findPassages } from '../../searching/find-passages.js';
import type { FindResources, SearchedIndex } from '../../searching/searched-index.js';
import { listAll } from '../../stores/list-pages.js';
import { scopeCollection } from '../../stores/scoped-collection.js';
import type { CollectionSpec, VectorCollection, VectorStore } from '../../stores/vector-store.js';
import { documentsOf, type IndexedChunk, STORED_FACTS, wholeChunks } from './document-chunks.js';
import { factsFilter } from './facts.js';
import type { Document } from './models.js';
import type { Answering, Question, Shelf } from './shelf.js';
import type { ValidDocument } from './validate.js';

const WRITE_BATCH = 1_000;

export interface StoreShelfParts {
  readonly config: ResolvedConfig;
  readonly store: VectorStore;
  readonly embedder: Embedder;
  readonly chunker: DocumentChunker;
  readonly collectionName: string;
  readonly scope: Scope;
  readonly notices: readonly string[];
}

/**
 * Documents in a store that others may write too, with nothing beside it: all that is known of them stands in the store. So no
 * revision is written as one, and nothing is learnt of the collection.
 */
export class StoreShelf implements Shelf {
  readonly notices: readonly string[];
  readonly #parts: StoreShelfParts;
  #opening: Promise<VectorCollection> | undefined;
  readonly #reranker = new OpenedOnce(() => createRerankerFor(this.#parts.config));
  #writing: Promise<unknown> = Promise.resolve();

  /** @param parts store and embedder are closed with the shelf. */
  constructor(parts: StoreShelfParts) {
    this.#parts = parts;
    this.notices = parts.notices;
  }

  write(documents: readonly ValidDocument[]): Promise<void> {
    return this.#inTurn(async () => {
      const collection = await this.#scoped();
      const cut = await Promise.all(documents.map((document) => wholeChunks(document, this.#parts)));
      const records = await this.#withVectors(cut.flat(), collection);
      // New chunks first and old ones after, so that a document is never gone in between.
      for (const some of slicesOf(records, WRITE_BATCH)) await collection.upsert(some);
      for (const [i, { docId }] of documents.entries()) {
        const ids = (cut[i] ?? []).map(({ record }) => record.id);
        await collection.delete(and(eq('$documentId', docId), not(oneOf('$chunkId', ids))));
      }
      await this.#seen(collection);
    });
  }

  async find({ text, topK, facts }: Question): Promise<Answering[]> {
    const { lexical } = this.#parts.store.capabilities;
    const { passages } = await findPassages(
      {
        text,
        filter: factsFilter(facts, STORED_FACTS),
        options: {
          topK,
          mode: lexical === 'none' ? 'dense' : 'hybrid',
          collapse: 'document',
          minSimilarity: 0,
          nearDuplicates: 'keep',
          mmrLambda: 1,
        },
      },
      this.#parts.scope,
      { resources: await this.#resources() },
    );
    const ids = passages.map(({ chunk }) => chunk.documentId);
    const documents = await this.#read(ids);
    return passages.flatMap(({ chunk, score }) => {
      const document = documents.get(chunk.documentId);
      return document === undefined ? [] : [{ document, passage: chunk.content, score }];
    });
  }

  async read(docId: string): Promise<Document | undefined> {
    return (await this.#read([docId])).get(docId);
  }

  remove(docId: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const collection = await this.#scoped();
      const deleted = await collection.delete(eq('$documentId', docId));
      await this.#seen(collection);
      return deleted > 0;
    });
  }

  async check(): Promise<void> {
    const { ok, detail } = await this.#parts.store.health();
    if (!ok) throw new RAGError('STORE_UNAVAILABLE', detail);
    await (await this.#scoped()).count(eq('$chunkId', ''));
  }

  async close(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await (await this.#reranker.opened())?.close();
    await Promise.all([this.#parts.store.close(), this.#parts.embedder.close()]);
  }

  // A failed attempt is forgotten: the server may be up the next time.
  #collection(): Promise<VectorCollection> {
    this.#opening ??= this.#parts.store.open(this.#spec);
    const opening = this.#opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }

  async #scoped(): Promise<VectorCollection> {
    return scopeCollection(await this.#collection(), this.#parts.scope);
  }

  get #spec(): CollectionSpec {
    const { collectionName: name, embedder } = this.#parts;
    return { name, dimensions: embedder.dimensions, fingerprint: fingerprintOf(embedder.identity) };
  }

  async #resources(): Promise<FindResources> {
    const { config, store, embedder } = this.#parts;
    const { name, dimensions, fingerprint } = this.#spec;
    const collection = await this.#collection();
    const facts = {
      generation: 0,
      state: 'live',
      provider: store.name,
      collection: name,
      dimensions,
      fingerprint,
      embedder: embedder.identity.model,
    } as const;
    const forQueries = queryEmbedderOver(embedder, { adapt: false });
    return {
      config,
      stores: {
        collection: async () => ({ facts, ledger: NO_LEDGER, collection, store, sealing: NO_SEALING }),
      },
      models: {
        embedderOf: async () => ({ embedder, notices: [], forQueries }),
        reranker: this.#reranker,
      },
    };
  }

  async #read(ids: readonly string[]): Promise<Map<string, Document>> {
    if (ids.length === 0) return new Map();
    const collection = await this.#scoped();
    const chunks = await listAll(collection, { filter: oneOf('$documentId', ids) });
    const documents = documentsOf(chunks);
    const [only] = chunks;
    if (ids.length > 1 || chunks.length > 1 || only === undefined) return documents;
    return documentsOf(await collection.get([only.id], { includeVectors: true }));
  }

  /** A chunk's id says what is embedded of it, so one that is there already has its vector. */
  async #withVectors(chunks: readonly IndexedChunk[], collection: VectorCollection): Promise<ChunkRecord[]> {
    const ids = chunks.map(({ record }) => record.id);
    const stored = await collection.get(ids, { includeVectors: true });
    const known = new Map(stored.map(({ id, vector }: StoredChunk) => [id, vector]));
    const missing = chunks.filter(({ record }) => known.get(record.id) === undefined);
    const texts = missing.map(({ indexedText }) => indexedText);
    const { vectors } = await embedAll(this.#parts.embedder, texts, 'document');
    for (const [i, { record }] of missing.entries()) known.set(record.id, vectors[i]);
    return chunks.map(({ record }) => {
      const vector = known.get(record.id);
      if (vector === undefined) throw new RAGError('INTERNAL', 'A text was left without a vector.');
      return { ...record, vector };
    });
  }

  /** Returns when what was written can be read, in a store that shows it only later. */
  async #seen(collection: VectorCollection): Promise<void> {
    if (this.#parts.store.capabilities.consistency !== 'immediate') await collection.optimize();
  }

  // One write at a time, so that two revisions of a document never mix.
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#writing.catch(() => undefined).then(work);
    this.#writing = turn;
    return turn;
  }
}

/** No run was ever recorded, and nothing was learnt. */
const NO_LEDGER: SearchedIndex['ledger'] = {
  lastRun: async () => undefined,
  generations: async () => [],
  learned: async () => undefined,
  reader: () => {
    throw new RAGError('INTERNAL', 'A store alone has no ledger to read.');
  },
};
