import { RAGError, throwIfAborted } from './errors.js';
import { repeat, sleep } from './runtime.js';

export interface Deadline {
  /**
   * From now, in milliseconds. Time in which other work holds this thread does not count: nothing that came meanwhile could have
   * been heard.
   */
  readonly timeoutMs: number;
  /** The caller's, who may stop waiting earlier. */
  readonly signal?: AbortSignal | undefined;
  /** What to throw where the time is over. */
  readonly lateError: () => Error;
}

/**
 * One result, until the time is over or the caller's signal fires: then it throws at once, and does not wait for what is deaf
 * to signals. `run` gets a signal that fires when nobody waits any more.
 *
 * @throws RAGError `lateError`, `ABORTED`, and what `run` throws.
 */
export async function withDeadline<Result>(
  deadline: Deadline,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  throwIfAborted(deadline.signal);
  const controller = new AbortController();
  const end = endOf(deadline);
  try {
    return await Promise.race([run(controller.signal), end.promise]);
  } finally {
    end.forget();
    controller.abort(deadline.signal?.reason);
  }
}

/** What comes of work within so many milliseconds, or undefined. No timer is left that would keep the process alive. */
export async function resultWithin<Result>(
  milliseconds: number,
  work: Promise<Result>,
): Promise<Result | undefined> {
  const answered = new AbortController();
  const nothing = (): undefined => undefined;
  try {
    return await Promise.race([work, sleep(milliseconds, answered.signal).then(nothing, nothing)]);
  } finally {
    answered.abort();
  }
}

/**
 * The same events, by the same rules: the deadline is that of the last one. The source is told to stop and not waited for.
 *
 * @throws RAGError `lateError`, `ABORTED`, and what the source throws.
 */
export async function* eventsWithDeadline<Event>(
  deadline: Deadline,
  source: AsyncIterable<Event>,
): AsyncGenerator<Event> {
  const iterator = source[Symbol.asyncIterator]();
  const end = endOf(deadline);
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), end.promise]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    end.forget();
    // A source that hangs in `next` would hang in `return` too.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

interface End {
  /** Rejects at the end. */
  readonly promise: Promise<never>;
  readonly forget: () => void;
}

function endOf({ timeoutMs, signal, lateError }: Deadline): End {
  let forget = (): void => undefined;
  const promise = new Promise<never>((_, reject) => {
    const late = (): void => reject(lateError());
    const aborted = (): void =>
      reject(new RAGError('ABORTED', 'The operation was cancelled.', { cause: signal?.reason }));
    const stop = countDown(timeoutMs, late);
    if (signal?.aborted === true) aborted();
    signal?.addEventListener('abort', aborted, { once: true });
    forget = () => {
      stop();
      signal?.removeEventListener('abort', aborted);
    };
  });
  // Where the race is never run again, nobody listens.
  promise.catch(() => undefined);
  return { promise, forget };
}

/** A deadline is counted in so many parts, none shorter than a timer can be. */
const PARTS = 20;

/**
 * Calls `over` when the time is up. A timer that fires late was held up by other work on this thread; so the time is counted in
 * short parts, and each counts as no more than it was set for.
 */
export function countDown(milliseconds: number, over: () => void): () => void {
  const parts = Math.max(1, Math.min(PARTS, Math.floor(milliseconds)));
  let left = parts;
  const count = (): void => {
    left -= 1;
    if (left > 0) return;
    stop();
    over();
  };
  const stop = repeat(count, milliseconds / parts);
  return stop;
}
