import type * as z from 'zod';
import type {
  answerEvents,
  answerRequest,
  answerResponse,
  chatRequest,
  chatResponse,
  contextRequest,
  contextResponse,
} from '../service/schemas/answers.js';
import type { callerResponse, keysResponse } from '../service/schemas/callers.js';
import type { compareRequest, compareResponse } from '../service/schemas/compare.js';
import type { conflictsRequest, conflictsResponse } from '../service/schemas/conflicts.js';
import type {
  deploymentConfig,
  deploymentList,
  deploymentRequest,
  deploymentValidation,
  moveResponse,
} from '../service/schemas/deployments.js';
import type { passagesPage, passagesQuery, versionsResponse } from '../service/schemas/documents.js';
import type { facetsRequest, facetsResponse } from '../service/schemas/facets.js';
import type {
  feedbackId,
  feedbackJudgments,
  feedbackPage,
  feedbackQuery,
  feedbackRequest,
  judgmentsQuery,
} from '../service/schemas/feedback.js';
import type { relatedRequest, relatedResponse } from '../service/schemas/graph.js';
import type {
  deploymentsHealthResponse,
  documentPage,
  documentText,
  explainMissRequest,
  explainMissResponse,
  explainRequest,
  explainResponse,
  healthResponse,
  indexAllResponse,
  indexedDocument,
  listQuery,
  partsHealthResponse,
  runsResponse,
  sourcesResponse,
  statsResponse,
  statusResponse,
} from '../service/schemas/index-state.js';
import type {
  batchRequest,
  batchResponse,
  deletedParts,
  embeddingRequest,
  embeddingResponse,
  knowledgeDocument,
  knowledgeDocumentInput,
  ragSearchRequest,
  ragSearchResponse,
} from '../service/schemas/knowledge.js';
import type { queriesPage, queriesQuery } from '../service/schemas/queries.js';
import type {
  failuresPage,
  failuresQuery,
  indexRun,
  runRequest,
  runsState,
  stoppedRuns,
} from '../service/schemas/runs.js';
import type { uploadRequest, uploadResponse } from '../service/schemas/uploads.js';

// Bodies of the routes, as their schemas state them. The schemas themselves stay on the server.

export type SearchRequest = z.input<typeof ragSearchRequest>;
export type SearchResponse = z.output<typeof ragSearchResponse>;
export type AnswerRequest = z.input<typeof answerRequest>;
export type AnswerResponse = z.output<typeof answerResponse>;
export type ContextRequest = z.input<typeof contextRequest>;
export type ContextResponse = z.output<typeof contextResponse>;
export type RelatedRequest = z.input<typeof relatedRequest>;
export type RelatedResponse = z.output<typeof relatedResponse>;
export type ConflictsRequest = z.input<typeof conflictsRequest>;
export type ConflictsResponse = z.output<typeof conflictsResponse>;
export type ExplainRequest = z.input<typeof explainRequest>;
export type ExplainResponse = z.output<typeof explainResponse>;
export type ExplainMissRequest = z.input<typeof explainMissRequest>;
export type ExplainMissResponse = z.output<typeof explainMissResponse>;
export type CompareRequest = z.input<typeof compareRequest>;
export type CompareResponse = z.output<typeof compareResponse>;
export type FacetsRequest = z.input<typeof facetsRequest>;
export type FacetsResponse = z.output<typeof facetsResponse>;
export type EmbeddingRequest = z.input<typeof embeddingRequest>;
export type EmbeddingResponse = z.output<typeof embeddingResponse>;
export type KnowledgeDocumentInput = z.input<typeof knowledgeDocumentInput>;
export type KnowledgeDocument = z.output<typeof knowledgeDocument>;
export type BatchRequest = z.input<typeof batchRequest>;
export type BatchResponse = z.output<typeof batchResponse>;
/** A file to index. */
export interface UploadedFile {
  /** Without folders. Where the content does not tell its kind, the name does. */
  readonly name: string;
  readonly content: Blob;
}
/** Files, with fields that hold for each of them. */
export interface UploadRequest extends Omit<z.input<typeof uploadRequest>, 'file'> {
  /** 1 to 20. */
  readonly files: readonly UploadedFile[];
}
export type UploadResponse = z.output<typeof uploadResponse>;
export type DeletedParts = z.output<typeof deletedParts>;
export type ListQuery = z.input<typeof listQuery>;
export type IndexedDocument = z.output<typeof indexedDocument>;
export type DocumentPage = z.output<typeof documentPage>;
export type DocumentText = z.output<typeof documentText>;
export type PassagesQuery = z.input<typeof passagesQuery>;
export type PassagesPage = z.output<typeof passagesPage>;
export type VersionsResponse = z.output<typeof versionsResponse>;
/** A document as its source has it. */
export interface OriginalDocument {
  /** Of the file, without folders. */
  readonly name: string;
  /** As the source says it. The content is of no type, so that no page runs it. */
  readonly mediaType: string;
  readonly content: Blob;
}
export type IndexStatus = z.output<typeof statusResponse>;
export type SourcesResponse = z.output<typeof sourcesResponse>;
export type RunsResponse = z.output<typeof runsResponse>;
export type RunRequest = z.input<typeof runRequest>;
export type IndexRun = z.output<typeof indexRun>;
export type RunsState = z.output<typeof runsState>;
export type StoppedRuns = z.output<typeof stoppedRuns>;
export type FailuresQuery = z.input<typeof failuresQuery>;
export type FailuresPage = z.output<typeof failuresPage>;
export type QueriesQuery = z.input<typeof queriesQuery>;
export type QueriesPage = z.output<typeof queriesPage>;
export type DeploymentList = z.output<typeof deploymentList>;
export type DeploymentConfig = z.output<typeof deploymentConfig>;
export type DeploymentRequest = z.input<typeof deploymentRequest>;
export type DeploymentValidation = z.output<typeof deploymentValidation>;
export type DeploymentMove = z.output<typeof moveResponse>;
export type FeedbackRequest = z.input<typeof feedbackRequest>;
export type FeedbackId = z.output<typeof feedbackId>;
export type FeedbackQuery = z.input<typeof feedbackQuery>;
export type FeedbackPage = z.output<typeof feedbackPage>;
export type JudgmentsQuery = z.input<typeof judgmentsQuery>;
export type FeedbackJudgments = z.output<typeof feedbackJudgments>;
export type ChatRequest = z.input<typeof chatRequest>;
export type ChatResponse = z.output<typeof chatResponse>;
export type IndexCounts = z.output<typeof indexAllResponse>;
export type IndexStats = z.output<typeof statsResponse>;
export type Health = z.output<typeof healthResponse>;
export type PartsHealth = z.output<typeof partsHealthResponse>;
export type Caller = z.output<typeof callerResponse>;
export type KeysResponse = z.output<typeof keysResponse>;
export type DeploymentsHealth = z.output<typeof deploymentsHealthResponse>;

/** What a stream of an answer tells; the last one holds the whole answer. */
export type AnswerEvent =
  | ({ readonly type: 'start' } & z.output<typeof answerEvents.start>)
  | ({ readonly type: 'text' } & z.output<typeof answerEvents.text>)
  | ({ readonly type: 'reset' } & z.output<typeof answerEvents.reset>)
  | { readonly type: 'answer'; readonly answer: AnswerResponse };
