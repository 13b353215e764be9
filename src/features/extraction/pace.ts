import { runtime } from '../../core/runtime.js';
import { TimeLeft } from '../../core/time-left.js';
import type { ExtractionProgress } from '../../operations/extraction-types.js';

/** Tells how far work is, how fast it goes, and how long it will take. */
export class Pace {
  readonly #stage: ExtractionProgress['stage'];
  readonly #total: number;
  readonly #tell: ((progress: ExtractionProgress) => void) | undefined;
  readonly #since = runtime().elapsed();
  readonly #timeLeft = new TimeLeft();
  #done = 0;

  constructor(
    stage: ExtractionProgress['stage'],
    total: number,
    tell: ((progress: ExtractionProgress) => void) | undefined,
  ) {
    this.#stage = stage;
    this.#total = total;
    this.#tell = tell;
    tell?.({ stage, done: 0, total, perSecond: 0 });
  }

  add(): void {
    this.#done++;
    this.#timeLeft.add(1);
    const seconds = (runtime().elapsed() - this.#since) / 1000;
    const perSecond = seconds > 0 ? this.#done / seconds : 0;
    const total = Math.max(this.#total, this.#done);
    this.#tell?.({
      stage: this.#stage,
      done: this.#done,
      total,
      perSecond,
      etaMs: this.#timeLeft.of(total - this.#done),
    });
  }
}
