import type { Document, DocumentInput, ScalarMetadata, SearchResult } from './models.js';

/** Options of a search; snake case reads the same. */
export interface SearchOptions {
  /** Documents at most, 1 to 100. @default 5 */
  readonly topK?: number;
  readonly top_k?: number;
  /** Facts that a document must have, all of them, equal in type and value. */
  readonly filters?: ScalarMetadata | null;
}

/**
 * A retrieval layer. Whatever the backend: documents go in and come out whole, and a search gives each
 * document at most once. Every method also has its Python name.
 */
export interface KnowledgeStore {
  /** What a person must know about how the store was set up: a model that was replaced, a backend that was chosen. */
  readonly notices: readonly string[];
  /**
   * Indexes a document, replacing one with the same id. True when it is searchable; a failure is thrown, never false.
   *
   * @throws IndexingError (`DOCUMENT_INVALID`), EmbeddingError, BackendConnectionError
   */
  indexDocument(docId: string, content: string, metadata?: ScalarMetadata | null): Promise<boolean>;
  indexDocument(document: DocumentInput): Promise<boolean>;
  /** Many at once, which is much faster; all are checked before any is written. Returns how many. */
  indexDocuments(documents: readonly DocumentInput[]): Promise<number>;
  /**
   * Documents that answer a query in natural language, best first.
   *
   * @throws SearchError (`QUERY_EMPTY`; `QUERY_INVALID` for a `topK` outside 1 to 100 or a filter that is not a scalar),
   * EmbeddingError, BackendConnectionError
   */
  search(query: string, topK?: number, filters?: ScalarMetadata | null): Promise<SearchResult[]>;
  search(query: string, options: SearchOptions): Promise<SearchResult[]>;
  search(request: SearchOptions & { readonly query: string }): Promise<SearchResult[]>;
  /** The document, or null. */
  getById(docId: string): Promise<Document | null>;
  /** The document. @throws DocumentNotFoundError */
  requireById(docId: string): Promise<Document>;
  /** True if there was such a document. */
  delete(docId: string): Promise<boolean>;
  /** Whether the backend answers. Never throws. */
  healthCheck(): Promise<boolean>;
  /** Closes the connection to the backend and the model. */
  close(): Promise<void>;

  /** As `indexDocument`. */
  index_document: KnowledgeStore['indexDocument'];
  /** As `indexDocuments`. */
  index_documents: KnowledgeStore['indexDocuments'];
  /** As `getById`. */
  get_by_id: KnowledgeStore['getById'];
  /** As `requireById`. */
  require_by_id: KnowledgeStore['requireById'];
  /** As `healthCheck`. */
  health_check: KnowledgeStore['healthCheck'];
}
