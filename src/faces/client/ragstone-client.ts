import type { Problem } from '../service/requests/problem.js';
import type { CallOptions, FollowOptions, WriteOptions } from './call.js';
import { type Call, Connection, type ConnectionOptions } from './connection.js';
import { ROUTES } from './routes.js';
import { ofProblem, unreachable } from './service-error.js';
import type * as bodies from './types.js';
import type { UploadRequest } from './types.js';

/** Which service, and who calls. */
export interface ClientOptions extends ConnectionOptions {
  /**
   * Tenant of the key. It is sent with what states a tenant, so that a key of another one is refused. @default none: each body
   * states it
   */
  readonly tenant?: string | undefined;
  /** Path of the health, where the service has another. @default '/health/rag' */
  readonly healthEndpoint?: string | undefined;
}

/**
 * The routes of a service as methods. Every failure is a `ServiceError` with the service's reason; what may pass (`retryable`) is
 * tried again first, a change with an idempotency key, so that it is made once. It needs `fetch` and nothing else, in a browser or
 * in Node.js.
 */
export class RagstoneClient {
  readonly #connection: Connection;
  readonly #tenant: { readonly tenantId?: string };
  readonly #healthEndpoint: string | undefined;

  /** Throws a `TypeError` for an address that is none of a service. Nothing is sent. */
  constructor({ tenant, healthEndpoint, ...connection }: ClientOptions) {
    this.#connection = new Connection(connection);
    this.#tenant = tenant === undefined ? {} : { tenantId: tenant };
    this.#healthEndpoint = healthEndpoint;
  }

  /** Passages by words, meaning and names, best first. */
  search(request: bodies.SearchRequest, options?: CallOptions): Promise<bodies.SearchResponse> {
    return this.#call({ route: ROUTES.search, body: { ...this.#tenant, ...request } }, options);
  }

  /** An answer with checked citations, or that nothing tells of it. */
  answer(request: bodies.AnswerRequest, options?: CallOptions): Promise<bodies.AnswerResponse> {
    return this.#call({ route: ROUTES.answer, body: { ...this.#tenant, ...request } }, options);
  }

  /** The same as it comes about; the last event holds the answer. Ending the iteration cancels it. */
  answerEvents(request: bodies.AnswerRequest, options?: CallOptions): AsyncGenerator<bodies.AnswerEvent> {
    return this.#events({ route: ROUTES.answer, body: { ...this.#tenant, ...request } }, options);
  }

  /** Cited passages under a budget of tokens, for a language model of the caller's. */
  context(request: bodies.ContextRequest, options?: CallOptions): Promise<bodies.ContextResponse> {
    return this.#call({ route: ROUTES.context, body: { ...this.#tenant, ...request } }, options);
  }

  /** Documents that are connected with one, and how. Throws `DOCUMENT_NOT_FOUND`. */
  related(request: bodies.RelatedRequest, options?: CallOptions): Promise<bodies.RelatedResponse> {
    return this.#call({ route: ROUTES.related, body: { ...this.#tenant, ...request } }, options);
  }

  /** Passages that several documents have, and statements that contradict each other. Throws `CONFLICTS_OFF`. */
  conflicts(request: bodies.ConflictsRequest = {}, options?: CallOptions): Promise<bodies.ConflictsResponse> {
    return this.#call({ route: ROUTES.conflicts, body: { ...this.#tenant, ...request } }, options);
  }

  /** A search with what each score is made of. */
  explain(request: bodies.ExplainRequest, options?: CallOptions): Promise<bodies.ExplainResponse> {
    return this.#call({ route: ROUTES.explain, body: { ...this.#tenant, ...request } }, options);
  }

  /** What two ways of searching find, for one question or a question set. */
  compare(request: bodies.CompareRequest, options?: CallOptions): Promise<bodies.CompareResponse> {
    return this.#call({ route: ROUTES.compare, body: { ...this.#tenant, ...request } }, options);
  }

  /** Which step lost a document that a query should find. */
  explainMiss(
    request: bodies.ExplainMissRequest,
    options?: CallOptions,
  ): Promise<bodies.ExplainMissResponse> {
    return this.#call({ route: ROUTES.explainMiss, body: { ...this.#tenant, ...request } }, options);
  }

  /** The vector of a text, by the model of the index. */
  embed(request: bodies.EmbeddingRequest, options?: CallOptions): Promise<bodies.EmbeddingResponse> {
    return this.#call({ route: ROUTES.embed, body: request }, options);
  }

  /** Indexes a document, or replaces the one of its id; the next search finds it. */
  indexDocument(
    document: bodies.KnowledgeDocumentInput,
    options?: WriteOptions,
  ): Promise<bodies.KnowledgeDocument> {
    return this.#call({ route: ROUTES.indexDocument, body: { ...this.#tenant, ...document } }, options);
  }

  /** Indexes up to 1,000 documents, and says what became of each. */
  indexDocuments(request: bodies.BatchRequest, options?: WriteOptions): Promise<bodies.BatchResponse> {
    return this.#call({ route: ROUTES.indexDocuments, body: { ...this.#tenant, ...request } }, options);
  }

  /** Indexes up to 20 files, and says what became of each. Throws what a file that is sent alone was refused for. */
  uploadFiles(request: bodies.UploadRequest, options?: WriteOptions): Promise<bodies.UploadResponse> {
    return this.#call({ route: ROUTES.uploadFiles, body: formOf({ ...this.#tenant, ...request }) }, options);
  }

  /** One page of the documents that the caller may read. */
  listDocuments(query: bodies.ListQuery = {}, options?: CallOptions): Promise<bodies.DocumentPage> {
    return this.#call({ route: ROUTES.listDocuments, query }, options);
  }

  /** All of them, a page at a time. */
  async *allDocuments(
    query: bodies.ListQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<bodies.IndexedDocument> {
    let { cursor } = query;
    do {
      const page = await this.listDocuments({ ...query, cursor }, options);
      yield* page.documents;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  /** Which values there are to filter by, and how many documents that the caller may read have each. */
  facets(request: bodies.FacetsRequest = {}, options?: CallOptions): Promise<bodies.FacetsResponse> {
    return this.#call({ route: ROUTES.facets, body: { ...this.#tenant, ...request } }, options);
  }

  /** A document with its text. Throws `DOCUMENT_NOT_FOUND`. */
  getDocument(id: string, options?: CallOptions): Promise<bodies.DocumentText> {
    return this.#call({ route: ROUTES.getDocument, parameters: { id } }, options);
  }

  /** How a document is cut: a page of its passages, in their order. Throws `DOCUMENT_NOT_FOUND`. */
  documentPassages(
    id: string,
    query: bodies.PassagesQuery = {},
    options?: CallOptions,
  ): Promise<bodies.PassagesPage> {
    return this.#call({ route: ROUTES.documentPassages, parameters: { id }, query }, options);
  }

  /** What history keeps of a document, newest first. Throws `DOCUMENT_NOT_FOUND`. */
  documentVersions(id: string, options?: CallOptions): Promise<bodies.VersionsResponse> {
    return this.#call({ route: ROUTES.documentVersions, parameters: { id } }, options);
  }

  /** The bytes of a document as its source has them. Throws `DOCUMENT_NOT_FOUND`, `ORIGINAL_UNAVAILABLE`. */
  async documentOriginal(id: string, options?: CallOptions): Promise<bodies.OriginalDocument> {
    const call = { route: ROUTES.documentOriginal, parameters: { id } };
    const { headers, content } = await this.#connection.bytes(call, options);
    const [, name = ''] = /filename\*=UTF-8''([^;]*)/.exec(headers.get('content-disposition') ?? '') ?? [];
    return { name: decodeURIComponent(name), mediaType: headers.get('x-media-type') ?? '', content };
  }

  /** Throws `DOCUMENT_NOT_FOUND`: also where an answer was lost, the deletion tried again, and another process answered that. */
  deleteDocument(id: string, options?: WriteOptions): Promise<void> {
    return this.#call({ route: ROUTES.deleteDocument, parameters: { id } }, options);
  }

  /** The same under the route of the knowledge service. */
  deleteKnowledgeDocument(id: string, options?: WriteOptions): Promise<void> {
    return this.#call({ route: ROUTES.deleteKnowledgeDocument, parameters: { id } }, options);
  }

  /** Deletes what was indexed with this `documentId`. */
  deleteParts(id: string, options?: WriteOptions): Promise<bodies.DeletedParts> {
    return this.#call({ route: ROUTES.deleteParts, parameters: { id } }, options);
  }

  /** What is indexed, and what failed. */
  status(options?: CallOptions): Promise<bodies.IndexStatus> {
    return this.#call({ route: ROUTES.status, query: this.#tenant }, options);
  }

  /** Where documents come from, and how many of each. */
  sources(options?: CallOptions): Promise<bodies.SourcesResponse> {
    return this.#call({ route: ROUTES.sources }, options);
  }

  /** The last index run. */
  runs(options?: CallOptions): Promise<bodies.RunsResponse> {
    return this.#call({ route: ROUTES.runs }, options);
  }

  /** Begins to bring the index in step, or to try again what failed, and does not wait for the end. */
  startRun(request: bodies.RunRequest = {}, options?: WriteOptions): Promise<bodies.IndexRun> {
    return this.#call({ route: ROUTES.startRun, body: { ...this.#tenant, ...request } }, options);
  }

  /** Stops the runs that requests began; what they wrote stays. */
  stopRuns(options?: WriteOptions): Promise<bodies.StoppedRuns> {
    return this.#call({ route: ROUTES.stopRuns }, options);
  }

  /**
   * How runs of the service go: the present state, and each one after it. A connection that is lost is made again, also to a service that was
   * started anew, which begins with its own state. It ends by the signal, and throws what the service refuses for good.
   */
  async *runEvents(options?: FollowOptions): AsyncGenerator<bodies.RunsState> {
    for await (const data of this.#connection.follow({ route: ROUTES.runEvents }, options))
      yield JSON.parse(data) as bodies.RunsState;
  }

  /** Items that could not be indexed, worst first. */
  failures(query: bodies.FailuresQuery = {}, options?: CallOptions): Promise<bodies.FailuresPage> {
    return this.#call({ route: ROUTES.failures, query }, options);
  }

  /** What was asked, youngest first, where the service keeps an audit log. */
  queries(query: bodies.QueriesQuery = {}, options?: CallOptions): Promise<bodies.QueriesPage> {
    return this.#call({ route: ROUTES.queries, query }, options);
  }

  /** Says what was opened of a search or an answer, and whether it helped, by its `requestId`; it is stored with what was shown. */
  sendFeedback(request: bodies.FeedbackRequest, options?: WriteOptions): Promise<bodies.FeedbackId> {
    return this.#call({ route: ROUTES.sendFeedback, body: { ...this.#tenant, ...request } }, options);
  }

  /** One page of the tenant's feedback. */
  listFeedback(query: bodies.FeedbackQuery = {}, options?: CallOptions): Promise<bodies.FeedbackPage> {
    return this.#call({ route: ROUTES.listFeedback, query }, options);
  }

  /** Questions with graded passages, made of the tenant's feedback. */
  feedbackJudgments(
    query: bodies.JudgmentsQuery = {},
    options?: CallOptions,
  ): Promise<bodies.FeedbackJudgments> {
    return this.#call({ route: ROUTES.feedbackJudgments, query }, options);
  }

  /** The deployments that were configured; for operators, like all that is about deployments. */
  listDeployments(options?: CallOptions): Promise<bodies.DeploymentList> {
    return this.#call({ route: ROUTES.listDeployments }, options);
  }

  /** The deployment of a tenant; `Shared` where none is configured. */
  getDeployment(tenantId: string, options?: CallOptions): Promise<bodies.DeploymentConfig> {
    return this.#call({ route: ROUTES.getDeployment, parameters: { tenantId } }, options);
  }

  /** Keeps the deployment of a tenant; one with documents elsewhere is moved instead. */
  saveDeployment(
    tenantId: string,
    body: bodies.DeploymentRequest,
    options?: WriteOptions,
  ): Promise<bodies.DeploymentConfig> {
    return this.#call({ route: ROUTES.saveDeployment, parameters: { tenantId }, body }, options);
  }

  /** Whether a store that a customer provides can be used. Nothing is kept. */
  validateDeployment(
    tenantId: string,
    body: bodies.DeploymentRequest,
    options?: CallOptions,
  ): Promise<bodies.DeploymentValidation> {
    return this.#call({ route: ROUTES.validateDeployment, parameters: { tenantId }, body }, options);
  }

  /** Moves a tenant while it is served; the same call again goes on with a move that broke off. */
  moveDeployment(
    tenantId: string,
    body: bodies.DeploymentRequest,
    options?: WriteOptions,
  ): Promise<bodies.DeploymentMove> {
    return this.#call({ route: ROUTES.moveDeployment, parameters: { tenantId }, body }, options);
  }

  /** An answer to a message of a conversation. */
  chat(request: bodies.ChatRequest, options?: CallOptions): Promise<bodies.ChatResponse> {
    return this.#call({ route: ROUTES.chat, body: request }, options);
  }

  /** The same as it comes about. */
  chatEvents(request: bodies.ChatRequest, options?: CallOptions): AsyncGenerator<bodies.AnswerEvent> {
    return this.#events({ route: ROUTES.chat, body: request }, options);
  }

  /** Brings the index in step with every configured source, however long it takes. */
  indexSources(options?: WriteOptions): Promise<bodies.IndexCounts> {
    return this.#call({ route: ROUTES.indexSources, query: this.#tenant }, options);
  }

  /** How many documents of each type the caller may read. */
  stats(options?: CallOptions): Promise<bodies.IndexStats> {
    return this.#call({ route: ROUTES.stats }, options);
  }

  /** Who calls, and what the key or token may do. */
  caller(options?: CallOptions): Promise<bodies.Caller> {
    return this.#call({ route: ROUTES.caller }, options);
  }

  /** Keys of all tenants, without their secrets; for operators. */
  keys(options?: CallOptions): Promise<bodies.KeysResponse> {
    return this.#call({ route: ROUTES.keys }, options);
  }

  /** Whether each index that a tenant has of its own answers, and why not; for operators. */
  deploymentHealth(options?: CallOptions): Promise<bodies.DeploymentsHealth> {
    return this.#call({ route: ROUTES.deploymentHealth, path: this.#healthPath('deployments') }, options);
  }

  /** Each part of the index that all tenants share, what is wrong with it, and its stores; for operators. */
  partsHealth(options?: CallOptions): Promise<bodies.PartsHealth> {
    return this.#call({ route: ROUTES.partsHealth, path: this.#healthPath('parts') }, options);
  }

  /** Whether the service can answer. That it cannot is a result, too. */
  health(options?: CallOptions): Promise<bodies.Health> {
    return this.#call(
      { route: ROUTES.health, path: this.#healthEndpoint, alsoGood: SERVICE_UNAVAILABLE },
      options,
    );
  }

  #healthPath(of: string): string | undefined {
    return this.#healthEndpoint === undefined ? undefined : `${this.#healthEndpoint}/${of}`;
  }

  #call<Result>(call: Call, options: WriteOptions | undefined): Promise<Result> {
    return this.#connection.json<Result>(call, options);
  }

  async *#events(call: Call, options: CallOptions | undefined): AsyncGenerator<bodies.AnswerEvent> {
    for await (const { name, data } of this.#connection.events(call, options)) {
      const content = JSON.parse(data) as unknown;
      if (name === 'error') throw ofProblem(content as Problem);
      if (name === 'answer') {
        yield { type: name, answer: content as bodies.AnswerResponse };
        return;
      }
      // A younger service may tell more.
      if (isKnownEvent(name)) yield { type: name, ...(content as object) } as bodies.AnswerEvent;
    }
    throw unreachable('The stream ended before the answer.');
  }
}

/** Files and their fields as the form that the service reads: lists are repeated, objects are JSON. */
function formOf({ files, ...fields }: UploadRequest): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value])
      if (one !== undefined) form.append(name, typeof one === 'object' ? JSON.stringify(one) : String(one));
  for (const { name, content } of files) form.append('file', content, name);
  return form;
}

const SERVICE_UNAVAILABLE = 503;

const isKnownEvent = (name: string): boolean => name === 'start' || name === 'text' || name === 'reset';
