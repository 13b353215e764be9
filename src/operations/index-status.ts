import type { Runtime } from '../core/runtime.js';
import type { RunFailure } from '../ledger/failed-run.js';
import type { HistoryStatus } from '../ledger/history/as-of-report.js';
import type { GenerationState } from '../ledger/ledger.js';
import type { PendingBatch, PendingWorkReader } from '../ledger/pending-work.js';
import type { QueueCounts, WorkQueue } from '../ledger/queue/work-queue.js';
import type { StoresStatus } from '../stores/failover/failover-states.js';
import type { IndexError, IndexResult } from './indexing.js';
import type { SourceStatus } from './source-state.js';
import type { SyncStatus } from './sync-state.js';
import type { UpgradeStatus } from './upgrade-types.js';

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
  /** What is pending now; undefined before the first listing. */
  pendingWork(): Promise<PendingWorkReader | undefined>;
  /** Does a batch. What the signal ends is still pending. */
  work(batch: PendingBatch, signal: AbortSignal): Promise<BatchReport>;
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
/** Passages that the reader (`rag.retrieval.rerank.model`) has read before anybody asks. */
export interface ReadingProgress {
  /** Those of the index, and 100,000 at most. */
  readonly passages: number;
  readonly read: number;
}

export interface IndexStatus {
  readonly dataDir: string;
  readonly provider: string;
  /** How the provider was chosen, in words. */
  readonly providerOrigin: string;
  readonly embedder: string;
  readonly fingerprint: string;
  readonly dimensions: number;
  /** Those that are known, in whatever state: `sources` has them by it. */
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
  /** How far the reader is ahead of searches; absent where this process reads nothing ahead, and as `lastRun` is. */
  readonly reading?: ReadingProgress | undefined;
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
