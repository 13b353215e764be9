import { choosePlan, type WeighedPlan } from './choose-plan.js';
import { Pace } from './pace.js';
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
