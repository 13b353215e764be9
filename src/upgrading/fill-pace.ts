import { runtime } from '../core/runtime.js';
import type { ReembedProgress } from './upgrade-types.js';

/** How many chunks of how many have their vector, at which rate, and when the rest will. */
export class FillPace {
  readonly #tell: ((progress: ReembedProgress) => void) | undefined;
  readonly #startedAt = runtime().elapsed();
  #embedded = 0;
  #done = 0;
  #total = 0;

  constructor(tell: ((progress: ReembedProgress) => void) | undefined) {
    this.#tell = tell;
  }

  /** A pass begins. */
  begin({ total, inStep }: { readonly total: number; readonly inStep: number }): void {
    this.#total = total;
    this.#done = inStep;
    this.#report();
  }

  add(chunks: number): void {
    this.#embedded += chunks;
    this.#done = Math.min(this.#total, this.#done + chunks);
    this.#report();
  }

  #report(): void {
    const elapsed = runtime().elapsed() - this.#startedAt;
    const perSecond = elapsed > 0 ? (this.#embedded * 1000) / elapsed : 0;
    const left = this.#total - this.#done;
    this.#tell?.({
      stage: 'embedding',
      done: this.#done,
      total: this.#total,
      perSecond,
      ...(perSecond > 0 ? { etaMs: Math.round((left * 1000) / perSecond) } : {}),
    });
  }
}
