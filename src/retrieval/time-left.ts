import { runtime } from '../core/runtime.js';

/** What is asked of a store gets so long at the least, in milliseconds: no time at all would be no answer. */
export const LEAST_MS = 1;

/** Milliseconds until a moment that `runtime().elapsed()` counts; `Infinity` where there is none. */
export const leftUntil = (until: number | undefined): number =>
  until === undefined ? Infinity : Math.max(LEAST_MS, until - runtime().elapsed());
