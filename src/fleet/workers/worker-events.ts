import type { ErrorReason } from '../../core/errors.js';
import type { PendingCount } from '../../ledger/pending-work.js';
import type { IndexError } from '../../operations/engine.js';

/** What happens in a worker. `at`: ISO-8601 UTC. */
export type WorkerEvent = { readonly at: string } & (
  | { readonly type: 'started'; readonly concurrency: number }
  /** Nothing of it is left here; documents of it may have failed, which `errors` says. */
  | ({ readonly type: 'batch-finished' } & FinishedBatch)
  /** It could not be done and is given to somebody again; it counts against none of its documents. */
  | ({ readonly type: 'batch-failed' } & FailedBatch)
  /** How far it is, every few seconds in which anything was done. */
  | ({ readonly type: 'progress' } & WorkProgress)
  /** The server of the queue does not answer. The worker waits for it. */
  | { readonly type: 'queue-down' }
  | { readonly type: 'queue-up' }
  /** Batches that the queue had lost were added to it again. */
  | { readonly type: 'refilled'; readonly batches: number }
  | { readonly type: 'notice'; readonly message: string }
  /** It was told to stop, and finishes or gives back what it has. */
  | { readonly type: 'stopping'; readonly batches: number }
  | ({ readonly type: 'stopped' } & Pick<WorkProgress, 'batches' | 'items' | 'failed'>)
);

export interface FinishedBatch {
  readonly tenant: string;
  readonly source: string;
  /** Items that were dealt with. */
  readonly items: number;
  readonly documentsProcessed: number;
  readonly documentsDeleted: number;
  readonly chunks: number;
  readonly ms: number;
  /** Nothing is left of the source as it was listed. */
  readonly isLast: boolean;
  readonly errors: readonly IndexError[];
  readonly notices: readonly string[];
}

export interface FailedBatch {
  readonly tenant: string;
  readonly source: string;
  readonly reason: ErrorReason;
  readonly message: string;
  readonly againInMs: number;
}

/** What this worker has done since it started, and what is left for all. */
export interface WorkProgress {
  readonly batches: number;
  readonly items: number;
  /** Documents that failed. */
  readonly failed: number;
  /** Items since the last progress, in a second. */
  readonly itemsPerSecond: number;
  /** What is listed and not done, by source. */
  readonly left: readonly PendingCount[];
}
