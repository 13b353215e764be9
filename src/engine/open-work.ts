import { setMaxListeners } from 'node:events';
import { RAGError, throwIfAborted } from '../core/errors.js';
import { type Runtime, withRuntime } from '../core/runtime.js';

/** What an engine is doing now, so that closing it can stop the work and wait for its end. */
export class OpenWork {
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #runtime: Runtime | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param runtime with which all work is done; without one, that of the machine */
  constructor(runtime?: Runtime) {
    this.#runtime = runtime;
  }

  /** Runs work under a signal that fires at the caller's, or when the engine is closed. Throws once it is closed. */
  async run<T>(given: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = this.#begin(given);
    const running = withRuntime(this.#runtime, () => work(signal));
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** As `run`, for work that gives its result bit by bit. */
  async *stream<T>(
    given: AbortSignal | undefined,
    work: (signal: AbortSignal) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    const signal = this.#begin(given);
    let ended = (): void => undefined;
    const running = new Promise<void>((resolve) => {
      ended = resolve;
    });
    this.#running.add(running);
    try {
      for await (const part of this.#inRuntime(() => work(signal))) {
        yield part;
        throwIfAborted(signal);
      }
    } finally {
      ended();
      this.#running.delete(running);
    }
  }

  /** A generator runs in the async context of each call of `next`, so each of them gets the runtime. */
  async *#inRuntime<T>(work: () => AsyncIterable<T>): AsyncGenerator<T> {
    const parts = withRuntime(this.#runtime, () => work()[Symbol.asyncIterator]());
    try {
      for (;;) {
        const part = await withRuntime(this.#runtime, () => parts.next());
        if (part.done === true) return;
        yield part.value;
      }
    } finally {
      await withRuntime(this.#runtime, () => parts.return?.());
    }
  }

  /** Runs work after all work that was given before, whatever became of it. */
  inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const turn = before
      .catch(() => undefined)
      .then(() => {
        throwIfAborted(signal);
        return work();
      });
    this.#last = turn;
    return turn;
  }

  /** Stops all work and waits for its end; nothing is begun afterwards. */
  async end(): Promise<void> {
    this.#stop.abort(closed());
    await Promise.allSettled(this.#running);
  }

  #begin(given: AbortSignal | undefined): AbortSignal {
    if (this.#stop.signal.aborted) throw closed();
    return anySignal(given, this.#stop.signal);
  }
}

/** A signal that fires with any of these. Much work listens to it at once, which Node would take for a leak. */
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  const any = AbortSignal.any(signals.filter((signal) => signal !== undefined));
  setMaxListeners(0, any);
  return any;
}

const closed = (): RAGError =>
  new RAGError('USAGE', 'This engine is closed. Open another one with createEngine.');
