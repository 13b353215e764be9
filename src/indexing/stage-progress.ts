import { runtime } from '../core/runtime.js';
import { TimeLeft } from '../core/time-left.js';

/** Below this share of the bytes, the time that is left would be a guess from a few small files. */
const MIN_SHARE_FOR_ETA = 0.02;

/** How far one stage of one source is. */
export class StageProgress {
  readonly #startedAt = runtime().elapsed();
  readonly #timeLeft = new TimeLeft();
  itemsTotal = 0;
  itemsDone = 0;
  #bytesTotal = 0;
  #bytesDone = 0;

  expect(items: number, bytes: number): void {
    this.itemsTotal += items;
    this.#bytesTotal += bytes;
  }

  done(bytes: number): void {
    this.itemsDone += 1;
    this.#bytesDone += bytes;
    this.#timeLeft.add(bytes);
  }

  get itemsPerSecond(): number {
    const elapsed = runtime().elapsed() - this.#startedAt;
    return elapsed === 0 ? 0 : (this.itemsDone * 1000) / elapsed;
  }

  /** Milliseconds left by bytes done; undefined until it can be told. */
  get etaMs(): number | undefined {
    if (this.#bytesDone < this.#bytesTotal * MIN_SHARE_FOR_ETA) return undefined;
    return this.#timeLeft.of(this.#bytesTotal - this.#bytesDone);
  }
}
