/**
 * A retrieval layer over any store: index documents, search them, get them back whole.
 *
 * @module
 */

export type { Embedder } from '../../embedding/embedder.js';
export type { VectorStore } from '../../stores/vector-store.js';
export { AzureSearchStore, type AzureSearchStoreOptions } from './azure-search-store.js';
export { ChromaDBStore, type ChromaDBStoreOptions } from './chromadb-store.js';
export { KNOWLEDGE_STORE_VARIABLES, KnowledgeStoreConfig, type KnowledgeStoreSettings } from './config.js';
export { ElasticsearchStore, OpenSearchStore, type SearchServerStoreOptions } from './elasticsearch-store.js';
export {
  ASDLCError,
  BackendConnectionError,
  DocumentNotFoundError,
  EmbeddingError,
  IndexingError,
  KnowledgeStoreError,
  SearchError,
} from './errors.js';
export { get_knowledge_store, getKnowledgeStore, type KnowledgeStoreOptions } from './factory.js';
export type { KnowledgeStore, SearchOptions } from './knowledge-store.js';
export {
  Document,
  type DocumentId,
  type DocumentInput,
  type Scalar,
  type ScalarMetadata,
  SearchResult,
  type SearchResultFields,
} from './models.js';
export { QdrantStore, type QdrantStoreOptions } from './qdrant-store.js';
export { VertexSearchStore, type VertexSearchStoreOptions } from './vertex-search-store.js';
