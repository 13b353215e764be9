import { runtime } from './runtime.js';

/** What is done within this time of the last, in milliseconds, is of one step: a batch that was written. */
const ONE_STEP_MS = 50;
/** Steps behind the first: one that takes twice as long as the others then moves the estimate by a fifth. */
const MIN_STEPS = 5;
/** A shorter while says little of the pace, and work that is soon done needs no time left. */
const MIN_SEEN_MS = 2000;

/**
 * How long work takes that is done in steps, told only once it can be known. The first step pays for threads and models that start:
 * the pace is that of the steps behind it.
 */
export class TimeLeft {
  #done = 0;
  #steps = 0;
  #first = { at: 0, done: 0 };
  #last = { at: Number.NEGATIVE_INFINITY, done: 0 };

  add(amount: number): void {
    const at = runtime().elapsed();
    this.#done += amount;
    if (at - this.#last.at > ONE_STEP_MS) this.#steps++;
    this.#last = { at, done: this.#done };
    if (this.#steps === 1) this.#first = this.#last;
  }

  /** Milliseconds that `left` more will take, at the pace so far; undefined until it can be told. */
  of(left: number): number | undefined {
    const took = this.#last.at - this.#first.at;
    const seen = this.#last.done - this.#first.done;
    if (this.#steps <= MIN_STEPS || took < MIN_SEEN_MS || seen <= 0 || left <= 0) return undefined;
    return Math.round((left * took) / seen);
  }
}
