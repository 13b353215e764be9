import { percentile } from '../core/percentile.js';

/** Searches that are looked back on: one slow one among them is chance, two are 1 in 10. */
const WINDOW = 20;
/** Fewer say nothing of 95 of 100; the first one loads what all need. */
const FEWEST = 8;
/** A machine that is faster than the profile by more is not believed. */
const LOWEST = 0.1;

/**
 * How many times as long searches take as their plans say. Beside other work, or with another index, it is not 1; the last searches tell.
 */
export class Pace {
  readonly #ratios: number[] = [];

  /** What 95 of 100 of the last searches stayed under, while there are few half of them; 1 before the first. */
  get value(): number {
    if (this.#ratios.length === 0) return 1;
    return Math.max(LOWEST, percentile(this.#ratios, this.#ratios.length < FEWEST ? 0.5 : 0.95));
  }

  /** Learns from a search that has ended. */
  learn(p95Ms: number, tookMs: number): void {
    this.#ratios.push(tookMs / Math.max(p95Ms, 0.1));
    if (this.#ratios.length > WINDOW) this.#ratios.shift();
  }
}
