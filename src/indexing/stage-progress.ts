import { runtime } from '../core/runtime.js';

/** Below this share of the bytes, the time that is left would be a guess from a few small files. */
const MIN_SHARE_FOR_ETA = 0.02;
/** Before, in milliseconds, a rate would be one too. */
const MIN_TIME_FOR_ETA = 500;

/** How far one stage of one source is. */
export class StageProgress {
  readonly #startedAt = runtime().elapsed();
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
  }

  get itemsPerSecond(): number {
    const elapsed = this.#elapsed;
    return elapsed === 0 ? 0 : (this.itemsDone * 1000) / elapsed;
  }

  /** Milliseconds left by bytes done; undefined until it can be told. */
  get etaMs(): number | undefined {
    const share = this.#bytesTotal === 0 ? 0 : this.#bytesDone / this.#bytesTotal;
    const elapsed = this.#elapsed;
    if (share < MIN_SHARE_FOR_ETA || share >= 1 || elapsed <= MIN_TIME_FOR_ETA) return undefined;
    return (elapsed * (1 - share)) / share;
  }

  get #elapsed(): number {
    return runtime().elapsed() - this.#startedAt;
  }
}
