/**
 * Ragstone: index documents, find in them, answer from them; offline and embedded.
 *
 * Most programs need `createEngine` and the types of what it gives. Below it: what a program may configure and evaluate,
 * the stages behind a search that are usable alone, and the interfaces that stores and models implement.
 *
 * @module
 */

// The engine: index, search, ask.

export { type CreateEngineOptions, createEngine } from './pipelines/create-engine.js';
export type {
  AskRequest,
  Drift,
  DriftKind,
  Engine,
  IndexError,
  IndexEstimate,
  IndexProgress,
  IndexRequest,
  IndexResult,
  IndexStatus,
  LaneStatus,
  QueryReading,
  ScoreExplanation,
  SearchMode,
  SearchQuery,
  SearchResponse,
  SearchResult,
  SourceStatus,
  VerifyResult,
} from './pipelines/engine.js';
export type {
  MissExplanation,
  MissRemedy,
  MissStage,
  MissStep,
} from './pipelines/miss-explanation.js';
export { type RAGDocument, type RAGIndexRequest, RAGService } from './pipelines/rag-service.js';

// What an answer says, and what a stream of it gives.

export type {
  Abstention,
  Answer,
  AnswerFallback,
  AnswerMode,
  AnswerModelReport,
  AnswerSource,
  Citation,
  ConversationTurn,
  SentenceSupport,
  SupportVerdict,
} from './answering/answer.js';
export type { AnswerEvent } from './answering/answer-events.js';
export { DegradationLevel } from './core/degradation.js';

// Who asks, and for what.

export {
  and,
  contains,
  EVERYTHING,
  eq,
  exists,
  type Filter,
  type FilterOperator,
  not,
  oneOf,
  or,
  prefix,
  type RangeBounds,
  range,
} from './core/filter.js';
export { EVERYONE, LOCAL_SCOPE, type Scope } from './core/scope.js';

// Documents and where they come from.

export type { LineRange, TextRange } from './core/document.js';
export type { DocumentOrigin } from './core/document-origin.js';
export type { Metadata, MetadataScalar, MetadataValue } from './core/metadata.js';
export {
  type SampleDocument,
  type SourceProblem,
  type SourceTest,
  type TestSourceOptions,
  testSource,
} from './pipelines/test-source.js';
export { revealTokens } from './security/redaction/token-cipher.js';
export type { PushedDocument } from './sources/push/push-source.js';

// Whatever goes wrong (docs/errors.md).

export {
  ERROR_TABLE,
  type ErrorCategory,
  type ErrorReason,
  RAGError,
  RAGErrorCode,
  type RAGErrorOptions,
} from './core/errors.js';

// Configuration, and where its secrets are (docs/configuration.md, docs/sources/README.md).

export {
  createKeyVaultResolver,
  type KeyVaultCredential,
  type KeyVaultResolverOptions,
} from './config/azure-key-vault.js';
export type { RAGConfigInput, RAGSettingsInput } from './config/schema/index.js';
export type { SecretContext, SecretResolver } from './config/secret-scheme.js';

// How good it is (docs/evaluation.md).

export type {
  MetricComparison,
  QueryChange,
  ScoreComparison,
} from './evaluation/compare-scores.js';
export type { GateVerdict } from './evaluation/gate.js';
export { evaluate } from './pipelines/evaluate.js';
export {
  type AnswersReport,
  type EvaluateAnswersOptions,
  evaluateAnswers,
} from './pipelines/evaluate-answers.js';
export {
  type ComparedConfiguration,
  type CompareOptions,
  type ComparisonReport,
  compareConfigurations,
} from './pipelines/evaluate-compare.js';
export {
  evaluateAgainst,
  type GatedReport,
  type GateEvaluationOptions,
  type WriteBaselineOptions,
  writeBaseline,
} from './pipelines/evaluate-gate.js';
export {
  type InitQuestionsOptions,
  type InitQuestionsReport,
  initQuestions,
} from './pipelines/evaluate-init.js';
export { type TuneOptions, type TuneReport, tune } from './pipelines/evaluate-tune.js';
export type {
  EvaluatedConfig,
  EvaluateOptions,
  EvaluateProgress,
  EvaluationReport,
} from './pipelines/evaluate-types.js';

// Stages that are usable alone: from passages to a context, from a search of your own to an answer, and its check
// (docs/answering.md); the words of a text as search compares them, for marking what was found.

export { type AnalyzedQuery, analyzeQuery, analyzeText } from './analysis/lexical-analyzer.js';
export { answerQuestion, streamAnswer } from './answering/answer-question.js';
export type {
  AnswerDependencies,
  AnswerRequest,
  AnswerSettings,
  Retrieve,
  Retrieved,
  RetrieveOptions,
} from './answering/answer-request.js';
export {
  type UnsupportedPolicy,
  type VerifiedAnswer,
  type VerifyOptions,
  verifyAnswer,
} from './answering/verify-answer.js';
export { assembleContext, type ContextRequest } from './context/assemble-context.js';
export type {
  ContextEntry,
  ContextOptions,
  ContextOrder,
  ContextPack,
  ContextPiece,
  ContextTokens,
  LoadDocumentChunks,
  OmissionReason,
  OmittedChunk,
} from './context/context-pack.js';
export type { InstructionFlag } from './context/instruction-flags.js';
export type { TokenCounter } from './context/token-counter.js';
export { tokenCounterFor } from './pipelines/token-counter-for.js';

// What stores and models implement; `ragstone/testing` has the suite that every store must pass (docs/stores.md).

export type {
  ChatEvent,
  ChatFinishReason,
  ChatMessage,
  ChatModel,
  ChatRequest,
  ChatUsage,
} from './answering/chat-model.js';
export type { ChunkRecord, ScoredChunk, StoredChunk } from './core/chunk.js';
export type { Embedder, EmbeddingKind, ModelIdentity } from './embedding/embedder.js';
export type {
  CollectionSpec,
  CollectionStats,
  ListPage,
  ListQuery,
  ScoredId,
  StoreCapabilities,
  TextQuery,
  VectorCollection,
  VectorQuery,
  VectorStore,
} from './stores/vector-store.js';
