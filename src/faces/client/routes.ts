import type * as z from 'zod';
import type { EngineView } from '../../operations/engine.js';
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
import type {
  deploymentConfig,
  deploymentList,
  deploymentRequest,
  deploymentValidation,
  moveResponse,
} from '../service/schemas/deployments.js';
import type { passagesPage, passagesQuery, versionsResponse } from '../service/schemas/documents.js';
import type { facetsRequest, facetsResponse } from '../service/schemas/facets.js';
import type { feedbackId, feedbackRequest } from '../service/schemas/feedback.js';
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
import type { CallOptions, WriteOptions } from './call.js';

// Bodies of the routes, as their schemas state them. The schemas themselves stay on the server.

export type SearchRequest = z.input<typeof ragSearchRequest>;
export type SearchResponse = z.output<typeof ragSearchResponse>;
export type AnswerRequest = z.input<typeof answerRequest>;
export type AnswerResponse = z.output<typeof answerResponse>;
export type ContextRequest = z.input<typeof contextRequest>;
export type ContextResponse = z.output<typeof contextResponse>;
export type RelatedRequest = OperationRequest<'related'>;
export type RelatedResponse = OperationResponse<'related'>;
export type ConflictsRequest = OperationRequest<'conflicts'>;
export type ConflictsResponse = OperationResponse<'conflicts'>;
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
export type FeedbackQuery = OperationRequest<'listFeedback'>;
export type FeedbackPage = OperationResponse<'listFeedback'>;
export type JudgmentsQuery = OperationRequest<'feedbackJudgments'>;
export type FeedbackJudgments = OperationResponse<'feedbackJudgments'>;
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

const RAG = '/api/ai/rag';
const LISTED = { method: 'GET', sends: 'query' } as const;
const ASKED = { method: 'POST', sends: 'body', ofTenant: true } as const;

/** Operations whose route takes their request and gives their outcome; with a body these are of a tenant, and have the id of the request. */
export const OPERATION_ROUTES = {
  related: { ...ASKED, path: `${RAG}/related` },
  conflicts: { ...ASKED, path: `${RAG}/conflicts` },
  listFeedback: { ...LISTED, path: `${RAG}/feedback` },
  feedbackJudgments: { ...LISTED, path: `${RAG}/feedback/judgments` },
} as const satisfies { readonly [Name in keyof EngineView]?: Route };

export type OperationName = keyof typeof OPERATION_ROUTES;

/** What stands beside what an operation takes and gives, where its route takes a body. */
type OfBody<Name extends OperationName, Added> = (typeof OPERATION_ROUTES)[Name]['sends'] extends 'body'
  ? Added
  : unknown;
type AsSent<Name extends OperationName, Request> = Omit<Exclude<Request, string | undefined>, 'signal'> &
  OfBody<
    Name,
    {
      /** Where it is stated, that of the key or token. */
      readonly tenantId?: string | undefined;
    }
  >;
/** What an operation is asked over its route: `OperationRequest<'related'>`. */
export type OperationRequest<Name extends OperationName> = AsSent<Name, Parameters<EngineView[Name]>[0]>;
/** What the route of an operation answers: `OperationResponse<'related'>`. */
export type OperationResponse<Name extends OperationName> = Awaited<ReturnType<EngineView[Name]>> &
  OfBody<
    Name,
    {
      /** Id of the request, as in the header `x-request-id`: the log and the audit log name it. */
      readonly requestId: string;
    }
  >;

type Sent<Name extends OperationName, Given extends readonly unknown[]> = {
  [At in keyof Given]: AsSent<Name, Given[At]>;
};

/** The methods of operations, each with what an editor shows of the engine's. */
type OperationCalls = {
  [Name in keyof Pick<EngineView, OperationName>]: (
    ...given: [...Sent<Name, Parameters<EngineView[Name]>>, options?: CallOptions]
  ) => Promise<OperationResponse<Name>>;
};

/** Calls of the service that are made by what its routes say of them. */
export interface ServiceCalls extends OperationCalls {
  /** Passages by words, meaning and names, best first. */
  search(request: SearchRequest, options?: CallOptions): Promise<SearchResponse>;
  /** An answer with checked citations, or that nothing tells of it. */
  answer(request: AnswerRequest, options?: CallOptions): Promise<AnswerResponse>;
  /** Cited passages under a budget of tokens, for a language model of the caller's. */
  context(request: ContextRequest, options?: CallOptions): Promise<ContextResponse>;
  /** A search with what each score is made of. */
  explain(request: ExplainRequest, options?: CallOptions): Promise<ExplainResponse>;
  /** What two ways of searching find, for one question or a question set. */
  compare(request: CompareRequest, options?: CallOptions): Promise<CompareResponse>;
  /** Which step lost a document that a query should find. */
  explainMiss(request: ExplainMissRequest, options?: CallOptions): Promise<ExplainMissResponse>;
  /** The vector of a text, by the model of the index. */
  embed(request: EmbeddingRequest, options?: CallOptions): Promise<EmbeddingResponse>;
  /** Indexes a document, or replaces the one of its id; the next search finds it. */
  indexDocument(document: KnowledgeDocumentInput, options?: WriteOptions): Promise<KnowledgeDocument>;
  /** Indexes up to 1,000 documents, and says what became of each. */
  indexDocuments(request: BatchRequest, options?: WriteOptions): Promise<BatchResponse>;
  /** Indexes up to 20 files, and says what became of each. Throws what a file that is sent alone was refused for. */
  uploadFiles(request: UploadRequest, options?: WriteOptions): Promise<UploadResponse>;
  /** One page of the documents that the caller may read. */
  listDocuments(query?: ListQuery, options?: CallOptions): Promise<DocumentPage>;
  /** Which values there are to filter by, and how many documents that the caller may read have each. */
  facets(request?: FacetsRequest, options?: CallOptions): Promise<FacetsResponse>;
  /** A document with its text. Throws `DOCUMENT_NOT_FOUND`. */
  getDocument(id: string, options?: CallOptions): Promise<DocumentText>;
  /** How a document is cut: a page of its passages, in their order. Throws `DOCUMENT_NOT_FOUND`. */
  documentPassages(id: string, query?: PassagesQuery, options?: CallOptions): Promise<PassagesPage>;
  /** What history keeps of a document, newest first. Throws `DOCUMENT_NOT_FOUND`. */
  documentVersions(id: string, options?: CallOptions): Promise<VersionsResponse>;
  /** Throws `DOCUMENT_NOT_FOUND`: also where an answer was lost, the deletion tried again, and another process answered that. */
  deleteDocument(id: string, options?: WriteOptions): Promise<void>;
  /** The same under the route of the knowledge service. */
  deleteKnowledgeDocument(id: string, options?: WriteOptions): Promise<void>;
  /** Deletes what was indexed with this `documentId`. */
  deleteParts(id: string, options?: WriteOptions): Promise<DeletedParts>;
  /** What is indexed, and what failed. */
  status(options?: CallOptions): Promise<IndexStatus>;
  /** Where documents come from, and how many of each. */
  sources(options?: CallOptions): Promise<SourcesResponse>;
  /** The last index run. */
  runs(options?: CallOptions): Promise<RunsResponse>;
  /** Begins to bring the index in step, or to try again what failed, and does not wait for the end. */
  startRun(request?: RunRequest, options?: WriteOptions): Promise<IndexRun>;
  /** Stops the runs that requests began; what they wrote stays. */
  stopRuns(options?: WriteOptions): Promise<StoppedRuns>;
  /** Items that could not be indexed, worst first. */
  failures(query?: FailuresQuery, options?: CallOptions): Promise<FailuresPage>;
  /** What was asked, youngest first, where the service keeps an audit log. */
  queries(query?: QueriesQuery, options?: CallOptions): Promise<QueriesPage>;
  /** Says what was opened of a search or an answer, and whether it helped, by its `requestId`; it is stored with what was shown. */
  sendFeedback(request: FeedbackRequest, options?: WriteOptions): Promise<FeedbackId>;
  /** The deployments that were configured; for operators, like all that is about deployments. */
  listDeployments(options?: CallOptions): Promise<DeploymentList>;
  /** The deployment of a tenant; `Shared` where none is configured. */
  getDeployment(tenantId: string, options?: CallOptions): Promise<DeploymentConfig>;
  /** Keeps the deployment of a tenant; one with documents elsewhere is moved instead. */
  saveDeployment(
    tenantId: string,
    body: DeploymentRequest,
    options?: WriteOptions,
  ): Promise<DeploymentConfig>;
  /** Whether a store that a customer provides can be used. Nothing is kept. */
  validateDeployment(
    tenantId: string,
    body: DeploymentRequest,
    options?: CallOptions,
  ): Promise<DeploymentValidation>;
  /** Moves a tenant while it is served; the same call again goes on with a move that broke off. */
  moveDeployment(tenantId: string, body: DeploymentRequest, options?: WriteOptions): Promise<DeploymentMove>;
  /** An answer to a message of a conversation. */
  chat(request: ChatRequest, options?: CallOptions): Promise<ChatResponse>;
  /** Brings the index in step with every configured source, however long it takes. */
  indexSources(options?: WriteOptions): Promise<IndexCounts>;
  /** How many documents of each type the caller may read. */
  stats(options?: CallOptions): Promise<IndexStats>;
  /** Who calls, and what the key or token may do. */
  caller(options?: CallOptions): Promise<Caller>;
  /** Keys of all tenants, without their secrets; for operators. */
  keys(options?: CallOptions): Promise<KeysResponse>;
  /** Whether each index that a tenant has of its own answers, and why not; for operators. */
  deploymentHealth(options?: CallOptions): Promise<DeploymentsHealth>;
  /** Each part of the index that all tenants share, what is wrong with it, and its stores; for operators. */
  partsHealth(options?: CallOptions): Promise<PartsHealth>;
  /** Whether the service can answer. That it cannot is a result, too. */
  health(options?: CallOptions): Promise<Health>;
}

/** Routes whose answer is no JSON: the client says how they are called. */
type OwnCalls = 'documentOriginal' | 'runEvents';

/** A route of the service, as its OpenAPI document names it, and how it is called. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With parameters in braces: the first arguments of its method. */
  readonly path: string;
  /** How the next argument is sent. @default there is none */
  readonly sends?: 'body' | 'form' | 'query';
  /** The tenant of the client is sent with it, in the query where it sends nothing. */
  readonly ofTenant?: true;
  /** It changes something: it is sent with an idempotency key, so that a repetition changes it once. */
  readonly isWrite?: true;
  /** The service sets it no time limit, and neither does the client. */
  readonly isLong?: true;
  /** A status that comes with a result though it is an error. */
  readonly alsoGood?: number;
}

/** Where the service has another path for it, the client is told. */
export const HEALTH = '/health/rag';

type More = Partial<Route>;
const shown = (path: string, more?: More): Route => ({ method: 'GET', path: RAG + path, ...more });
const listed = (path: string): Route => shown(path, LISTED);
const asked = (path: string, more?: More): Route => ({ ...ASKED, path: RAG + path, ...more });
const written = (path: string, more?: More): Route => asked(path, { isWrite: true, ...more });
const deleted = (path: string): Route => ({ method: 'DELETE', path: RAG + path, isWrite: true });

/** Every route, by the name of the method that calls it. A test holds them against the OpenAPI document. */
export const ROUTES = {
  ...OPERATION_ROUTES,
  search: asked('/search'),
  answer: asked('/answer'),
  context: asked('/context'),
  explain: asked('/explain'),
  compare: asked('/compare', { isLong: true }),
  explainMiss: asked('/explain-miss'),
  embed: { method: 'POST', path: `${RAG}/embedding`, sends: 'body' },
  indexDocument: written('/index'),
  indexDocuments: written('/index/batch'),
  uploadFiles: written('/upload', { sends: 'form', isLong: true }),
  listDocuments: listed('/documents'),
  facets: asked('/facets'),
  getDocument: shown('/documents/{id}'),
  documentPassages: listed('/documents/{id}/passages'),
  documentVersions: shown('/documents/{id}/versions'),
  documentOriginal: shown('/documents/{id}/original'),
  deleteDocument: deleted('/documents/{id}'),
  deleteKnowledgeDocument: deleted('/{id}'),
  deleteParts: deleted('/source/{id}'),
  status: shown('/status', { ofTenant: true }),
  sources: shown('/sources'),
  runs: shown('/runs'),
  startRun: written('/runs'),
  stopRuns: deleted('/runs'),
  runEvents: shown('/runs/events', { isLong: true }),
  failures: listed('/failures'),
  queries: listed('/queries'),
  sendFeedback: written('/feedback'),
  listDeployments: shown('/deployments'),
  getDeployment: shown('/deployments/{tenantId}'),
  saveDeployment: { method: 'PUT', path: `${RAG}/deployments/{tenantId}`, isWrite: true, sends: 'body' },
  validateDeployment: { method: 'POST', path: `${RAG}/deployments/{tenantId}/validate`, sends: 'body' },
  moveDeployment: {
    method: 'POST',
    path: `${RAG}/deployments/{tenantId}/move`,
    isWrite: true,
    isLong: true,
    sends: 'body',
  },
  chat: { method: 'POST', path: '/chat', sends: 'body' },
  indexSources: { method: 'POST', path: '/rag/index', isWrite: true, isLong: true, ofTenant: true },
  stats: { method: 'GET', path: '/rag/stats' },
  caller: shown('/caller'),
  keys: shown('/keys'),
  health: { method: 'GET', path: HEALTH, alsoGood: 503 },
  partsHealth: { method: 'GET', path: `${HEALTH}/parts` },
  deploymentHealth: { method: 'GET', path: `${HEALTH}/deployments` },
} satisfies Readonly<Record<keyof ServiceCalls | OwnCalls, Route>>;
