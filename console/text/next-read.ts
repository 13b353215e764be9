import type { IndexStatus } from 'ragstone/client';

type Following = NonNullable<IndexStatus['following']>['sources'][number];

/** When a source is read next, as the sync that follows it says. */
export interface NextRead {
  /** `overdue`: its time has come, and the run has not begun. `unscheduled`: nobody follows it. */
  readonly kind: 'running' | 'overdue' | 'at' | 'change' | 'interval' | 'unscheduled';
  /** ISO-8601 UTC; of `overdue` and `at`. */
  readonly at?: string;
}

/** A run begins some moments after its time. Milliseconds. */
const LATE_MS = 5_000;

/** @param following the source in the sync of its index; undefined where there is none */
export function nextReadOf(
  following: Pick<Following, 'state' | 'watch' | 'nextAt'> | undefined,
  now: number,
): NextRead {
  if (following === undefined) return { kind: 'unscheduled' };
  const { state, watch, nextAt } = following;
  if (state === 'running') return { kind: 'running' };
  if (nextAt !== undefined)
    return { kind: Date.parse(nextAt) < now - LATE_MS ? 'overdue' : 'at', at: nextAt };
  return { kind: watch === undefined ? 'unscheduled' : watch === 'on' ? 'change' : 'interval' };
}
