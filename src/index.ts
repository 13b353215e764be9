/**
 * Ragstone: index documents, find in them, answer from them; offline and embedded.
 *
 * Most programs need `createEngine` and the types of what it gives. Below it: what a program may configure and evaluate,
 * the stages behind a search that are usable alone, and the interfaces that stores and models implement.
 *
 * @module
 */

// The engine: index, search, ask.

export {
  type AgentLimits,
  type AgentNarrowing,
  type AgentReport,
  type AgentRequest,
  type AgentStep,
  type AgentStopReason,
  type AgentToolName,
  type AgentToolOptions,
  type AgentToolResult,
  type AgentTools,
  DEFAULT_LIMITS,
  type ExternalPassage,
  type ExternalSearch,
  type GatherEvidence,
  type Gathered,
  type LinkedDocument,
  type StatedLimits,
} from './answering/agentic/agent.js';
export { evidenceGatherer } from './answering/agentic/gather-evidence.js';
export { createEngine } from './engine/create-engine.js';
export {
  type RAGDocument,
  type RAGIndexRequest,
  RAGService,
  type RAGServicePlace,
} from './engine/rag-service.js';
export type {
  AskRequest,
  CollapseMode,
  ContextQuery,
  ContextResponse,
  DocumentCounts,
  DocumentOriginal,
  DocumentPage,
  DocumentPassages,
  DocumentRequest,
  DocumentText,
  DocumentVersions,
  Drift,
  DriftKind,
  EmbeddedTexts,
  EmbedRequest,
  EncryptionRotation,
  Engine,
  EngineHealth,
  EngineView,
  FailedItem,
  FailuresRequest,
  GenerationSummary,
  GraphDocumentInfo,
  GraphFacts,
  HealthOptions,
  IndexError,
  IndexEstimate,
  IndexedDocument,
  IndexingState,
  IndexingStatePage,
  IndexProgress,
  IndexRequest,
  IndexResult,
  IndexStatus,
  LaneStatus,
  ListRequest,
  MorePassages,
  NamedStep,
  PartHealth,
  PrunedSource,
  QueryCorrection,
  QueryReading,
  RelatedDocument,
  RelatedRequest,
  RelatedResponse,
  RetryRequest,
  ScopedGraphFacts,
  ScoreExplanation,
  SearchMode,
  SearchQuery,
  SearchResponse,
  SearchResult,
  SourceStatus,
  SourceSyncState,
  VerifyRequest,
  VerifyResult,
} from './operations/engine.js';
export type { CreateEngineOptions } from './operations/engine-options.js';
export type {
  MissExplanation,
  MissRemedy,
  MissStage,
  MissStep,
} from './operations/miss-explanation.js';
export {
  type ConflictsRequest,
  type ConflictsResponse,
  DIFFERENCE_KINDS,
  type Difference,
  type DifferenceKind,
  FINDING_KINDS,
  type Finding,
  type FindingKind,
  type FindingPassage,
  type FindingPlace,
  type SourceConflict,
  type SourceStatement,
} from './relations/conflicts/conflict-types.js';

// What people opened of what they were shown, and what that says of passages (docs/feedback.md).

export type {
  ExaminationReport,
  FeedbackJudgments,
  FeedbackJudgmentsRequest,
} from './operations/feedback-judgments.js';
export type {
  FeedbackEvent,
  FeedbackPage,
  FeedbackPlace,
  FeedbackReceipt,
  FeedbackRequest,
  ListFeedbackRequest,
  ShownPassage,
} from './operations/feedback-types.js';

// What is forgotten, and how that is proved (docs/forget.md).

export type {
  ForgetReceipt,
  ForgetRequest,
  LeftElsewhere,
  ReceiptCheck,
  RemovedFrom,
} from './operations/forget-types.js';

// Which index a tenant has (docs/deployments.md).

export { createKnowledgeDeployments } from './fleet/deployments/create-knowledge-deployments.js';
export {
  deploymentInputSchema,
  type KnowledgeDeploymentInput,
} from './fleet/deployments/deployment-config.js';
export type { KnowledgeDeploymentConfig } from './fleet/deployments/deployment-records.js';
export type { OpenCustomerStore } from './fleet/deployments/deployment-settings.js';
export type { FinishedWrites } from './fleet/deployments/finish-writes.js';
export type {
  DamagedDeployment,
  DeploymentListOptions,
  KnowledgeDeploymentOptions,
  KnowledgeDeploymentService,
  ResumeOptions,
  RotateOptions,
} from './fleet/deployments/knowledge-deployment-service.js';
export type { DeploymentHealth, DeploymentsRotation } from './fleet/deployments/maintain-indexes.js';
export type { MoveReport } from './fleet/deployments/move-tenant.js';
export {
  MultiTenantRAGService,
  type TenantContext,
  type TenantDocument,
} from './fleet/deployments/multi-tenant-rag-service.js';
export { indexesOf, type TenantIndex, type TenantIndexes } from './fleet/deployments/tenant-indexes.js';
export type {
  DeploymentCheck,
  DeploymentCheckResult,
  DeploymentValidationResult,
} from './fleet/deployments/validate-deployment.js';
export { type DeploymentReference, RagDeploymentModel } from './operations/deployment-model.js';

// What an answer says, and what a stream of it gives.

export type {
  Abstention,
  Answer,
  AnswerFallback,
  AnswerMode,
  AnswerModelReport,
  AnswerOutcome,
  AnswerSource,
  Citation,
  ConversationTurn,
  FurtherPlace,
  SentenceSupport,
  SupportVerdict,
} from './answering/answer.js';
export type { AnswerEvent } from './answering/answer-events.js';
export { DegradationLevel } from './core/degradation.js';
export { type MatchBand, matchBandOf } from './core/match-band.js';
export { NOTICE_KINDS, type NoticeKind, type ToldNotices } from './core/notice.js';
export type { StageTimes } from './core/telemetry.js';
export type {
  CallEstimate,
  EntityReport,
  EntitySummary,
  EstimateRequest,
  ExtractionEstimate,
  ExtractionFailure,
  ExtractionLimits,
  ExtractionProgress,
  ExtractionResult,
  ExtractionSpent,
  ExtractionStop,
  ExtractRequest,
  FactPlace,
  FactStatus,
  SummariesRequest,
  SummarizeRequest,
  SummarizeResult,
  SummaryPage,
} from './operations/extraction-types.js';
export type {
  DegradationReport,
  ExpectedLoss,
  StaticResponse,
  ToldDegradation,
} from './platform/degradation/degradation-report.js';
export type { PartName } from './platform/degradation/level.js';
export { type ToldOutage, toldOutage } from './platform/degradation/outage.js';
export { REFERENCE_KINDS, type ReferenceKind } from './relations/graph/graph.js';
export type { GraphStep } from './relations/graph/walk.js';

// Who asks, and for what.

export {
  and,
  contains,
  EVERYTHING,
  eq,
  exists,
  type FieldLookup,
  type Filter,
  type FilterOperator,
  matchesFilter,
  not,
  oneOf,
  or,
  prefix,
  type RangeBounds,
  range,
} from './core/filter.js';
export { type AccessControl, EVERYONE, LOCAL_SCOPE, type Scope, type ScopeInput } from './core/scope.js';

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
} from './indexing/test-source.js';
export { revealTokens } from './platform/security/redaction/token-cipher.js';
export type { PushedDocument } from './sources/push/push-source.js';

// What is counted, logged and watched (docs/monitoring.md).

export type { TelemetryChannel, TelemetryPayloads } from './core/telemetry.js';
export type { Alert, AlertName, AlertSeverity } from './fleet/monitoring/alerts/alert.js';
export type { CheckedHealth, HealthSource } from './fleet/monitoring/health/health-checks.js';
export type { AnsweredRequest } from './fleet/monitoring/metrics/count-request.js';
export {
  type Monitorable,
  type Monitoring,
  type MonitoringOptions,
  startMonitoring,
} from './fleet/monitoring/start-monitoring.js';
export { type MonitoringPlan, monitoringPlanOf } from './operations/monitoring-plan.js';

// Sources that are followed (docs/sync.md).

export {
  type BackgroundUpgrade,
  startUpgrade,
  type UpgradeEvent,
  type UpgradeOptions,
} from './features/upgrading/start-upgrade.js';
export { startSync } from './fleet/sync/start-sync.js';
export type { Sync, Syncable, SyncOptions } from './fleet/sync/sync.js';
export type { FailedRun, FinishedRun, SyncEvent } from './fleet/sync/sync-events.js';
export type { AsOfReport, HistoryStatus } from './ledger/history/as-of-report.js';
export { type SourceTiming, type SyncPlan, syncPlanOf } from './operations/sync-plan.js';
export type { SourceSync, SyncHolder, SyncStatus, SyncTrigger } from './operations/sync-state.js';
export type {
  ReembedProgress,
  ReembedRequest,
  ReembedResult,
  SwitchRule,
  UpgradeComparison,
  UpgradeStatus,
} from './operations/upgrade-types.js';

// An index goes into another store (docs/migrating.md).

export { migrateIndex } from './fleet/migration/migrate-index.js';
export type {
  CopyCheck,
  MigrateRequest,
  MigrationEnd,
  MigrationPlace,
  MigrationProgress,
  MigrationResult,
  ResultComparison,
} from './fleet/migration/migration-types.js';

// What a prototype left behind is taken in (docs/migrating.md).

export {
  type ImportRequest,
  type ImportResult,
  importDocuments,
} from './fleet/importing/import-documents.js';

// Which items of a pipeline are answered from the index, while that is rolled out (docs/backlog.md).

export {
  type RolledOut,
  Rollout,
  type RolloutComparison,
  type RolloutOutcome,
  type RolloutParts,
  type RolloutReport,
  type RolloutWork,
} from './operations/rollout.js';
export type { RolloutDecision, RolloutExclusion, RolloutSettings } from './resources/rollout/rollout-side.js';
export type {
  RolloutAddition,
  RolloutSums,
  RolloutTotal,
  RolloutTotals,
} from './resources/rollout/rollout-totals.js';

// Work that is spread over hosts (docs/many-machines.md).

export {
  startWorkers,
  type Workable,
  type Workers,
  type WorkersOptions,
} from './fleet/workers/start-workers.js';
export type { FailedBatch, FinishedBatch, WorkerEvent, WorkProgress } from './fleet/workers/worker-events.js';
export type { PendingBatch, PendingCount, PendingItem, PendingWorkReader } from './ledger/pending-work.js';
export type { BatchOutcome, QueueConsumer, QueueCounts, WorkQueue } from './ledger/queue/work-queue.js';
export type { BatchReport, WorkPlan, WorkStatus } from './operations/engine.js';

// A copy of an index, and back (docs/backup.md).

export {
  type BackupOptions,
  type BackupPlace,
  type BackupProgress,
  type BackupResult,
  backUp,
} from './fleet/backup/back-up.js';
export { type RestoreOptions, type RestoreResult, restoreBackup } from './fleet/backup/restore.js';
export { type TakeOverOptions, takeOverTry } from './fleet/backup/take-over-try.js';

// Which folders are trusted (docs/trust.md).

export type { Risk } from './config/trust/risks.js';
export type { TrustedFolder } from './config/trust/trust-store.js';
export { listTrust, revokeTrust, type TrustOptions, trustFolder } from './engine/trust-folder.js';

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
export {
  formatQuestionSet,
  type GoldQuote,
  type GradedQuestion,
  type Question,
} from './evaluation/question-set.js';
export {
  type ComparedConfiguration,
  type ComparedQuery,
  type ComparedResult,
  type CompareOptions,
  type ComparisonReport,
  compareConfigurations,
  type DifferingSetting,
} from './experiments/compare.js';
export {
  type AskedQuestion,
  type ComparedSearch,
  type ComparedSide,
  type CompareSearchesRequest,
  compareSearches,
  type RankMove,
  type SearchComparison,
  type SearchSettings,
} from './experiments/compare-searches.js';
export { evaluate } from './experiments/evaluate.js';
export {
  type AnswersReport,
  type EvaluateAnswersOptions,
  evaluateAnswers,
} from './experiments/evaluate-answers.js';
export type {
  EvaluatedConfig,
  EvaluateOptions,
  EvaluateProgress,
  EvaluationReport,
} from './experiments/experiment-types.js';
export {
  evaluateAgainst,
  type GatedReport,
  type GateEvaluationOptions,
  type WriteBaselineOptions,
  writeBaseline,
} from './experiments/gate.js';
export {
  type InitQuestionsOptions,
  type InitQuestionsReport,
  initQuestions,
} from './experiments/init.js';
export { type ProfileOptions, type ProfileReport, profileSearches } from './experiments/profile.js';
export { comparisonPage } from './experiments/report/comparison-page.js';
export { type TuneOptions, type TuneReport, tune } from './experiments/tune.js';

// Stages that are usable alone: from passages to a context, from a search of your own to an answer, and its check
// (docs/answering.md); the words of a text as search compares them, for marking what was found.

export { answerQuestion, streamAnswer } from './answering/answer-question.js';
export type {
  AnswerDependencies,
  AnswerRequest,
  AnswerSettings,
  Retrieve,
  Retrieved,
  RetrieveOptions,
} from './answering/answer-request.js';
export type { Similarity } from './answering/quotation-features.js';
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
export { type DataBlock, dataBlocks } from './context/data-blocks.js';
export type { InstructionFlag } from './context/instruction-flags.js';
export { neutralise, neutraliseLine } from './context/neutralise.js';
export { type TokenCounter, tokensOf } from './context/token-counter.js';
export { type AnalyzedQuery, analyzeQuery, analyzeText } from './core/analysis/lexical-analyzer.js';
export { type Models, openModels } from './engine/open-models.js';
export {
  type ChunkableDocument,
  type DocumentChunk,
  SemanticChunker,
  type SemanticChunkerOptions,
} from './engine/semantic-chunker.js';
export { tokenCounterFor } from './resources/token-counter-for.js';

// What a program may bring in place of a part: interfaces, each with a suite in `ragstone/testing` (docs/own-parts.md).

export type { SdkLanguageModel } from './answering/sdk-language-model.js';
export type { Chunker, ChunkingOptions, CutRange, CutRequest } from './chunking/chunker.js';
export type { Plugins } from './config/plugins.js';
export type {
  ChatEvent,
  ChatFinishReason,
  ChatMessage,
  ChatModel,
  ChatRequest,
  ChatUsage,
} from './core/chat-model.js';
export type { ChunkRecord, ScoredChunk, StoredChunk } from './core/chunk.js';
export type { Block, BlockKind, ParsedDocument, RawDocument } from './core/document.js';
export { type Runtime, type SourceFiles, SYSTEM_RUNTIME, type TimerOptions } from './core/runtime.js';
export type { Embedder, EmbeddingKind, ModelIdentity } from './embedding/embedder.js';
export type { RunFailure } from './ledger/failed-run.js';
export type { BlockedNames, ForgottenNames } from './ledger/forgotten-names.js';
export type {
  HistoryMark,
  HistoryPart,
  HistorySummary,
  HistoryVersion,
  HistoryWriter,
  LedgerHistory,
  PlannedHistory,
} from './ledger/history.js';
export type {
  CompletedItem,
  DocumentPlan,
  DocumentStatus,
  Generation,
  GenerationReader,
  GenerationState,
  Generations,
  GenerationTarget,
  GenerationWriter,
  ItemKey,
  Ledger,
  LedgerChunk,
  LedgerDocument,
  LedgerItem,
  PlannedDocument,
  RunRecord,
  Runs,
  SourceSummary,
} from './ledger/ledger.js';
export type { LockRequest, WriterLock } from './ledger/lock.js';
export type {
  LedgerFailure,
  RememberedSources,
  SourceOwners,
  SourceRoots,
  SourceState,
} from './ledger/source-state.js';
export { decodeText, type EncodedText, encodeText, type TextEncoding } from './ledger/text-encoding.js';
export type { Parser } from './parsing/parser.js';
export type { RerankCandidate, RerankedCandidate, Reranker, RerankScoring } from './reranking/reranker.js';
export type {
  DeletedItem,
  ListChangesOptions,
  ListedChange,
  ListedItem,
  ListingEnd,
  ListOptions,
  ReadResult,
  Source,
  SourceItem,
  UnreadableItem,
} from './sources/source.js';
export type { RecordsOf } from './stores/failover/copy-stale.js';
export type { StoreState, StoresStatus } from './stores/failover/failover-states.js';
export type { JournalFiles } from './stores/failover/journal-files.js';
export { VectorStoreManager, type VectorStoreManagerOptions } from './stores/failover/store-manager.js';
export { fieldLookup, storedChunkOf } from './stores/record-fields.js';
export {
  assertCount,
  assertFilter,
  assertQueryVector,
  assertRecords,
  assertSameSpec,
  assertSpec,
} from './stores/store-checks.js';
export type {
  CollectionSpec,
  CollectionStats,
  ListPage,
  ListQuery,
  PurgeOptions,
  ScoredId,
  StoreCapabilities,
  TextQuery,
  VectorCollection,
  VectorQuery,
  VectorStore,
  WordsOfChunk,
} from './stores/vector-store.js';
