import { RAGError, throwIfAborted } from './errors.js';

/** What is loaded under a key, once for all who ask. A failure is not remembered: what was missing may be put in place. */
export function sharedLoad<T>(all: Map<string, Promise<T>>, key: string, load: () => Promise<T>): Promise<T> {
  const known = all.get(key);
  if (known !== undefined) return known;
  const loading = load();
  all.set(key, loading);
  loading.catch(() => all.delete(key));
  return loading;
}

/** What is opened on first use, once for all who ask. A failure is not remembered. */
export class OpenedOnce<Part> {
  readonly #open: () => Promise<Part>;
  #opening: Promise<Part> | undefined;

  constructor(open: () => Promise<Part>) {
    this.#open = open;
  }

  open(): Promise<Part> {
    this.#opening ??= this.#open();
    this.#opening.catch(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Undefined where nobody asked, or it could not be opened. */
  async opened(): Promise<Part | undefined> {
    return this.#opening?.catch(() => undefined);
  }
}

interface Work<Result> {
  readonly result: Promise<Result>;
  readonly controller: AbortController;
  waiting: number;
}

/** Work that is asked for by several at once is done once. */
export class SharedWork<Result> {
  readonly #underWay = new Map<string, Work<Result>>();

  /**
   * The result of `start`, or of what somebody else has started under the same key. Who stops waiting stops nobody else: the work is
   * stopped when nobody waits any more, and the last one to leave waits until it has ended.
   *
   * @throws RAGError `ABORTED`, and what the work throws
   */
  async run(
    key: string,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    throwIfAborted(signal);
    const work = this.#underWay.get(key) ?? this.#begin(key, start);
    work.waiting += 1;
    let leave = (): void => undefined;
    const left = new Promise<'left'>((resolve) => {
      leave = () => resolve('left');
    });
    signal?.addEventListener('abort', leave, { once: true });
    try {
      const end = await Promise.race([work.result.then((result) => ({ result })), left]);
      if (end !== 'left') return end.result;
    } finally {
      signal?.removeEventListener('abort', leave);
      work.waiting -= 1;
    }
    if (work.waiting === 0) {
      // Who comes now begins anew.
      if (this.#underWay.get(key) === work) this.#underWay.delete(key);
      work.controller.abort(signal?.reason);
      await work.result.catch(() => undefined);
    }
    throw new RAGError('ABORTED', 'The operation was cancelled.', { cause: signal?.reason });
  }

  #begin(key: string, start: (signal: AbortSignal) => Promise<Result>): Work<Result> {
    const controller = new AbortController();
    const work: Work<Result> = { result: start(controller.signal), controller, waiting: 0 };
    this.#underWay.set(key, work);
    const end = (): void => {
      if (this.#underWay.get(key) === work) this.#underWay.delete(key);
    };
    work.result.then(end, end);
    return work;
  }
}
