/**
 * What the rest of the system imports of its retrieval layer, under the names of the design: `src/core/interfaces.py`,
 * `src/core/exceptions.py` and `src/infrastructure/knowledge_store/` in one. A class for another backend is one line more here.
 */
export {
  ASDLCError,
  AzureSearchStore,
  BackendConnectionError,
  ChromaDBStore,
  Document,
  DocumentNotFoundError,
  ElasticsearchStore,
  EmbeddingError,
  get_knowledge_store,
  IndexingError,
  type KnowledgeStore,
  KnowledgeStoreConfig,
  KnowledgeStoreError,
  OpenSearchStore,
  QdrantStore,
  SearchError,
  SearchResult,
  VertexSearchStore,
} from 'ragstone/knowledge-store';
