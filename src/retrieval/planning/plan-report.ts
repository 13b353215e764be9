import type { PlanName } from './search-plan.js';

/** How a search was cut down to end in time, and to cost no more than it may. */
export interface SearchPlanReport {
  /** What the deadline left room for; `whole` where none was given. */
  readonly name: PlanName;
  /** What was given, in milliseconds; absent, with all that is said of time, where no deadline was. */
  readonly deadlineMs?: number;
  /** What such searches take at most in 95 of 100 cases, as things are now; in milliseconds. */
  readonly expectedMs?: number;
  /** Whether the search ended in time. */
  readonly isInTime?: boolean;
  /** What would have been done without a deadline and a limit of costs, in words. */
  readonly leftOut: readonly string[];
  /** Whether the choice rests on this index (`ragstone profile`) or on what is usual. */
  readonly isMeasured?: boolean;
  /** What the search might cost, in US dollars; absent where nothing was said. */
  readonly maxCost?: number;
  /** What its calls of paid models cost, reckoned by prices and lengths of texts; with `maxCost`. */
  readonly cost?: number;
}
