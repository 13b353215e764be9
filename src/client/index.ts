/**
 * A client of the HTTP service, for browsers and Node.js: `fetch`, and nothing of the engine.
 *
 * @module
 */

export type { CallOptions, WriteOptions } from './call.js';
export type { ClientRuntime } from './client-runtime.js';
export type { ConnectionOptions, KeyProvider } from './connection.js';
export { type ClientOptions, RagstoneClient } from './ragstone-client.js';
export { ServiceError, type ServiceErrorReason } from './service-error.js';
export type {
  AnswerEvent,
  AnswerRequest,
  AnswerResponse,
  BatchRequest,
  BatchResponse,
  Caller,
  ChatRequest,
  ChatResponse,
  ContextRequest,
  ContextResponse,
  DeletedParts,
  DeploymentConfig,
  DeploymentList,
  DeploymentMove,
  DeploymentRequest,
  DeploymentsHealth,
  DeploymentValidation,
  DocumentPage,
  DocumentText,
  EmbeddingRequest,
  EmbeddingResponse,
  ExplainMissRequest,
  ExplainMissResponse,
  ExplainRequest,
  ExplainResponse,
  FailuresPage,
  FailuresQuery,
  FeedbackId,
  FeedbackJudgments,
  FeedbackPage,
  FeedbackQuery,
  FeedbackRequest,
  Health,
  IndexCounts,
  IndexedDocument,
  IndexRun,
  IndexStats,
  IndexStatus,
  JudgmentsQuery,
  KeysResponse,
  KnowledgeDocument,
  KnowledgeDocumentInput,
  ListQuery,
  PartsHealth,
  RunRequest,
  RunsResponse,
  RunsState,
  SearchRequest,
  SearchResponse,
  SourcesResponse,
  StoppedRuns,
  UploadedFile,
  UploadRequest,
  UploadResponse,
} from './types.js';
