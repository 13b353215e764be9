import type { NamedPlan } from './search-plan.js';

/** A plan with what is known of it. */
export interface WeighedPlan extends NamedPlan {
  /** How good its results were on the questions of the profile, in [0, 1]. */
  readonly quality: number;
  /** Milliseconds in which 95 of 100 such searches ended. */
  readonly p95Ms: number;
}

/** The plan that is taken. */
export interface ChosenPlan {
  readonly plan: WeighedPlan;
  /** Milliseconds that it takes at most, in 95 of 100 searches, as things are now. */
  readonly expectedMs: number;
  /** False where even the fastest one may be late. */
  readonly isInTime: boolean;
}

/** Of 55 questions a difference in quality of less is chance, and nobody feels it. */
const ALIKE = 0.01;

/**
 * The best plan that ends in time, of equally good ones the first; where none ends in time, the fastest.
 *
 * @param plans at least one, what does most first
 * @param leftMs milliseconds until the deadline
 * @param pace how many times as long searches take now as when the plans were timed
 */
export function choosePlan(plans: readonly WeighedPlan[], leftMs: number, pace: number): ChosenPlan {
  const expected = ({ p95Ms }: WeighedPlan): number => p95Ms * pace;
  const inTime = plans.filter((plan) => expected(plan) <= leftMs);
  const best = Math.max(...inTime.map(({ quality }) => quality));
  const fastest = plans.reduce((one, other) => (other.p95Ms < one.p95Ms ? other : one));
  const plan = inTime.find(({ quality }) => quality >= best - ALIKE) ?? fastest;
  return { plan, expectedMs: expected(plan), isInTime: inTime.length > 0 };
}
