import { throwIfAborted } from './errors.js';

/** Lets in one after the other, in the order in which they came. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();
  #inside = 0;

  /** Whether anybody is in, or waits. */
  get isLocked(): boolean {
    return this.#inside > 0;
  }

  /** Waits until all who came before have left; call what it gives to leave. Throws `ABORTED` for one who gave up waiting. */
  async acquire(signal: AbortSignal | undefined): Promise<() => void> {
    const before = this.#last;
    let open: () => void = () => undefined;
    const left = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.#last = before.then(() => left);
    this.#inside += 1;
    const leave = (): void => {
      if (this.#inside > 0) this.#inside -= 1;
      open();
    };
    try {
      await (signal === undefined ? before : firstOf(before, signal));
      throwIfAborted(signal);
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }
}

async function firstOf(before: Promise<void>, signal: AbortSignal): Promise<void> {
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  signal.addEventListener('abort', stop);
  try {
    if (!signal.aborted) await Promise.race([before, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
