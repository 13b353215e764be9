import { runtime } from '../../core/runtime.js';
import { CallDeadlineError } from '../../platform/providers/call-failure.js';

export interface CallClockOptions {
  /** Longest time of the whole call, in milliseconds. */
  readonly totalMs: number;
  /** The caller's own. */
  readonly signal: AbortSignal | undefined;
}

/** The time that one answer has, retries included. Stop it in the end: that also cuts a connection that is still open. */
export class CallClock {
  readonly #controller = new AbortController();
  readonly #forget: () => void;
  readonly #startedAt = runtime().elapsed();
  readonly #totalMs: number;
  readonly #callerSignal: AbortSignal | undefined;
  readonly signal: AbortSignal;

  constructor({ totalMs, signal }: CallClockOptions) {
    this.#totalMs = totalMs;
    this.#callerSignal = signal;
    this.#forget = runtime().setTimer(() => {
      this.#controller.abort(new CallDeadlineError(`no complete answer within ${totalMs} ms`));
    }, totalMs);
    this.signal =
      signal === undefined ? this.#controller.signal : AbortSignal.any([signal, this.#controller.signal]);
  }

  get remainingMs(): number {
    return Math.max(0, this.#totalMs - (runtime().elapsed() - this.#startedAt));
  }

  /** Why the time is over, where it is not the caller who said so. */
  get lateness(): CallDeadlineError | undefined {
    if (this.#callerSignal?.aborted === true) return undefined;
    const { reason } = this.#controller.signal;
    return reason instanceof CallDeadlineError ? reason : undefined;
  }

  stop(): void {
    this.#forget();
    this.#controller.abort();
  }
}

/** Fires after a silence of so many milliseconds; `heard` begins it anew. */
export class SilenceTimer {
  readonly #controller = new AbortController();
  readonly #silenceMs: number;
  #forget: () => void = () => undefined;

  constructor(silenceMs: number) {
    this.#silenceMs = silenceMs;
    this.heard();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heard(): void {
    this.#forget();
    this.#forget = runtime().setTimer(
      () => this.#controller.abort(new CallDeadlineError(`nothing was heard for ${this.#silenceMs} ms`)),
      this.#silenceMs,
    );
  }

  stop(): void {
    this.#forget();
  }
}

/** The promise, or the signal's reason as an error, whichever is first: some streams do not hear a signal. */
export async function orAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    const fail = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
    stop = () => signal.removeEventListener('abort', fail);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    stop?.();
  }
}
