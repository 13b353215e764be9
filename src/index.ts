/**
 * Ragstone: index a folder and find in it, offline, embedded.
 *
 * @module
 */

export { type AnalyzedQuery, analyzeQuery, analyzeText } from './analysis/lexical-analyzer.js';
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
export { answerQuestion, streamAnswer } from './answering/answer-question.js';
export type {
  AnswerDependencies,
  AnswerRequest,
  AnswerSettings,
  Retrieve,
  Retrieved,
  RetrieveOptions,
} from './answering/answer-request.js';
export type { ChatEvent, ChatMessage, ChatModel, ChatRequest, ChatUsage } from './answering/chat-model.js';
export { type ClaimSupport, checkSupport } from './answering/check-support.js';
export { ABSTENTION_THRESHOLD } from './answering/confidence-weights.js';
export { rewriteByRules, type StandaloneQuestion } from './answering/follow-up.js';
export { type EvidenceText, readEvidence } from './answering/support-features.js';
export {
  type UnsupportedPolicy,
  type VerifiedAnswer,
  verifyAnswer,
} from './answering/verify-answer.js';
export {
  createKeyVaultResolver,
  type KeyVaultCredential,
  type KeyVaultResolverOptions,
} from './config/azure-key-vault.js';
export type { RAGConfigInput } from './config/schema/index.js';
export type { SecretContext, SecretResolver } from './config/secret-scheme.js';
export { assembleContext, type ContextRequest } from './context/assemble-context.js';
export {
  type ContextEntry,
  type ContextOptions,
  type ContextOrder,
  type ContextPack,
  type ContextPiece,
  type ContextTokens,
  FALLBACK_TEXT,
  type LoadDocumentChunks,
  type OmissionReason,
  type OmittedChunk,
} from './context/context-pack.js';
export { flagInstructions, type InstructionFlag } from './context/instruction-flags.js';
export { neutralise } from './context/neutralise.js';
export {
  builtinTokenCounter,
  openAIEncodingOf,
  openAITokenCounter,
  type TokenCounter,
} from './context/token-counter.js';
export { allocateWindow, type PromptNeeds, type PromptPart, splitWindow } from './context/window-budget.js';
export type { ScoredChunk, StoredChunk } from './core/chunk.js';
export { DegradationLevel } from './core/degradation.js';
export type { DocumentOrigin } from './core/document-origin.js';
export {
  ERROR_TABLE,
  type ErrorCategory,
  type ErrorReason,
  RAGError,
  RAGErrorCode,
} from './core/errors.js';
export {
  and,
  contains,
  EVERYTHING,
  eq,
  exists,
  type Filter,
  not,
  oneOf,
  or,
  prefix,
  type RangeBounds,
  range,
} from './core/filter.js';
export type { Metadata, MetadataScalar, MetadataValue } from './core/metadata.js';
export { EVERYONE, LOCAL_SCOPE, type Scope } from './core/scope.js';
export type {
  MetricComparison,
  QueryChange,
  ScoreComparison,
} from './evaluation/compare-scores.js';
export type { GateVerdict } from './evaluation/gate.js';
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
export type {
  MissExplanation,
  MissRemedy,
  MissStage,
  MissStep,
} from './pipelines/miss-explanation.js';
export { type RAGDocument, type RAGIndexRequest, RAGService } from './pipelines/rag-service.js';
export {
  type SampleDocument,
  type SourceProblem,
  type SourceTest,
  type TestSourceOptions,
  testSource,
} from './pipelines/test-source.js';
export { REDACTION_TYPES, type RedactionType } from './security/redaction/detection.js';
export { createRedactor, type Redactor, type RedactorOptions } from './security/redaction/redactor.js';
export { revealTokens } from './security/redaction/token-cipher.js';
export type { PushedDocument } from './sources/push/push-source.js';
