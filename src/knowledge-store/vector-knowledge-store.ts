import type { ChunkRecord, StoredChunk } from '../core/chunk.js';
import { RAGError } from '../core/errors.js';
import { and, eq, type Filter, not, oneOf } from '../core/filter.js';
import { LOCAL_SCOPE, type Scope } from '../core/scope.js';
import { embedAll } from '../embedding/embed-all.js';
import { type Embedder, fingerprintOf } from '../embedding/embedder.js';
import { loadWordRarity } from '../embedding/static/word-rarity.js';
import { createRetriever } from '../retrieval/create-retriever.js';
import { DEFAULT_RETRIEVAL_SETTINGS } from '../retrieval/default-settings.js';
import { scopeCollection } from '../security/scoped-collection.js';
import { listAll } from '../stores/list-pages.js';
import type { VectorCollection, VectorStore } from '../stores/vector-store.js';
import { type Cutter, chunksOf, contentOf, type DocumentChunk, metadataOf } from './document-chunks.js';
import {
  asErrorsOf,
  DocumentNotFoundError,
  IndexingError,
  KnowledgeStoreError,
  SearchError,
} from './errors.js';
import type { KnowledgeStore, SearchOptions } from './knowledge-store.js';
import { Document, type DocumentInput, type ScalarMetadata, SearchResult } from './models.js';
import {
  filterOf,
  type ValidDocument,
  validDocId,
  validDocuments,
  validOptions,
  validTopK,
} from './validate.js';

/** What a knowledge store works with. */
export interface KnowledgeStoreParts {
  readonly store: VectorStore;
  readonly embedder: Embedder;
  readonly cutter: Cutter;
  readonly notices?: readonly string[];
}

export interface VectorKnowledgeStoreOptions {
  /** Gives the parts on first use. */
  readonly parts: () => Promise<KnowledgeStoreParts>;
  /** Letters, digits, `_`, `-`, 1 to 64 characters. */
  readonly collectionName: string;
  /** Whose documents these are. @default LOCAL_SCOPE */
  readonly scope?: Scope;
}

interface Opened extends KnowledgeStoreParts {
  readonly collection: VectorCollection;
}

const DEFAULT_TOP_K = 5;
const PAGE = 1_000;
const WRITE_BATCH = 1_000;
/** Chunks asked for per wanted document; grows while too few documents are among them. */
const CHUNKS_PER_DOCUMENT = 4;

/** A knowledge store over any `VectorStore` and `Embedder`: hybrid search where the store ranks words, else by meaning. */
export class VectorKnowledgeStore implements KnowledgeStore {
  readonly #options: VectorKnowledgeStoreOptions;
  readonly #scope: Scope;
  #opening: Promise<Opened> | undefined;
  #opened: KnowledgeStoreParts | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: VectorKnowledgeStoreOptions) {
    this.#options = options;
    this.#scope = options.scope ?? LOCAL_SCOPE;
  }

  /** Complete once the store was used. */
  get notices(): readonly string[] {
    return this.#opened?.notices ?? [];
  }

  async indexDocument(
    document: string | DocumentInput,
    content?: string,
    metadata?: ScalarMetadata | null,
  ): Promise<boolean> {
    const input =
      typeof document === 'string'
        ? { docId: document, content: content ?? '', metadata: metadata ?? null }
        : document;
    await this.indexDocuments([input]);
    return true;
  }

  indexDocuments(documents: readonly DocumentInput[]): Promise<number> {
    return asErrorsOf(IndexingError, async () => {
      const valid = validDocuments(documents);
      // The last of a name counts, as if they came one by one.
      const latest = [...new Map(valid.map((document) => [document.docId, document])).values()];
      await this.#inTurn(async () => this.#write(await this.#open(), latest));
      return latest.length;
    });
  }

  search(
    request: string | (SearchOptions & { readonly query: string }),
    topKOrOptions?: number | SearchOptions,
    filters?: ScalarMetadata | null,
  ): Promise<SearchResult[]> {
    return asErrorsOf(SearchError, async () => {
      const options =
        typeof request === 'string'
          ? { ...validOptions(optionsOf(topKOrOptions, filters)), query: request }
          : validOptions(request);
      const text = options.query;
      const topK = validTopK(options.topK ?? options.top_k ?? DEFAULT_TOP_K);
      const filter = filterOf(options.filters);
      if (typeof text !== 'string' || text.trim() === '')
        throw new RAGError('QUERY_EMPTY', 'The query is empty: ask something.');
      return this.#search(await this.#open(), { text, topK, filter });
    });
  }

  getById(docId: string): Promise<Document | null> {
    return asErrorsOf(SearchError, async () => {
      const id = validDocId(docId);
      const { collection } = await this.#open();
      const chunks = await listAll(collection, { filter: eq('$documentId', id), limit: PAGE });
      const [first] = chunks;
      if (first === undefined) return null;
      const [withVector] =
        chunks.length === 1 ? await collection.get([first.id], { includeVectors: true }) : [];
      return new Document({
        docId: id,
        content: contentOf(chunks),
        metadata: metadataOf(first),
        embedding: withVector?.vector === undefined ? null : [...withVector.vector],
      });
    });
  }

  async requireById(docId: string): Promise<Document> {
    const document = await this.getById(docId);
    if (document !== null) return document;
    throw new DocumentNotFoundError('DOCUMENT_NOT_FOUND', `There is no document ${JSON.stringify(docId)}.`);
  }

  delete(docId: string): Promise<boolean> {
    return asErrorsOf(IndexingError, async () => {
      const filter = eq('$documentId', validDocId(docId));
      return this.#inTurn(async () => (await (await this.#open()).collection.delete(filter)) > 0);
    });
  }

  async healthCheck(): Promise<boolean> {
    try {
      const { store, collection } = await this.#open();
      const [{ ok }] = await Promise.all([store.health(), collection.count(eq('$chunkId', ''))]);
      return ok;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing.catch(() => undefined);
    await this.#opening?.catch(() => undefined);
    await Promise.all([this.#opened?.store.close(), this.#opened?.embedder.close()]);
  }

  index_document(
    document: string | DocumentInput,
    content?: string,
    metadata?: ScalarMetadata | null,
  ): Promise<boolean> {
    return this.indexDocument(document, content, metadata);
  }

  index_documents(documents: readonly DocumentInput[]): Promise<number> {
    return this.indexDocuments(documents);
  }

  get_by_id(docId: string): Promise<Document | null> {
    return this.getById(docId);
  }

  require_by_id(docId: string): Promise<Document> {
    return this.requireById(docId);
  }

  health_check(): Promise<boolean> {
    return this.healthCheck();
  }

  // A failed attempt is forgotten: the backend may be up the next time.
  async #open(): Promise<Opened> {
    if (this.#isClosed)
      throw new KnowledgeStoreError('USAGE', 'This knowledge store is closed; open another one.');
    this.#opening ??= this.#openNow().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #openNow(): Promise<Opened> {
    return asErrorsOf(KnowledgeStoreError, async () => {
      this.#opened ??= await this.#options.parts();
      const parts = this.#opened;
      const collection = await parts.store.open({
        name: this.#options.collectionName,
        dimensions: parts.embedder.dimensions,
        fingerprint: fingerprintOf(parts.embedder.identity),
      });
      return { ...parts, collection: scopeCollection(collection, this.#scope) };
    });
  }

  // One write at a time, so that two revisions of a document never mix.
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#writing.catch(() => undefined).then(work);
    this.#writing = turn;
    return turn;
  }

  // New chunks first and old ones after, so that a document is never gone in between.
  async #write({ collection, embedder, cutter }: Opened, documents: readonly ValidDocument[]): Promise<void> {
    const cut = documents.map((document) => ({
      docId: document.docId,
      chunks: chunksOf(document, this.#scope, cutter),
    }));
    const chunks = cut.flatMap((document) => document.chunks);
    const records = await withVectors(chunks, collection, embedder);
    for (let start = 0; start < records.length; start += WRITE_BATCH)
      await collection.upsert(records.slice(start, start + WRITE_BATCH));
    for (const { docId, chunks: present } of cut) {
      const ids = present.map(({ record }) => record.id);
      await collection.delete(and(eq('$documentId', docId), not(oneOf('$chunkId', ids))));
    }
  }

  async #search(
    opened: Opened,
    { text, topK, filter }: { readonly text: string; readonly topK: number; readonly filter: Filter },
  ): Promise<SearchResult[]> {
    const { store, collection, embedder } = opened;
    const retriever = createRetriever({
      collection,
      capabilities: store.capabilities,
      embedQuery: async (query, signal) => queryVector(embedder, query, signal),
      modelKey: embedder.identity.model,
      loadRarity: loadWordRarity,
      settings: DEFAULT_RETRIEVAL_SETTINGS,
    });
    const mode = store.capabilities.lexical === 'bm25' ? 'hybrid' : 'dense';
    for (let chunks = topK * CHUNKS_PER_DOCUMENT; ; chunks *= CHUNKS_PER_DOCUMENT) {
      const limit = Math.min(chunks, store.capabilities.maxTopK);
      const { candidates } = await retriever.retrieve({
        text,
        mode,
        topK: limit,
        filter,
        minSimilarity: 0,
        rerank: false,
      });
      const best = new Map<string, (typeof candidates)[number]>();
      for (const candidate of candidates)
        if (!best.has(candidate.chunk.documentId)) best.set(candidate.chunk.documentId, candidate);
      const isAll = candidates.length < limit || limit === store.capabilities.maxTopK;
      if (best.size < topK && !isAll) continue;
      return this.#toResults(collection, [...best.values()].slice(0, topK));
    }
  }

  async #toResults(
    collection: VectorCollection,
    hits: readonly { readonly chunk: StoredChunk; readonly score: number }[],
  ): Promise<SearchResult[]> {
    const ids = hits.map(({ chunk }) => chunk.documentId);
    const chunks =
      ids.length === 0 ? [] : await listAll(collection, { filter: oneOf('$documentId', ids), limit: PAGE });
    const byDocument = new Map<string, StoredChunk[]>(ids.map((id) => [id, []]));
    for (const each of chunks) byDocument.get(each.documentId)?.push(each);
    return hits.map(({ chunk, score }) => {
      const metadata = metadataOf(chunk);
      return new SearchResult({
        docId: chunk.documentId,
        content: contentOf(byDocument.get(chunk.documentId) ?? [chunk]),
        passage: chunk.content.trim(),
        metadata,
        score,
        source: typeof metadata.source === 'string' ? metadata.source : chunk.documentId,
      });
    });
  }
}

/** A chunk's id says what is embedded of it, so one that is there already has its vector. */
async function withVectors(
  chunks: readonly DocumentChunk[],
  collection: VectorCollection,
  embedder: Embedder,
): Promise<ChunkRecord[]> {
  const ids = chunks.map(({ record }) => record.id);
  const stored = await collection.get(ids, { includeVectors: true });
  const known = new Map(stored.map(({ id, vector }) => [id, vector]));
  const missing = chunks.filter(({ record }) => known.get(record.id) === undefined);
  const texts = missing.map(({ indexedText }) => indexedText);
  const { vectors } = await embedAll(embedder, texts, 'document');
  for (const [i, { record }] of missing.entries()) known.set(record.id, vectors[i]);
  return chunks.map(({ record }) => {
    const vector = known.get(record.id);
    if (vector === undefined)
      throw new RAGError('EMBEDDING_FAILED', 'The embedding model gave no vector for a chunk.');
    return { ...record, vector };
  });
}

const optionsOf = (
  topKOrOptions: number | SearchOptions | undefined,
  filters: ScalarMetadata | null | undefined,
): SearchOptions =>
  typeof topKOrOptions === 'object'
    ? topKOrOptions
    : { ...(topKOrOptions === undefined ? {} : { topK: topKOrOptions }), filters: filters ?? null };

async function queryVector(
  embedder: Embedder,
  text: string,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  const [vector] = await embedder.doEmbed([text], 'query', signal);
  if (vector !== undefined) return vector;
  throw new RAGError('EMBEDDING_FAILED', 'The embedding model gave no vector for the query.');
}
