import type { PendingBatch } from '../pending-work.js';

/** What a worker says of a batch that it was given. */
export type BatchOutcome =
  /** Nothing of it is left. */
  | { readonly isDone: true }
  /** It is to be handed out again, after so many milliseconds. */
  | {
      readonly isDone: false;
      readonly againInMs: number;
      /** Who had it takes nothing in its place for so long, so that others get it. @default 0 */
      readonly restMs?: number;
    };

/** Does one batch. A batch that throws is given out again later. */
export type BatchHandler = (batch: PendingBatch) => Promise<BatchOutcome>;

/** How many batches a queue holds. */
export interface QueueCounts {
  /** For anybody to take, those that are to be tried again later among them. */
  readonly waiting: number;
  /** Taken by a worker. */
  readonly active: number;
}

/** Takes batches from a queue until it is closed. */
export interface QueueConsumer {
  /** Takes no more, and waits for those that were taken. */
  close(): Promise<void>;
}

/**
 * Hands batches to workers. It may forget any of them at any time: the ledger knows what is pending. Each is handed out at least once, and
 * again when its worker has died.
 */
export interface WorkQueue {
  /** The server answers now. */
  readonly isUp: boolean;
  /** Adds batches; those that it holds already are left as they are. Throws `QUEUE_UNAVAILABLE`. */
  add(batches: readonly PendingBatch[]): Promise<void>;
  /** Throws `QUEUE_UNAVAILABLE`. */
  counts(): Promise<QueueCounts>;
  /** Hands out batches, so many at once. */
  consume(handler: BatchHandler, options: { readonly concurrency: number }): QueueConsumer;
  /** Told when the server is lost, and when it is back. */
  onChange(told: (isUp: boolean) => void): void;
  close(): Promise<void>;
}
