/**
 * For a backlog pipeline: its step that enriches items with what the index knows, commands for its command line, and the names that it
 * imports from a retrieval system.
 *
 * @module
 */

export {
  type ChunkableDocument,
  DegradationLevel,
  type DocumentChunk,
  type IndexError,
  type IndexRequest,
  type IndexResult,
  type IndexStatus as RAGStatus,
  type RAGConfigInput as RAGConfig,
  type RAGDocument,
  RAGError,
  RAGErrorCode,
  type RAGIndexRequest,
  RAGService,
  type RAGServicePlace,
  type RolloutComparison,
  type RolloutOutcome,
  type RolloutReport,
  type SearchQuery,
  type SearchResult,
  SemanticChunker,
  type SemanticChunkerOptions,
} from '../../index.js';
export type {
  BacklogItem,
  ContextEnrichment,
  EnrichedContext,
  EnrichedPBI,
  PastDecision,
  PipelineContext,
  ScoredPBI,
  SimilarWork,
  TechnicalDoc,
} from './context-enrichment.js';
export { CrossEncoderReranker, type IReranker } from './cross-encoder-reranker.js';
export type {
  CacheConfig,
  ChunkingConfig,
  CloudStorageConfig,
  DataSource,
  DataSourceConfig,
  LocalStorageConfig,
  RerankConfig,
} from './document-names.js';
export { EmbeddingService, type IEmbeddingService } from './embedding-service.js';
export { type EnrichContextOptions, EnrichContextStep, WORK_TYPES } from './enrich-context-step.js';
export { loadRAGConfig } from './load-rag-config.js';
export { type IDocumentLoader, PBIJSONLoader } from './pbi-json-loader.js';
export {
  type ExpandedQuery,
  type IQueryProcessor,
  type ProcessedQuery,
  QueryProcessor,
} from './query-processor.js';
export { ragCommands } from './rag-commands.js';
export { type IRAGOrchestrator, RAGOrchestrator } from './rag-orchestrator.js';
export {
  type ChromaServer,
  ChromaStore,
  DocumentVectors,
  type IVectorStore,
  type VectorDocument,
  type VectorStoreConfig,
  type VectorStoreQuery,
  type VectorStoreResult,
} from './vector-stores.js';
