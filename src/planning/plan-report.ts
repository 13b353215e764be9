import type { PlanName } from './search-plan.js';

/** How a search was cut down to end in time. */
export interface SearchPlanReport {
  readonly name: PlanName;
  /** What was given, in milliseconds. */
  readonly deadlineMs: number;
  /** What such searches take at most in 95 of 100 cases, as things are now; in milliseconds. */
  readonly expectedMs: number;
  /** Whether the search ended in time. */
  readonly isInTime: boolean;
  /** What would have been done without a deadline, in words. */
  readonly leftOut: readonly string[];
  /** Whether the choice rests on this index (`ragstone profile`) or on what is usual. */
  readonly isMeasured: boolean;
}
