import { sleep } from '../core/runtime.js';

/** How often quiet is looked for, in milliseconds. */
const LOOK_MS = 5;

/** Questions that are being answered now, so that work which nobody waits for can give way to them. */
export class ActiveQueries {
  #open = 0;

  get isBusy(): boolean {
    return this.#open > 0;
  }

  async during<T>(answer: () => Promise<T>): Promise<T> {
    this.#open += 1;
    try {
      return await answer();
    } finally {
      this.#open -= 1;
    }
  }

  async *duringStream<T>(answer: AsyncIterable<T>): AsyncGenerator<T> {
    this.#open += 1;
    try {
      yield* answer;
    } finally {
      this.#open -= 1;
    }
  }

  /** Until nobody asks, but no longer than so many milliseconds: under a load that never ends the work goes on, too. Throws `ABORTED`. */
  async quiet(atMostMs: number, signal?: AbortSignal): Promise<void> {
    for (let waited = 0; this.isBusy && waited < atMostMs; waited += LOOK_MS) await sleep(LOOK_MS, signal);
  }
}
