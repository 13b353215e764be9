import { type BulkheadPolicy, bulkhead } from 'cockatiel';
import { throwIfAborted } from '../core/errors.js';
import { runtime, sleep } from '../core/runtime.js';

export interface PacingOptions {
  /** Requests under way at once. */
  readonly concurrency: number;
  /** Most requests begun in a second; absent means no limit. */
  readonly requestsPerSecond?: number;
}

/** Lets requests through a few at a time, at a steady rate, and none while the service asks for a pause. */
export class Pacing {
  readonly #gate: BulkheadPolicy;
  readonly #intervalMs: number;
  #nextStart = 0;

  constructor({ concurrency, requestsPerSecond }: PacingOptions) {
    this.#gate = bulkhead(concurrency, Number.POSITIVE_INFINITY);
    this.#intervalMs = requestsPerSecond === undefined ? 0 : 1000 / requestsPerSecond;
  }

  /** Nothing is begun for this long. */
  pause(milliseconds: number): void {
    this.#nextStart = Math.max(this.#nextStart, runtime().now() + milliseconds);
  }

  run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return this.#gate.execute(async () => {
      await this.#turn(signal);
      return work();
    });
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    throwIfAborted(signal);
    const start = Math.max(runtime().now(), this.#nextStart);
    if (this.#intervalMs > 0) this.#nextStart = start + this.#intervalMs;
    const waitMs = start - runtime().now();
    if (waitMs <= 0) return;
    await sleep(waitMs, signal);
  }
}
