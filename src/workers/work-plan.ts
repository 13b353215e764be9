import type { Runtime } from '../core/runtime.js';
import type { BatchReport } from '../engine/work-requests.js';
import type { OwedBatch, OwedReader } from '../ledger/ledger.js';
import type { WorkQueue } from '../queue/work-queue.js';

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
  /** Whose clock and timers count. @default those of the machine */
  readonly runtime?: Runtime | undefined;
}
