import { RAGError } from '../core/errors.js';

/**
 * The same events, until the time is over or the signal fires: then it throws at once, even where the source neither answers
 * nor listens. The source is told to stop and not waited for.
 *
 * @throws RAGError `CHAT_TIMEOUT`, `ABORTED`.
 */
export async function* withDeadline<T>(
  source: AsyncIterable<T>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  const limit = expiry(timeoutMs, signal);
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), limit.promise]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    limit.stop();
    // A source that hangs in `next` would hang in `return` too.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

/**
 * One result, by the same rules. `run` gets a signal that fires when nobody waits any more.
 *
 * @throws RAGError `CHAT_TIMEOUT`, `ABORTED`, and what `run` throws.
 */
export async function resultWithin<T>(
  run: (signal: AbortSignal) => Promise<T>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<T> {
  const controller = new AbortController();
  const limit = expiry(timeoutMs, signal);
  try {
    return await Promise.race([run(controller.signal), limit.promise]);
  } finally {
    limit.stop();
    controller.abort();
  }
}

function expiry(
  timeoutMs: number,
  signal: AbortSignal | undefined,
): { promise: Promise<never>; stop: () => void } {
  let stop = (): void => undefined;
  const promise = new Promise<never>((_, reject) => {
    const late = () =>
      reject(
        new RAGError('CHAT_TIMEOUT', `The language model gave no complete answer within ${timeoutMs} ms.`, {
          details: { timeoutMs },
        }),
      );
    const aborted = () =>
      reject(new RAGError('ABORTED', 'The operation was cancelled.', { cause: signal?.reason }));
    const timer = setTimeout(late, timeoutMs);
    if (signal?.aborted === true) aborted();
    signal?.addEventListener('abort', aborted, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    };
  });
  // Where the race is never run again, nobody listens.
  promise.catch(() => undefined);
  return { promise, stop };
}
