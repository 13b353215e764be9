import { RAGError, throwIfAborted } from './errors.js';
import { sleep } from './runtime.js';

export interface RetryOptions {
  /** How often the work is tried again. */
  readonly retries: number;
  /** Wait before the second try, in milliseconds; it doubles from try to try. @default 250 */
  readonly firstDelayMs?: number;
  /** Wait after a failure, in milliseconds; `attempt` counts from 0. @default as `firstDelayMs` and `maxDelayMs` say */
  readonly delayAfter?: (error: unknown, attempt: number) => number;
  /** No wait is longer, in milliseconds: a provider that asks for more is given up. @default 60,000 */
  readonly maxDelayMs?: number;
  /** Whether the failure may pass by itself. @default `retryable` of a `RAGError`, else false */
  readonly isWorthRetrying?: (error: unknown) => boolean;
  readonly signal?: AbortSignal | undefined;
  /** Waits between tries; rejects when the signal fires. @default a timer */
  readonly delay?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 60_000;

/**
 * Does work that may fail for a while: tries again after doubling waits, or after as long as the failure itself asks
 * (`details.retryAfterMs` of a `RAGError`).
 *
 * @throws what the last try threw; RAGError `ABORTED` when the signal fires.
 */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, retries, delay = sleep, isWorthRetrying = isRetryable } = options;
  for (let attempt = 0; ; attempt++) {
    throwIfAborted(signal);
    let waitMs: number | undefined;
    try {
      return await work();
    } catch (error) {
      throwIfAborted(signal);
      waitMs = attempt < retries && isWorthRetrying(error) ? waitAfter(error, attempt, options) : undefined;
      if (waitMs === undefined) throw error;
    }
    await delay(waitMs, signal).catch((error: unknown) => {
      throwIfAborted(signal);
      throw error;
    });
  }
}

const isRetryable = (error: unknown): boolean => RAGError.isInstance(error) && error.retryable;

/** Undefined where the failure asks for a longer wait than anybody should sit through. */
function waitAfter(
  error: unknown,
  attempt: number,
  { firstDelayMs = FIRST_DELAY_MS, maxDelayMs = MAX_DELAY_MS, delayAfter }: RetryOptions,
): number | undefined {
  if (delayAfter !== undefined) return delayAfter(error, attempt);
  const asked = RAGError.isInstance(error) ? error.details.retryAfterMs : undefined;
  if (typeof asked === 'number') return asked > maxDelayMs ? undefined : asked;
  return Math.min(maxDelayMs, firstDelayMs * 2 ** attempt);
}
