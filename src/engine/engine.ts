import type { StatedLimits } from '../agentic/agent.js';
import type { Answer, AnswerMode, ConversationTurn } from '../answering/answer.js';
import type { AnswerEvent } from '../answering/answer-events.js';
import type { ContextEstimate } from '../chunking/contextual/chunk-contextualiser.js';
import type { ConflictsRequest, ConflictsResponse } from '../conflicts/conflict-types.js';
import type { ContextPack } from '../context/context-pack.js';
import type { DegradationLevel } from '../core/degradation.js';
import type { DocumentOrigin } from '../core/document-origin.js';
import type { ErrorReason } from '../core/errors.js';
import type { Filter } from '../core/filter.js';
import type { MatchBand } from '../core/match-band.js';
import type { Metadata, MetadataValue } from '../core/metadata.js';
import type { ToldNotices } from '../core/notice.js';
import type { Runtime } from '../core/runtime.js';
import type { AccessControl, Scope, ScopeInput } from '../core/scope.js';
import type { StageTimes } from '../core/telemetry.js';
import type { ToldDegradation } from '../degradation/degradation-report.js';
import type { PartName } from '../degradation/level.js';
import type { EmbeddingEstimate, EmbeddingKind } from '../embedding/embedder.js';
import type { MissExplanation } from '../explain-miss/miss-explanation.js';
import type { FeedbackJudgments, FeedbackJudgmentsRequest } from '../feedback/feedback-judgments.js';
import type {
  FeedbackPage,
  FeedbackReceipt,
  FeedbackRequest,
  ListFeedbackRequest,
} from '../feedback/feedback-types.js';
import type { ForgetReceipt, ForgetRequest, ReceiptCheck } from '../forgetting/forget-types.js';
import type { ReferenceKind } from '../graph/graph.js';
import type { GraphStep } from '../graph/walk.js';
import type { AsOfReport, HistoryStatus } from '../history/as-of-report.js';
import type { RunFailure } from '../ledger/failed-run.js';
import type { DocumentStatus, GenerationState, OwedBatch, OwedReader } from '../ledger/ledger.js';
import type { MonitoringPlan } from '../monitoring/monitoring-plan.js';
import type { SearchPlanReport } from '../planning/plan-report.js';
import type { QueueCounts, WorkQueue } from '../queue/work-queue.js';
import type { CollapseMode, LaneReport, MorePassages, QueryCorrection } from '../retrieval/retriever.js';
import type { Rollout } from '../rollout/rollout.js';
import type { PushedDocument } from '../sources/push/push-source.js';
import type { StoresStatus } from '../stores/failover/failover-states.js';
import type { SyncPlan } from '../sync/sync-plan.js';
import type { SyncStatus } from '../sync/sync-state.js';
import type { ReembedRequest, ReembedResult, UpgradeStatus } from '../upgrading/upgrade-types.js';

/** `hybrid`: all lanes, fused. `dense`: vectors alone. `lexical`: words and identifiers, no embedding model is loaded. `graph`: as `hybrid`, and what is connected with it. */
export type SearchMode = 'hybrid' | 'dense' | 'lexical' | 'graph';

/** A question to the index. */
export interface SearchQuery {
  readonly text: string;
  /** The same as `options.topK`; both may stand where they are equal. */
  readonly topK?: number | undefined;
  readonly filters?:
    | {
        readonly sourceType?: readonly string[];
        /** On `updatedAt`, else `createdAt`; both ends inclusive, either may be left out. */
        readonly dateRange?: { readonly start?: Date; readonly end?: Date };
        /** Exact values; for a list field, membership; an array of values means any of them. */
        readonly metadata?: Readonly<Record<string, MetadataValue>>;
        /** Names of configured sources. */
        readonly source?: readonly string[];
        readonly tags?: readonly string[];
      }
    | undefined;
  /** The whole filter algebra, in addition to `filters`. */
  readonly filter?: Filter | undefined;
  /**
   * The index as it was, where `rag.history` keeps that: a moment (a `Date`, `2026-03-01`, an ISO-8601 time with its zone), or a tag of a Git
   * source. @default as it is now
   */
  readonly asOf?: string | Date | undefined;
  readonly options?: {
    /** @default retrieval.topK of the configuration (5) */
    readonly topK?: number;
    /** @default true */
    readonly includeMetadata?: boolean;
    /** Fill `explanation`. @default false */
    readonly explainScore?: boolean;
    /** @default 'hybrid' */
    readonly mode?: SearchMode;
    /** Of mode `graph`: steps from the documents that are found first, 1 to 3. @default 1 */
    readonly hops?: number;
    /** Leaves out what scores less, before age counts, in place of retrieval.minSimilarity; 0 switches the threshold off. */
    readonly minSimilarity?: number;
    /** Another name of `minSimilarity`. */
    readonly minScore?: number;
    /** Overrides whether near-duplicates are removed. */
    readonly nearDuplicates?: 'remove' | 'keep';
    /** Maximal marginal relevance trade-off in (0, 1]; 1 switches it off. */
    readonly mmrLambda?: number;
    /** Half-life in days of the recency boost; 0 switches it off. */
    readonly recencyHalfLifeDays?: number;
    readonly rerank?: boolean;
    /**
     * What is shown once, by its best passage: every `document`, backlog `items` and tickets only, or `none`. `topK` counts
     * what is shown. @default retrieval.collapse of the configuration ('items')
     */
    readonly collapse?: CollapseMode;
    /** Search for every word as it is typed. @default false: mistyped words are put right (retrieval.spelling) */
    readonly exactWords?: boolean;
    /**
     * Milliseconds, from the call, after which the answer is of no use any more. The search then does what is worth most in that time
     * (`ragstone profile`) and says in `plan` what it left out. @default none: everything is done that is configured
     */
    readonly deadlineMs?: number;
  };
  readonly signal?: AbortSignal;
}

/** A step of the graph, with what its documents are called in their sources. */
export interface NamedStep extends GraphStep {
  readonly fromName: string;
  readonly toName: string;
}

/** What a score is made of. */
export interface ScoreExplanation {
  /** Cosine of query and chunk, in [-1, 1]; absent when the dense lane did not see the chunk. */
  readonly semanticScore?: number;
  /** BM25 of the chunk; absent when the lexical lane did not see it. */
  readonly keywordScore?: number;
  readonly rerankScore?: number;
  /** By which way the graph led to its document, by ids of documents, from one that was found first; absent where the graph did not. */
  readonly path?: readonly NamedStep[];
  /** Sum of the values is `score`. */
  readonly contributions: readonly { readonly signal: string; readonly value: number }[];
}

/** A passage found. */
export interface SearchResult {
  /** Chunk id. */
  readonly id: string;
  /** Exact text of the stored revision at `metadata.offsets`. */
  readonly content: string;
  /**
   * How well the passage matches the query, in [0, 1]: above .7 well, above .5 somewhat, below .3 hardly. It falls along the
   * list, but for results that were moved.
   */
  readonly score: number;
  /** The same in a word: `strong` from .7 on, `possible` from .5 on, else `weak`. */
  readonly match: MatchBand;
  /** Calibrated probability that the passage is relevant, in the light of the others: for programs that must decide. */
  readonly probability: number;
  /** Why it stands elsewhere in the list; absent where it does not. */
  readonly movedBy?: 'variety';
  readonly origin: DocumentOrigin;
  /** What else was found of the same document, where it is shown once; absent where there is nothing. */
  readonly more?: MorePassages;
  readonly metadata: {
    /** Path or id relative to the source's root. */
    readonly source: string;
    readonly sourceType: string;
    readonly title?: string;
    readonly url?: string;
    readonly createdAt?: Date;
    readonly updatedAt?: Date;
    /** 1-based, inclusive. */
    readonly lines: { readonly start: number; readonly end: number };
    readonly headingPath: readonly string[];
    readonly [key: string]: unknown;
  };
  readonly explanation?: ScoreExplanation;
}

export type { CollapseMode, MorePassages, QueryCorrection } from '../retrieval/retriever.js';

/** What a lane did in a search. */
export type LaneStatus = LaneReport;

/** How a query was read, and what was looked for beside it. */
export interface QueryReading {
  /** `identifier`: it is about what it names. `question`: it asks. `keywords`: anything else. */
  readonly intent: 'identifier' | 'question' | 'keywords';
  readonly keywords: readonly string[];
  /** What it asks, where that is several things and more results are shown for it (`retrieval.adaptiveTopK.byComplexity`). */
  readonly parts?: readonly string[];
  readonly expansions: readonly {
    /** One of `rag.retrieval.expansion.kinds`. */
    readonly kind: string;
    readonly text: string;
    /** Why, in a sentence. */
    readonly reason: string;
  }[];
}

/** What a search found, and what it did without. */
export interface SearchResponse extends ToldNotices, ToldDegradation {
  readonly query: string;
  /** Which earlier state of the index was searched; absent for the present one. */
  readonly asOf?: AsOfReport;
  /** What was searched for in place of mistyped words; absent where the query was taken as it is. */
  readonly correction?: QueryCorrection;
  /** Present where these are the results of an earlier question that means nearly the same (`rag.retrieval.cache.semantic`): cosine of both, at most 1. */
  readonly semanticCache?: { readonly similarity: number };
  /** Absent where retrieval is switched off, and with `semanticCache`. */
  readonly understanding?: QueryReading;
  readonly results: readonly SearchResult[];
  /** What was done to end in time; absent where no `options.deadlineMs` was given. */
  readonly plan?: SearchPlanReport;
  readonly lanes: readonly LaneStatus[];
  /**
   * Milliseconds of each stage that ran: `understand`, `embed` (inside `dense`), the lanes, which run side by side, `fuse`,
   * `rerank`, `refine`.
   */
  readonly stages: StageTimes;
  /** Milliseconds in all. */
  readonly tookMs: number;
}

/** What could not be indexed, and why. */
export interface IndexError {
  readonly source: string;
  /** Path or id relative to the source's root; absent when the source itself failed. */
  readonly item?: string;
  /** Absolute path of its file, where it is one of this machine. */
  readonly path?: string;
  readonly reason: ErrorReason;
  readonly message: string;
}

/** What to bring in step; without any of it, everything that is configured and was indexed before. */
export interface IndexRequest {
  /**
   * Names of configured sources. Absent together with `paths` and `documents`: everything that is configured, and the paths
   * of earlier runs.
   */
  readonly sources?: readonly string[];
  /** Files or folders to index, and of the configured sources only those in `sources` and those that share files with them. Relative to the working folder. */
  readonly paths?: readonly string[];
  /** Documents handed in by the caller; each replaces the one pushed before under its id, and none is deleted. */
  readonly documents?: readonly PushedDocument[];
  /** Ids of pushed documents to delete. */
  readonly deleted?: readonly string[];
  readonly options?: {
    /** Chunks in one embedding and store batch. */
    readonly batchSize?: number;
    /**
     * Chunks in one transaction of the embedded store. The thread does nothing else meanwhile, some 40 ms for 96: more are for a program
     * that answers nobody beside. @default 96; of `ragstone index` 512
     */
    readonly transactionChunks?: number;
    /** Items read at once. */
    readonly parallel?: number;
    /** Do all work again even if up to date; rebuilds the collection where it is damaged or made by another model. */
    readonly force?: boolean;
    /** Say what would be done; write nothing. */
    readonly dryRun?: boolean;
    /**
     * `true`: also delete documents of sources that no configuration of this index states and this run does not name. A list:
     * those of the sources that it names, whoever indexed them.
     */
    readonly prune?: boolean | readonly string[];
    /**
     * Go on with sources whose listing would delete a large share of what is indexed of them (`rag.indexing.maxShrink`), which are
     * stopped with `SOURCE_SHRUNK` otherwise: `true` all of them, or those that are named. @default false
     */
    readonly allowShrink?: boolean | readonly string[];
    /** Leave out sources that failed and whose next attempt is not due yet, as schedules do. @default false */
    readonly heedBackoff?: boolean;
    /**
     * List the sources, and leave what is to be read and deleted to `ragstone worker` (needs `rag.queue`). Not together with `force`
     * and `prune`. @default false
     */
    readonly handOver?: boolean;
    /** Leave out sources that another process has listed since then, ISO-8601 UTC: where hosts share the ledger. */
    readonly unlessListedSince?: string;
    /** Wait this long for another writer. @default 0 */
    readonly waitMs?: number;
  };
  readonly onProgress?: (progress: IndexProgress) => void;
  readonly signal?: AbortSignal;
}

/** State of a running `index`, sent a few times a second. */
export interface IndexProgress {
  readonly stage: 'listing' | 'indexing' | 'optimizing' | 'done';
  /** The one that is listed or indexed now. */
  readonly source?: string;
  /** Which of the sources it is, from 1; 0 before the first. */
  readonly sourceNumber: number;
  readonly sourcesTotal: number;
  /** Items to read that are known so far, of all sources; final once the last one is listed. */
  readonly itemsTotal: number;
  readonly itemsDone: number;
  /** Of the present source; 0 while it is listed. */
  readonly sourceItemsTotal: number;
  readonly sourceItemsDone: number;
  /** Items that the present listing has named. */
  readonly itemsListed: number;
  /** Items per second in the present stage of the present source. */
  readonly itemsPerSecond: number;
  readonly chunksWritten: number;
  /** Chunks per second since the start of `indexing`. */
  readonly chunksPerSecond: number;
  /** Milliseconds left of the present source by bytes done, absent until it can be told. */
  readonly etaMs?: number;
}

/** What a run did. */
export interface IndexResult {
  /** False where anything failed; the rest is indexed all the same. */
  readonly success: boolean;
  readonly stats: {
    /** Documents read, chunked and written in this run (with `dryRun`: that would be). */
    readonly documentsProcessed: number;
    readonly documentsUnchanged: number;
    readonly documentsFailed: number;
    readonly documentsDeleted: number;
    readonly chunksCreated: number;
    readonly chunksUnchanged: number;
    readonly vectorsIndexed: number;
    /** Texts that went through the model, as against vectors reused or cached. */
    readonly embeddingsComputed: number;
    /** Milliseconds. */
    readonly timeElapsed: number;
    /** Milliseconds spent in each stage; stages overlap, so the sum may exceed `timeElapsed`. */
    readonly stages: Readonly<Record<string, number>>;
    /** Personal data and secrets taken out of the documents of this run, by source and type; absent where there were none. */
    readonly redactions?: Readonly<Record<string, Readonly<Record<string, number>>>>;
    /**
     * What was left out by rule, by source and kind: files of other kinds by their extension (`png`), `hidden`, `in .gitignore`;
     * absent where nothing was.
     */
    readonly skipped?: Readonly<Record<string, Readonly<Record<string, number>>>>;
    /** What was forgotten on purpose (`forget`) and is listed still, by source: it is left out; absent where nothing is. */
    readonly forgotten?: Readonly<Record<string, number>>;
    /** What `rag.sources[].retention` came to, by source (with `dryRun`: would); absent where none is stated. */
    readonly retention?: Readonly<
      Record<
        string,
        {
          /** Documents that have come of age and were deleted; they count as deleted. */
          readonly removed: number;
          /** Documents that were read and are too old to be indexed. */
          readonly leftOut: number;
          /** Documents without a date that can be read: kept. */
          readonly undated: number;
          /** Texts of earlier versions that were deleted. */
          readonly versions: number;
        }
      >
    >;
    /** Items that were left to workers (`options.handOver`), those that are gone among them; absent where there were none. */
    readonly itemsHandedOver?: number;
    readonly errors: readonly IndexError[];
  };
  /** Warnings of parsers, truncated inputs, stores that add a lane. */
  readonly notices: readonly string[];
  readonly dryRun: boolean;
  /** With `dryRun`: what hosted models will be asked for and cost; absent where none is configured. */
  readonly estimate?: IndexEstimate;
}

/** What a run will cost at hosted models: an upper bound where token counts are not exact. Prices in US dollars. */
export interface IndexEstimate {
  /** Contexts of chunks that are not kept yet; contexts also lengthen what is embedded, by at most `outputTokens`. */
  readonly contexts?: ContextEstimate;
  /** Texts that are neither indexed nor cached. */
  readonly embedding?: EmbeddingEstimate;
}

/** An item that could not be indexed, and when it is tried again. */
export interface FailedItem extends Omit<IndexError, 'item'> {
  /** Path or id relative to the source's root. */
  readonly item: string;
  /** Failures in a row of its present version. */
  readonly attempts: number;
  /** ISO-8601 UTC. */
  readonly failedAt: string;
  /**
   * `due`: the next run tries it, or the next push that names it. `waiting`: runs leave it alone until `nextAttemptAt`. `given-up`: a dead letter, left alone until it
   * changes or `retry` names it.
   */
  readonly state: 'due' | 'waiting' | 'given-up';
  /** ISO-8601 UTC; of those that wait. */
  readonly nextAttemptAt?: string;
}

/** Which failures are meant; without any of it, all. */
export interface FailuresRequest {
  /** Names of sources. */
  readonly sources?: readonly string[] | undefined;
  /** Items by their path or id, as `failures` names them. */
  readonly items?: readonly string[] | undefined;
}

/** What to try again now. */
export interface RetryRequest extends FailuresRequest {
  /** Wait this long for another writer, in milliseconds. @default 0 */
  readonly waitMs?: number | undefined;
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How the runs over one source went. Times are ISO-8601 UTC. */
export interface SourceSyncState {
  readonly source: string;
  /** The configuration states it, switched off or not. */
  readonly isConfigured: boolean;
  /** When the last listing began; later than `listingFinishedAt` where that one is under way, failed, or was killed. */
  readonly listingStartedAt?: string | undefined;
  readonly listingFinishedAt?: string | undefined;
  /** When all that a listing named was last dealt with; single documents may have failed. */
  readonly lastSuccessAt?: string | undefined;
  /** Runs in a row that could not list the source, or refused what it listed. */
  readonly consecutiveFailures: number;
  /** The last of these failures; absent after a success. */
  readonly lastError?:
    | { readonly reason: ErrorReason; readonly message: string; readonly at: string }
    | undefined;
  /** Schedules leave the source alone until then. */
  readonly nextAttemptAt?: string | undefined;
  /** When everything was last listed, as against what changed. */
  readonly lastReconcileAt?: string | undefined;
  /** Where the next listing goes on, in the source's own words; absent for one that always lists everything. */
  readonly cursor?: string | undefined;
}

/**
 * Where a document stands, in the words of a table of indexing states. `id` is that of the document, which is stable, and
 * `content_hash` SHA-256.
 */
export interface IndexingState {
  /** As `IndexedDocument.id`; for an item of which nothing was ever indexed, its path or id. */
  readonly id: string;
  /** Path or id relative to the source's root. */
  readonly source_path: string;
  readonly source_type: string;
  /** Absent before the first success. */
  readonly last_indexed?: Date;
  /** Of the stored text; absent before the first success. */
  readonly content_hash?: string;
  readonly chunk_count: number;
  /** Ids of its chunks, which are those of its vectors. */
  readonly vector_ids: readonly string[];
  readonly status: DocumentStatus;
  readonly error_message?: string;
  readonly retry_count: number;
  readonly metadata: Metadata;
}

/** One page of indexing states. */
export interface IndexingStatePage {
  readonly states: readonly IndexingState[];
  /** Absent on the last page. */
  readonly cursor?: string | undefined;
}

/** What is indexed of one source. */
export interface SourceStatus {
  readonly source: string;
  readonly sourceType: string;
  readonly documents: Readonly<Record<DocumentStatus, number>>;
  readonly failedItems: number;
  readonly chunks: number;
  /** Personal data and secrets that were taken out of what is indexed, by type; absent where there were none. */
  readonly redactions?: Readonly<Record<string, number>>;
  /** How the runs over it went; absent where it was never listed. */
  readonly sync?: Omit<SourceSyncState, 'source' | 'cursor'> | undefined;
}

/** What became of a batch that a listing had left to workers. */
export type BatchReport =
  | {
      /** Items that were dealt with: read, deleted, failed, or found to be done. */
      readonly items: number;
      /** Items of it that another process holds, or that this one must not do. */
      readonly left: number;
      /** They are processed by other settings here than where they were listed. */
      readonly isForeign: boolean;
      /** It was the last of its source, which is indexed now as it was listed. */
      readonly isLast: boolean;
      readonly result: IndexResult;
    }
  /** No source of this configuration has the name. */
  | { readonly isUnknown: true };

/** What workers work with. */
export interface WorkPlan {
  /** Throws `USAGE` where no queue is configured, `PACKAGE_MISSING`. */
  queue(): Promise<WorkQueue>;
  /** Opens what every batch needs, so that what is wrong is told at the start. */
  prepare(): Promise<void>;
  /** What is owed now; undefined before the first listing. */
  owed(): Promise<OwedReader | undefined>;
  /** Does a batch. What the signal ends is still owed. */
  work(batch: OwedBatch, signal: AbortSignal): Promise<BatchReport>;
  /** Lets go of the sources that batches keep open for those after them. Call it last. */
  release?(): void;
  /** Whose clock and timers count. @default those of the machine */
  readonly runtime?: Runtime | undefined;
}

/** What workers have before them. */
export interface WorkStatus {
  /** By the ledger, in name order; a source of which nothing is left is not among them. */
  readonly sources: readonly {
    readonly source: string;
    /** Documents that nobody works on now. */
    readonly waiting: number;
    /** Documents that a worker holds. */
    readonly active: number;
    /** When the oldest of them was listed, ISO-8601 UTC. */
    readonly oldestAt: string;
    readonly oldestSeconds: number;
  }[];
  /** Batches of documents in the queue; no numbers where its server does not answer, and where the index holds other tenants too. */
  readonly queue: { readonly isUp: boolean } & Partial<QueueCounts>;
}

/** What is indexed, how large it is, and what failed. */
export interface IndexStatus {
  readonly dataDir: string;
  readonly provider: string;
  /** How the provider was chosen, in words. */
  readonly providerOrigin: string;
  readonly embedder: string;
  readonly fingerprint: string;
  readonly dimensions: number;
  readonly documents: number;
  readonly chunks: number;
  /** Empty where the index holds other tenants too. */
  readonly bytes: { readonly ledger?: number | undefined; readonly store?: number | undefined };
  readonly vectorIndex: string;
  readonly textIndex: string;
  readonly sources: readonly SourceStatus[];
  /** Absent before the first, for the scope of a project, and where the index holds other tenants too. */
  readonly lastRun?:
    | {
        readonly command: string;
        readonly startedAt: string;
        readonly finishedAt?: string | undefined;
        readonly success?: boolean | undefined;
        /** Why it ended, where that was by an error. */
        readonly error?: RunFailure | undefined;
        readonly stats?: IndexResult['stats'] | undefined;
      }
    | undefined;
  /** How the sources are followed; absent where they never were, and for the scope of a project. */
  readonly following?: SyncStatus | undefined;
  /** What is listed and left to workers (`rag.queue`); absent where no queue is configured. */
  readonly work?: WorkStatus | undefined;
  readonly failures: readonly IndexError[];
  /** Reasons why an answer may be incomplete now: a rebuild, outdated documents, an interrupted run. */
  readonly notices: readonly string[];
  /** The stores of `rag.failover`; absent where there is one store. */
  readonly stores?: StoresStatus | undefined;
  /** Where the upgrade to a stronger model stands; absent where none is wanted or was begun, and where the index holds other tenants too. */
  readonly upgrade?: UpgradeStatus | undefined;
  /** What `rag.history` keeps; absent where it keeps nothing, for the scope of a project, and where the index holds other tenants too. */
  readonly history?: HistoryStatus | undefined;
}

/** `kind` of a difference between sources, ledger and store. */
export type DriftKind =
  | 'source-changed'
  | 'source-new'
  | 'source-deleted'
  | 'source-unreadable'
  | 'source-abandoned'
  | 'document-pending'
  | 'document-outdated'
  | 'chunk-missing'
  | 'chunk-orphaned'
  | 'chunk-different'
  | 'store-damaged'
  | 'history-damaged'
  | 'ledger-damaged';

/** One difference between sources, ledger and store. */
export interface Drift {
  readonly kind: DriftKind;
  /** Path or id of the document, or the name of the source or store. */
  readonly source: string;
  /** Absolute path of the document's file, where it is one of this machine. */
  readonly path?: string;
  readonly detail: string;
}

/** Whether sources, ledger and store agree. */
export interface VerifyResult {
  readonly ok: boolean;
  readonly drift: readonly Drift[];
  /** How many differences were repaired. */
  readonly repaired: number;
}

/** A question that wants an answer (`message` and `conversation_history` are other names of the same two fields). */
export interface AskRequest extends Pick<SearchQuery, 'filters' | 'filter' | 'asOf' | 'signal'> {
  readonly question?: string | undefined;
  readonly message?: string | undefined;
  /** Earlier turns, oldest first. */
  readonly history?: readonly ConversationTurn[] | undefined;
  readonly conversation_history?: readonly ConversationTurn[] | undefined;
  /** @default rag.answering.mode of the configuration (`enhanced`) */
  readonly mode?: AnswerMode | undefined;
  /**
   * What the answer may take; `maxSteps` with the mode `agentic` alone. @default with that mode 8 steps, 40,000 tokens, 0.1 US dollars, 30 s, with
   * others nothing is limited
   */
  readonly limits?: StatedLimits | undefined;
  /** @default rag.answering.answerer (`auto`: the language model where one is set up) */
  readonly answerer?: 'auto' | 'chat' | 'extractive' | undefined;
  /** Passages retrieved. @default rag.answering.topK, else as many as a search shows (rag.retrieval.topK, 5) */
  readonly topK?: number | undefined;
  /** As a search states them: `topK` once more, and what stands once among the passages. @default retrieval.collapse ('items') */
  readonly options?:
    | { readonly topK?: number | undefined; readonly collapse?: CollapseMode | undefined }
    | undefined;
  /** Confidence below which the answer is withheld; 0 answers always. @default rag.answering.abstainBelow */
  readonly abstainBelow?: number | undefined;
  /** Take every word as it is typed. @default false: mistyped words are put right (retrieval.spelling) */
  readonly exactWords?: boolean | undefined;
}

/** What to find for the context of a language model that the caller asks. */
export interface ContextQuery
  extends Pick<SearchQuery, 'text' | 'topK' | 'filters' | 'filter' | 'asOf' | 'signal'> {
  /** Tokens that the context may take, at least 64. @default rag.context.budget, else 2,000 */
  readonly budget?: number | undefined;
  /** The language model that will read it (`openai:gpt-4o-mini`), so that its tokens are counted. @default the built-in count */
  readonly model?: string | undefined;
}

/** Cited context for a question, and what finding it did without. */
export interface ContextResponse extends ContextPack, ToldDegradation {
  /** As that of a search. */
  readonly asOf?: AsOfReport;
}

/** Texts that want vectors. */
export interface EmbedRequest {
  readonly texts: readonly string[];
  /** As what they are read; models may tell the two apart. @default 'document' */
  readonly kind?: EmbeddingKind | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Vectors of texts. */
export interface EmbeddedTexts {
  /** Name of the model. */
  readonly model: string;
  readonly dimensions: number;
  /** One unit-length vector a text, in order; all zero for a text without any word that the model knows. */
  readonly vectors: readonly Float32Array[];
}

/** Whether one part of an engine answers. */
export interface PartHealth {
  /** Models are among them where they are services, or a program's own. */
  readonly part: PartName;
  readonly ok: boolean;
  /** In words. */
  readonly detail: string;
}

/** What is looked at beside whether parts answer. */
export interface HealthOptions {
  /** Count the chunks of the store too, which takes longer the more there are. @default false */
  readonly counts?: boolean | undefined;
}

/** Whether an engine can answer now. */
export interface EngineHealth {
  /** All parts answer. */
  readonly ok: boolean;
  /** Least level of degradation that a search can have now; absent where none is answered. */
  readonly degradationLevel?: DegradationLevel | undefined;
  readonly parts: readonly PartHealth[];
  /** Of `rag.failover`; absent where there is one store. The part `store` is well as long as one of them answers. */
  readonly stores?: StoresStatus;
  /** Chunks in the store, of all tenants; absent where they were not asked for, or could not be counted in time. */
  readonly chunks?: number;
}

/** A document as the index holds it. */
export interface IndexedDocument {
  /** The id that `get` and `delete` take, and results call `metadata.documentId`; stable over revisions. */
  readonly id: string;
  /** Its identity in its source: a path relative to the source's root, a page id, the id of a push. */
  readonly externalId: string;
  /** Name of the source. */
  readonly source: string;
  readonly sourceType: string;
  readonly origin: DocumentOrigin;
  readonly project?: string | undefined;
  readonly title?: string | undefined;
  readonly url?: string | undefined;
  readonly metadata: Metadata;
  /** Fields that `metadata` leaves out, because they cannot be decrypted; absent where all can. */
  readonly undecryptable?: readonly string[] | undefined;
  readonly access: AccessControl;
  readonly status: DocumentStatus;
  /** ISO-8601 UTC. */
  readonly indexedAt?: string | undefined;
}

/** A document with the text that its passages are cut from, after redaction. */
export interface DocumentText extends IndexedDocument {
  readonly text: string;
}

/** Which documents to list. */
export interface ListRequest extends Pick<SearchQuery, 'filters' | 'filter'> {
  /** From the previous page. */
  readonly cursor?: string | undefined;
  /** Documents on a page, 1 to 1,000. @default 100 */
  readonly limit?: number | undefined;
}

/** What is connected with an item. */
export interface RelatedRequest {
  /** Id of a document, the id it was pushed under, its key (`PAY-142`), number, address, or path in its source. */
  readonly item: string;
  /** Steps from the item, 1 to 3. @default 2 */
  readonly hops?: number | undefined;
  /** Most documents, 1 to 100. @default 20 */
  readonly limit?: number | undefined;
  /** Kinds of edges that are followed. @default all */
  readonly kinds?: readonly ReferenceKind[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A document of the graph, as people know it. */
export interface GraphDocumentInfo {
  readonly id: string;
  readonly source: string;
  /** Path or id relative to the source. */
  readonly externalId: string;
  readonly title?: string | undefined;
  readonly url?: string | undefined;
}

/** A document that is connected with another one. */
export interface RelatedDocument extends GraphDocumentInfo {
  /** How strongly, in (0, 1): its share in random walks from the item. For the order alone. */
  readonly score: number;
  /** The shortest way from the item, step by step, by ids of documents. */
  readonly path: readonly GraphStep[];
}

export interface RelatedResponse extends ToldNotices {
  readonly item: GraphDocumentInfo;
  /** The closest first. */
  readonly related: readonly RelatedDocument[];
  /** Every document that a path names, by id. */
  readonly documents: Readonly<Record<string, GraphDocumentInfo>>;
}

/** One page of documents. */
export interface DocumentPage {
  readonly documents: readonly IndexedDocument[];
  /** Absent on the last page. */
  readonly cursor?: string | undefined;
}

/**
 * The index as one scope sees it. What the scope may not read does not exist here: `get`, `list` and `delete` answer as for
 * an unknown document. A push is written to the scope's tenant and project; it cannot replace what the scope may not read
 * (`DOCUMENT_DUPLICATE_ID`). `explainMiss`, `status`, `failures`, `retry`, `sourceStates`, `indexingStates` and `verify` are for
 * whoever keeps the index: they tell of everything in the tenant, and the project where one is stated.
 */
export interface EngineView {
  readonly scope: Scope;
  /** Brings the index in step; a list is short for `{ documents }`. */
  index(request?: IndexRequest | readonly PushedDocument[]): Promise<IndexResult>;
  /** Short for `index({ documents })`. */
  push(documents: readonly PushedDocument[]): Promise<IndexResult>;
  /** The document under an id of results or of a push; undefined where there is none. */
  get(id: string): Promise<DocumentText | undefined>;
  /** Documents of every source, in the order of their ids. One without any text has nothing to read and is left out. */
  list(request?: ListRequest): Promise<DocumentPage>;
  /**
   * Deletes documents of any source by ids of results or of pushes, unknown ones are none; says how many. What its source
   * still holds comes back when that source's item is read again.
   */
  delete(ids: readonly string[]): Promise<number>;
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
   * @throws RAGError `CONFIG_INVALID` where `rag.conflicts.enabled` is false
   */
  conflicts(request?: ConflictsRequest): Promise<ConflictsResponse>;
  /** Cited context for a language model that the caller asks; the fallback text where nothing is found. */
  context(query: string | ContextQuery): Promise<ContextResponse>;
  /** Vectors by the model of the index, comparable with what it holds. */
  embed(request: EmbedRequest): Promise<EmbeddedTexts>;
  /** Keeps what somebody did with what was shown, or says of it. Off unless `rag.feedback.enabled` is set (`FEEDBACK_OFF`). */
  feedback(request: FeedbackRequest): Promise<FeedbackReceipt>;
  /** Feedback that was given by whoever may read no more than this scope. */
  listFeedback(request?: ListFeedbackRequest): Promise<FeedbackPage>;
  /** Questions with graded passages, made of that feedback; see docs/feedback.md. */
  feedbackJudgments(request?: FeedbackJudgmentsRequest): Promise<FeedbackJudgments>;
  explainMiss(query: string | SearchQuery, document: string): Promise<MissExplanation>;
  ask(request: string | AskRequest): Promise<Answer>;
  askStream(request: string | AskRequest): AsyncIterable<AnswerEvent>;
  /** How items of a pipeline are rolled out for the tenant: which side each is on, and what was counted. */
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
   * revisions, caches, and the files of the store. It is for whoever keeps the index: it means documents of the tenant, and the project
   * where one is stated, whoever may read them. Their sources are not changed; runs leave out what they still list (`letIn` ends that).
   *
   * @throws RAGError `USAGE`, `QUERY_INVALID` for what cannot be meant; `INDEX_LOCKED`, `STORE_UNAVAILABLE` and others where it could not
   * be carried out to its end: the next call that writes goes on with it
   */
  forget(request: ForgetRequest): Promise<ForgetReceipt>;
  /** Lets in again what a receipt, by its id or the path of its file, keeps out; says how many names. The next run indexes it. */
  letIn(receipt: string): Promise<number>;
  /** Looks in everything that Ragstone keeps for what a receipt names. */
  checkReceipt(receipt: string): Promise<ReceiptCheck>;
}

/** What `verify` looks at and whether it mends. */
export interface VerifyRequest {
  /** Mend what differs. @default false */
  readonly repair?: boolean | undefined;
  /** Compare with the sources too; false where they are out of reach. @default true */
  readonly sources?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a rotation of keys did. */
export interface EncryptionRotation {
  /** Documents that were looked at, in every generation. */
  readonly documents: number;
  /** Those that were encrypted anew. */
  readonly rewritten: number;
}

/** One filling of a store. A rebuild fills another one beside it, and the live one is switched when it is complete. */
export interface GenerationSummary {
  readonly generation: number;
  readonly state: GenerationState;
  /** Store that holds its chunks. */
  readonly provider: string;
  readonly embedder: string;
  readonly documents: number;
  readonly chunks: number;
  /** ISO-8601 UTC; absent for one that an older version made. */
  readonly startedAt?: string | undefined;
  /** When it was last switched to. */
  readonly switchedAt?: string | undefined;
}

/**
 * The whole engine over one index. Close it when done. Each method takes a scope last; without one it is the view of tenant
 * `default`, no groups and clearance 0, which sees all that no access rule restricts.
 */
export interface Engine extends EngineView {
  /** The index as this scope sees it. Throws `SCOPE_INVALID`. */
  as(scope: ScopeInput): EngineView;
  /** Brings the index in step; a list is short for `{ documents }`. */
  index(request?: IndexRequest | readonly PushedDocument[], scope?: ScopeInput): Promise<IndexResult>;
  push(documents: readonly PushedDocument[], scope?: ScopeInput): Promise<IndexResult>;
  get(id: string, scope?: ScopeInput): Promise<DocumentText | undefined>;
  list(request?: ListRequest, scope?: ScopeInput): Promise<DocumentPage>;
  delete(ids: readonly string[], scope?: ScopeInput): Promise<number>;
  /** Resolves with an envelope: results, which lanes ran, degradation level. */
  search(query: string | SearchQuery, scope?: ScopeInput): Promise<SearchResponse>;
  related(request: string | RelatedRequest, scope?: ScopeInput): Promise<RelatedResponse>;
  conflicts(request?: ConflictsRequest, scope?: ScopeInput): Promise<ConflictsResponse>;
  context(query: string | ContextQuery, scope?: ScopeInput): Promise<ContextResponse>;
  embed(request: EmbedRequest, scope?: ScopeInput): Promise<EmbeddedTexts>;
  feedback(request: FeedbackRequest, scope?: ScopeInput): Promise<FeedbackReceipt>;
  listFeedback(request?: ListFeedbackRequest, scope?: ScopeInput): Promise<FeedbackPage>;
  feedbackJudgments(request?: FeedbackJudgmentsRequest, scope?: ScopeInput): Promise<FeedbackJudgments>;
  /**
   * Says which stage lost a document that a query should find, and what would bring it back. `document` is an id, a path, or
   * the end of one. It tells of documents of the scope's tenant that the scope may not read: it is for whoever keeps the index.
   */
  explainMiss(query: string | SearchQuery, document: string, scope?: ScopeInput): Promise<MissExplanation>;
  /** An answer with checked citations; without a language model, the sentences that answer best. Abstains where evidence is thin. */
  ask(request: string | AskRequest, scope?: ScopeInput): Promise<Answer>;
  /** The same as it comes about; the last event holds the answer. */
  askStream(request: string | AskRequest, scope?: ScopeInput): AsyncIterable<AnswerEvent>;
  /** How items are rolled out for the tenant (`rag.rollout`): which side each is on, what was counted. Opens nothing. */
  rollout(scope?: ScopeInput): Promise<Rollout>;
  /** What is indexed, and what failed. */
  status(scope?: ScopeInput): Promise<IndexStatus>;
  failures(request?: FailuresRequest, scope?: ScopeInput): Promise<readonly FailedItem[]>;
  retry(request?: RetryRequest, scope?: ScopeInput): Promise<IndexResult>;
  sourceStates(scope?: ScopeInput): Promise<readonly SourceSyncState[]>;
  indexingStates(
    request?: Pick<ListRequest, 'cursor' | 'limit'>,
    scope?: ScopeInput,
  ): Promise<IndexingStatePage>;
  /** Compares sources, ledger and store, and mends what differs where it is asked to. */
  verify(options?: VerifyRequest, scope?: ScopeInput): Promise<VerifyResult>;
  forget(request: ForgetRequest, scope?: ScopeInput): Promise<ForgetReceipt>;
  letIn(receipt: string, scope?: ScopeInput): Promise<number>;
  checkReceipt(receipt: string, scope?: ScopeInput): Promise<ReceiptCheck>;
  /** Goes on with what `forget` began and did not finish, as every call that writes does; why it could not, in words. */
  resumeForgetting(): Promise<readonly string[]>;
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
