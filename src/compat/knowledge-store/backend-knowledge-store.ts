import { RAGError } from '../../core/errors.js';
import {
  asErrorsOf,
  DocumentNotFoundError,
  IndexingError,
  KnowledgeStoreError,
  SearchError,
} from './errors.js';
import type { KnowledgeStore, SearchOptions } from './knowledge-store.js';
import { type Document, type DocumentInput, type ScalarMetadata, SearchResult } from './models.js';
import type { Answering, Shelf } from './shelf.js';
import { validDocId, validDocuments, validFacts, validOptions, validTopK } from './validate.js';

const DEFAULT_TOP_K = 5;

/** A knowledge store over any shelf: it checks what it is given, names errors, and has both namings. */
export class BackendKnowledgeStore implements KnowledgeStore {
  readonly #openShelf: () => Promise<Shelf>;
  #opening: Promise<Shelf> | undefined;
  #shelf: Shelf | undefined;
  #isClosed = false;

  /** @param openShelf called on first use, and again where it failed. */
  constructor(openShelf: () => Promise<Shelf>) {
    this.#openShelf = openShelf;
  }

  /** Complete once the store was used. */
  get notices(): readonly string[] {
    return this.#shelf?.notices ?? [];
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
      const shelf = await this.#open();
      if (latest.length > 0) await shelf.write(latest);
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
      const facts = validFacts(options.filters);
      if (typeof text !== 'string' || text.trim() === '')
        throw new RAGError('QUERY_EMPTY', 'The query is empty: ask something.');
      return (await (await this.#open()).find({ text, topK, facts })).map(toResult);
    });
  }

  getById(docId: string): Promise<Document | null> {
    return asErrorsOf(SearchError, async () => {
      const id = validDocId(docId);
      return (await (await this.#open()).read(id)) ?? null;
    });
  }

  async requireById(docId: string): Promise<Document> {
    const document = await this.getById(docId);
    if (document !== null) return document;
    throw new DocumentNotFoundError('DOCUMENT_NOT_FOUND', `There is no document ${JSON.stringify(docId)}.`);
  }

  delete(docId: string): Promise<boolean> {
    return asErrorsOf(IndexingError, async () => {
      const id = validDocId(docId);
      return (await this.#open()).remove(id);
    });
  }

  async healthCheck(): Promise<boolean> {
    try {
      await (await this.#open()).check();
      return true;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => undefined);
    await this.#shelf?.close();
    this.#shelf = undefined;
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

  async #open(): Promise<Shelf> {
    if (this.#isClosed)
      throw new KnowledgeStoreError('USAGE', 'This knowledge store is closed; open another one.');
    this.#opening ??= this.#openNow().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  #openNow(): Promise<Shelf> {
    return asErrorsOf(KnowledgeStoreError, async () => {
      this.#shelf = await this.#openShelf();
      return this.#shelf;
    });
  }
}

const optionsOf = (
  topKOrOptions: number | SearchOptions | undefined,
  filters: ScalarMetadata | null | undefined,
): SearchOptions =>
  typeof topKOrOptions === 'object'
    ? topKOrOptions
    : { ...(topKOrOptions === undefined ? {} : { topK: topKOrOptions }), filters: filters ?? null };

function toResult({ document: { docId, content, metadata }, passage, score }: Answering): SearchResult {
  const source = typeof metadata.source === 'string' ? metadata.source : docId;
  return new SearchResult({ docId, content, passage: passage.trim(), metadata, score, source });
}
