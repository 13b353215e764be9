import type { RAGError } from '../core/errors.js';

export interface DeadlineOptions {
  /** Milliseconds. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
  /** What to throw where the deadline passes or the caller cancels. */
  readonly stopReason: () => RAGError;
}

/** Runs with a signal that fires at the deadline or when the caller cancels, and does not wait for what is deaf to it. */
export async function withDeadline<Result>(
  { deadlineMs, signal, stopReason }: DeadlineOptions,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const stop = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]);
  const stopped = new Promise<never>((_, reject) => {
    const fail = (): void => reject(stopReason());
    if (stop.aborted) fail();
    else stop.addEventListener('abort', fail, { once: true });
  });
  const timer = setTimeout(() => late.abort(), deadlineMs);
  try {
    return await Promise.race([run(stop), stopped]);
  } finally {
    clearTimeout(timer);
  }
}
