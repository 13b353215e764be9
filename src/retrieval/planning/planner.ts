import { percentile } from '../../core/percentile.js';
import { choosePlan, type WeighedPlan } from './choose-plan.js';
import { plansUnder, type SearchPlan } from './search-plan.js';
import { type ProfileFile, weighPlans } from './search-profile.js';

/** What a search does to end in time. */
export interface PlannedSearch {
  readonly plan: WeighedPlan;
  /** Milliseconds that it takes at most, in 95 of 100 searches, as things are now. */
  readonly expectedMs: number;
  /** Whether times and qualities were measured over this index (`ragstone profile`). */
  readonly isMeasured: boolean;
}

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

/** Chooses what searches of one index do, and learns from those that it chose how long they take now. */
export class Planner {
  readonly #profile: ProfileFile;
  readonly #pace = new Pace();

  constructor(profile: ProfileFile) {
    this.#profile = profile;
  }

  /** @param leftMs milliseconds until the deadline */
  async plan(whole: SearchPlan, leftMs: number): Promise<PlannedSearch> {
    const { plans, isMeasured } = weighPlans(plansUnder(whole), await this.#profile.read());
    const { plan, expectedMs } = choosePlan(plans, leftMs, this.#pace.value);
    return { plan, expectedMs, isMeasured };
  }

  /** Tells how long a planned search took. */
  learn({ plan }: { readonly plan: Pick<WeighedPlan, 'p95Ms'> }, tookMs: number): void {
    this.#pace.learn(plan.p95Ms, tookMs);
  }
}
