import type { ResolvedConfig } from '../config/resolved-config.js';
import { durationMs } from '../core/durations.js';
import { runtime } from '../core/runtime.js';
import type { LedgerItem } from '../ledger/ledger.js';

/** When what failed is tried again. */
export interface RetryPolicy {
  /** Attempts at one version of an item; then it is a dead letter. */
  readonly attempts: number;
  /** Longest wait after the first failure, in milliseconds; it doubles from failure to failure. */
  readonly initialDelayMs: number;
  /** No wait is longer, in milliseconds. */
  readonly maxDelayMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  attempts: 5,
  initialDelayMs: 60_000,
  maxDelayMs: 6 * 3_600_000,
};

/** The policy of `rag.indexing.retry`. */
export const retryPolicyOf = ({ rag }: ResolvedConfig): RetryPolicy => ({
  attempts: rag.indexing.retry.attempts,
  initialDelayMs: durationMs(rag.indexing.retry.initialDelay),
  maxDelayMs: durationMs(rag.indexing.retry.maxDelay),
});

/**
 * When there may be another attempt, after so many failures in a row, ISO-8601 UTC. The wait is any part of the doubled one (full
 * jitter), so that what failed together is not tried again together.
 */
export function nextAttemptAt({ initialDelayMs, maxDelayMs }: RetryPolicy, failures: number): string {
  const { now, random } = runtime();
  const longest = Math.min(maxDelayMs, initialDelayMs * 2 ** Math.min(failures - 1, 52));
  return new Date(now() + random() * longest).toISOString();
}

/** Whether the last failure was of this very version, processed as it would be now. */
export const failedAlike = (
  { status, error }: LedgerItem,
  { version, processingKey }: { readonly version: string; readonly processingKey: string },
): boolean =>
  status === 'failed' &&
  error?.version === version &&
  (error.processingKey === undefined || error.processingKey === processingKey);

/** Whether a moment, if there is one, is still to come. */
export const isAhead = (at: string | undefined): boolean =>
  at !== undefined && Date.parse(at) > runtime().now();
