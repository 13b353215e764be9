import type { Answer } from '../answering/answer.js';
import type { AnswerEvent } from '../answering/answer-events.js';
import type { Scope, ScopeInput } from '../core/scope.js';
import type { ConflictsRequest, ConflictsResponse } from '../relations/conflicts/conflict-types.js';
import type { PushedDocument } from '../sources/push/push-source.js';
import type { StoresStatus } from '../stores/failover/failover-states.js';
import { type AskRequest, ask, type ContextQuery, type ContextResponse, context } from './answers.js';
import { conflicts } from './conflicts.js';
import {
  checkedListing,
  type DocumentCounts,
  type DocumentPage,
  type DocumentRequest,
  type DocumentText,
  deletion,
  get,
  type ListRequest,
  list,
} from './documents.js';
import { type EmbeddedTexts, type EmbedRequest, embed } from './embedding.js';
import { factOperations } from './extraction-types.js';
import {
  type FeedbackJudgments,
  type FeedbackJudgmentsRequest,
  feedbackJudgments,
} from './feedback-judgments.js';
import {
  type FeedbackPage,
  type FeedbackReceipt,
  type FeedbackRequest,
  feedback,
  type ListFeedbackRequest,
  listFeedback,
} from './feedback-types.js';
import {
  checkReceipt,
  type ForgetReceipt,
  type ForgetRequest,
  forget,
  letIn,
  type ReceiptCheck,
} from './forget-types.js';
import type { ScopedGraphFacts } from './graph-facts.js';
import type { EngineHealth, HealthOptions } from './health.js';
import type { GenerationSummary, IndexStatus, WorkPlan } from './index-status.js';
import {
  type FailedItem,
  type FailuresRequest,
  failures,
  type IndexRequest,
  type IndexResult,
  index,
  push,
  type RetryRequest,
  retry,
} from './indexing.js';
import { explainMiss, type MissExplanation } from './miss-explanation.js';
import type { MonitoringPlan } from './monitoring-plan.js';
import { type Operation, operation } from './operation.js';
import { type RelatedRequest, type RelatedResponse, related } from './related.js';
import type { Rollout } from './rollout.js';
import { type SearchQuery, type SearchResponse, search } from './search.js';
import type { IndexingStatePage, SourceSyncState } from './source-state.js';
import type { SyncPlan } from './sync-plan.js';
import type { ReembedRequest, ReembedResult } from './upgrade-types.js';
import { type VerifyRequest, type VerifyResult, verify } from './verification.js';

// What its calls take and give, a file for each subject.
export type * from './answers.js';
export type * from './documents.js';
export type * from './embedding.js';
export type * from './graph-facts.js';
export type * from './health.js';
export type * from './index-status.js';
export type * from './indexing.js';
export type * from './related.js';
export type * from './search.js';
export type * from './source-state.js';
export type * from './verification.js';

/**
 * The index as one scope sees it. What the scope may not read does not exist here: `get`, `list` and `delete` answer as for
 * an unknown document. A push is written to the scope's tenant and project; it cannot replace what the scope may not read
 * (`DOCUMENT_DUPLICATE_ID`). `explainMiss`, `status`, `failures`, `retry`, `sourceStates`, `indexingStates` and `verify` are for
 * maintainers of the index: they tell of everything in the tenant, and the project where one is stated.
 */
export interface EngineView {
  readonly scope: Scope;
  /** Brings the index in step; a list is short for `{ documents }`. */
  index(request?: IndexRequest | readonly PushedDocument[]): Promise<IndexResult>;
  /** Short for `index({ documents })`. */
  push(documents: readonly PushedDocument[]): Promise<IndexResult>;
  /**
   * The document under an id of results or of a push; undefined where there is none. With `original` it throws `ORIGINAL_UNAVAILABLE` where the
   * source cannot give it as it was indexed, or redaction or encryption is on.
   */
  get(request: string | DocumentRequest): Promise<DocumentText | undefined>;
  /** Documents of every source, in the order of their ids. One without any text has nothing to read and is left out. */
  list(request?: ListRequest): Promise<DocumentPage>;
  /** Counts what `list` lists, without reading it. */
  countDocuments(): Promise<DocumentCounts>;
  /**
   * Deletes documents of any source by ids of results or of pushes, unknown ones are none; says how many. What its source
   * still holds comes back when that source's item is read again.
   */
  delete(ids: readonly string[]): Promise<number>;
  /** Resolves with an envelope: results, which lanes ran, degradation level. */
  search(query: string | SearchQuery): Promise<SearchResponse>;
  /**
   * What is connected with an item by links, keys, relations, imports, people and components.
   *
   * @throws RAGError `DOCUMENT_NOT_FOUND` where nothing that may be read is called so, `USAGE` where several are
   */
  related(request: string | RelatedRequest): Promise<RelatedResponse>;
  /**
   * Passages that several documents have, and statements of different documents that contradict each other, without a language model.
   *
   * @throws RAGError `CONFLICTS_OFF` where `rag.conflicts.enabled` is not true
   */
  conflicts(request?: ConflictsRequest): Promise<ConflictsResponse>;
  /** Cited context for a language model that the caller asks; the fallback text where nothing is found. */
  context(query: string | ContextQuery): Promise<ContextResponse>;
  /** Vectors by the model of the index, comparable with what it holds. */
  embed(request: EmbedRequest): Promise<EmbeddedTexts>;
  /** Keeps what a person did with the results that were shown, or said of them. Off unless `rag.feedback.enabled` is set (`FEEDBACK_OFF`). */
  feedback(request: FeedbackRequest): Promise<FeedbackReceipt>;
  /** Feedback whose author may read no more than this scope. */
  listFeedback(request?: ListFeedbackRequest): Promise<FeedbackPage>;
  /** Questions with graded passages, made of that feedback; see docs/feedback.md. */
  feedbackJudgments(request?: FeedbackJudgmentsRequest): Promise<FeedbackJudgments>;
  /**
   * Says which stage lost a document that a query should find, and what would bring it back. `document` is an id, a path, or
   * the end of one. It tells of documents of the scope's tenant that the scope may not read: it is for maintainers of the index.
   */
  explainMiss(query: string | SearchQuery, document: string): Promise<MissExplanation>;
  /** An answer with checked citations; without a language model, the sentences that answer best. Abstains where evidence is thin. */
  ask(request: string | AskRequest): Promise<Answer>;
  /** The same as it comes about; the last event holds the answer. */
  askStream(request: string | AskRequest): AsyncIterable<AnswerEvent>;
  /** How items are rolled out for the tenant (`rag.rollout`): which side each is on, what was counted. Opens nothing. */
  rollout(): Promise<Rollout>;
  /** What is indexed, and what failed. */
  status(): Promise<IndexStatus>;
  /** What could not be indexed and is not given up without a word: those that are tried again, and dead letters. */
  failures(request?: FailuresRequest): Promise<readonly FailedItem[]>;
  /**
   * Tries failed items again now, dead letters too, and brings their sources in step. Throws `USAGE` where nothing that is named has
   * failed.
   */
  retry(request?: RetryRequest): Promise<IndexResult>;
  /** How the runs over each source went. */
  sourceStates(): Promise<readonly SourceSyncState[]>;
  /** Where each document stands, failed items among them; `limit` from 1 to 1,000, 100 where it is left out. */
  indexingStates(request?: Pick<ListRequest, 'cursor' | 'limit'>): Promise<IndexingStatePage>;
  /** Compares sources, ledger and store, and mends what differs where it is asked to. */
  verify(options?: VerifyRequest): Promise<VerifyResult>;
  /**
   * Deletes documents so that nothing of their text, names, metadata and vectors stays in what Ragstone keeps: every generation, kept
   * revisions, caches, and the files of the store. It is for maintainers of the index: it means documents of the tenant, and the
   * project where one is stated, whatever their access. Their sources are not changed; runs leave out what they still list (`letIn` ends that).
   *
   * @throws RAGError `USAGE`, `QUERY_INVALID` for what cannot be meant; `INDEX_LOCKED`, `STORE_UNAVAILABLE` and others where it could not
   * be carried out to its end: the next call that writes goes on with it
   */
  forget(request: ForgetRequest): Promise<ForgetReceipt>;
  /** Lets in again what a receipt, by its id or the path of its file, keeps out; says how many names. The next run indexes it. */
  letIn(receipt: string): Promise<number>;
  /** Looks in everything that Ragstone keeps for what a receipt names. */
  checkReceipt(receipt: string): Promise<ReceiptCheck>;
  /** Goes on with what `forget` began and did not finish, of every tenant of the index, as every call that writes does; why it could not, in words. */
  resumeForgetting(): Promise<readonly string[]>;
  /** Facts that a language model reads out of the documents. Off until `extract` is called; see docs/graph.md. */
  readonly graph: ScopedGraphFacts;
}

/** Methods of a view that give one outcome. */
type Outcomes<View> = {
  [Name in keyof View as View[Name] extends (...given: never[]) => Promise<unknown>
    ? Name
    : never]: View[Name];
};

/** The operation that a method calls, in types. */
type OperationOf<Method> = Method extends (...given: infer Given) => Promise<infer Outcome>
  ? Operation<Given, never, Outcome>
  : never;

type OperationsOf<View> = { readonly [Name in keyof View]: Omit<OperationOf<View[Name]>, 'check'> };

const told = operation({ access: 'read', takes: 0, check: () => undefined });

/**
 * Operations of an index as one scope sees it. Their checks, views, the audit log and the way to a tenant's index are made of this table; what
 * each does is in `scopedEngine`.
 */
export const OPERATIONS = {
  index,
  push,
  delete: deletion,
  get,
  list,
  countDocuments: told,
  search,
  related,
  conflicts,
  context,
  embed,
  feedback,
  listFeedback,
  feedbackJudgments,
  explainMiss,
  ask,
  rollout: told,
  status: told,
  failures,
  retry,
  sourceStates: told,
  indexingStates: operation({ access: 'read', takes: 1, check: checkedListing }),
  verify,
  forget,
  letIn,
  checkReceipt,
  resumeForgetting: operation({ access: 'write', takes: 0, check: () => undefined }),
} satisfies OperationsOf<Outcomes<EngineView>>;

export const FACT_OPERATIONS = factOperations satisfies OperationsOf<ScopedGraphFacts>;

/** What a rotation of keys did. */
export interface EncryptionRotation {
  /** Documents that were looked at, in every generation. */
  readonly documents: number;
  /** Those that were encrypted anew. */
  readonly rewritten: number;
  /**
   * Names of documents that were left as they are, in clear or under an older key, because they are half written or damaged. Index their source, or push
   * them, again, and rotate once more. Absent where there is none.
   */
  readonly unfinished?: readonly string[];
  /** Indexes of `ragstone try` that were removed: they are made without a configuration, so nothing in them is encrypted. Absent where there was none. */
  readonly removedTries?: number;
}

/** The calls of a view, each with the scope as its last argument. */
export type ScopeLast<View> = {
  [Name in keyof View]: View[Name] extends (...given: infer Given) => infer Outcome
    ? (...given: [...Given, scope?: ScopeInput]) => Outcome
    : View[Name];
};

/** `ScopedGraphFacts`, which says what each call does, with the scope last. */
export type GraphFacts = ScopeLast<ScopedGraphFacts>;

/**
 * The whole engine over one index. Close it when done. Each method of a view takes a scope last; without one it is the view of tenant
 * `default`, no groups and clearance 0, which sees all that no access rule restricts.
 */
export interface Engine extends ScopeLast<Omit<EngineView, 'graph'>> {
  /** The index as this scope sees it. Throws `SCOPE_INVALID`. */
  as(scope: ScopeInput): EngineView;
  /** Whether ledger and store answer. `counts: true` counts the chunks of the store too. */
  health(options?: HealthOptions): Promise<EngineHealth>;
  /** What the configuration says of when its sources are read; `startSync` goes by it. */
  syncPlan(): SyncPlan;
  /** What the configuration says of how it is watched; `startMonitoring` goes by it. */
  monitoringPlan(): MonitoringPlan;
  /** What is done of what listings leave to workers; `startWorkers` goes by it. */
  workPlan(): WorkPlan;
  /** The generations of the index, newest first: the live one, one to go back to, and one that is being filled. */
  generations(): Promise<readonly GenerationSummary[]>;
  /**
   * Goes back to a retired generation. What was deleted or restricted since is deleted and restricted in it first; the one that
   * was live is kept in its place.
   */
  useGeneration(generation: number): Promise<void>;
  /** Removes a generation that is not live, with its texts and vectors. */
  dropGeneration(generation: number): Promise<void>;
  /** How the stores of `rag.failover` are, asked now; undefined where there is one store. */
  stores(): Promise<StoresStatus | undefined>;
  /**
   * Asks this store first from now on, in every process of the index; it catches up before.
   *
   * @throws RAGError `STORE_UNAVAILABLE` where it cannot, and nothing has changed then; `USAGE` where there is no such store
   */
  switchStore(name: string): Promise<void>;
  /** Gives every store what it lacks, as long-running processes do by themselves; says how they are then. Throws `USAGE` where there is one store. */
  syncStores(signal?: AbortSignal): Promise<StoresStatus>;
  /** Gives up what is kept for a store, and copies everything to it when it answers. Throws `STORE_UNAVAILABLE` where no other store has everything. */
  rebuildStore(name: string): Promise<void>;
  /**
   * Makes vectors of another model beside the live ones, from what is stored; compares both on questions, and switches where the rule says so.
   * Searches and runs go on meanwhile, and go first. One that was stopped or killed goes on where it is called again. The scope is that of
   * the questions.
   *
   * @throws RAGError `USAGE` where no model is named; `MODEL_NOT_FOUND`; `INDEX_EMPTY`; `INDEX_LOCKED` where another process is at it
   */
  reembed(request?: ReembedRequest, scope?: ScopeInput): Promise<ReembedResult>;
  /** Facts that a language model reads out of the documents. Off until `extract` is called; see docs/graph.md. */
  readonly graph: GraphFacts;
  /**
   * Encrypts metadata by the first key of `rag.security.encryption.keys` where another one encrypted it, in every generation. Others may
   * search and write meanwhile. One that was stopped or killed goes on where it was called again.
   *
   * @throws RAGError `ENCRYPTION_KEY_MISSING` where a value needs a key that is not there
   */
  rotateEncryption(): Promise<EncryptionRotation>;
  /** Deletes the whole index (not the embedding cache, not the sources). */
  clear(): Promise<void>;
  /** Stops what is under way, waits for it, and lets go of everything. */
  close(): Promise<void>;
}
