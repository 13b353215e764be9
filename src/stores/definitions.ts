import { azureAiSearchDefinition } from './azure-ai-search/azure-definition.js';
import { chromaDefinition } from './chroma/chroma-definition.js';
import { elasticsearchDefinition, opensearchDefinition } from './elasticsearch/elasticsearch-definition.js';
import { lancedbDefinition } from './lancedb/lancedb-definition.js';
import { libsqlDefinition } from './libsql/libsql-definition.js';
import { memoryDefinition } from './memory/memory-definition.js';
import { pineconeDefinition } from './pinecone/pinecone-definition.js';
import { postgresDefinition } from './postgres/postgres-definition.js';
import { qdrantDefinition } from './qdrant/qdrant-definition.js';
import { faissDefinition, usearchDefinition } from './usearch-definition.js';
import { vertexAiSearchDefinition } from './vertex-ai-search/vertex-definition.js';
import { weaviateDefinition } from './weaviate/weaviate-definition.js';

/** Every store that a configuration can name. */
export const STORES = [
  lancedbDefinition,
  libsqlDefinition,
  memoryDefinition,
  usearchDefinition,
  faissDefinition,
  postgresDefinition,
  chromaDefinition,
  elasticsearchDefinition,
  opensearchDefinition,
  weaviateDefinition,
  qdrantDefinition,
  pineconeDefinition,
  azureAiSearchDefinition,
  vertexAiSearchDefinition,
] as const;
