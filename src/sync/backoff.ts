import { runtime } from '../core/runtime.js';

/** Pause after the first failure, in milliseconds; each further one doubles it. */
const FIRST_MS = 5_000;
/** Longest pause, in milliseconds. */
export const LONGEST_PAUSE_MS = 15 * 60_000;

/**
 * How long to wait after so many failures in a row, in milliseconds: exponential up to a limit, and by chance down to half of it, so that
 * what failed together does not come back together.
 */
export function pauseAfter(failures: number): number {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(longest * (0.5 + runtime().random() / 2));
}
