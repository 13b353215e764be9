import { runtime } from '../../core/runtime.js';
import { TimeLeft } from '../../core/time-left.js';
import type { ReembedProgress } from '../../operations/upgrade-types.js';

/** How far it is. */
export type FillProgress = Omit<ReembedProgress, 'stage'>;

/** How many chunks of how many are in step, at which rate, and how long the rest takes. */
export class FillPace {
  readonly #tell: ((progress: FillProgress) => void) | undefined;
  readonly #startedAt = runtime().elapsed();
  readonly #timeLeft = new TimeLeft();
  #filled = 0;
  #done = 0;
  #total = 0;

  constructor(tell: ((progress: FillProgress) => void) | undefined) {
    this.#tell = tell;
  }

  /** A pass begins. */
  begin({ total, inStep }: { readonly total: number; readonly inStep: number }): void {
    this.#total = total;
    this.#done = inStep;
    this.#report();
  }

  add(chunks: number): void {
    this.#filled += chunks;
    this.#timeLeft.add(chunks);
    this.#done = Math.min(this.#total, this.#done + chunks);
    this.#report();
  }

  #report(): void {
    const elapsed = runtime().elapsed() - this.#startedAt;
    const perSecond = elapsed > 0 ? (this.#filled * 1000) / elapsed : 0;
    const etaMs = this.#timeLeft.of(this.#total - this.#done);
    this.#tell?.({
      done: this.#done,
      total: this.#total,
      perSecond,
      ...(etaMs === undefined ? {} : { etaMs }),
    });
  }
}
