import type { IndexResult } from '../../src/index.js';

/** Something is not as it must be. */
export class Wrong extends Error {}

/** What calls may fail for while there are faults and other writers. */
export const EXPECTED: ReadonlySet<string> = new Set([
  'ABORTED',
  'INDEX_EMPTY',
  'INDEX_LEASE_LOST',
  'INDEX_LOCKED',
  'INDEX_UNAVAILABLE',
  'QUEUE_UNAVAILABLE',
  'SEARCH_FAILED',
  'SOURCE_UNREADABLE',
  'STORE_TIMEOUT',
  'STORE_UNAVAILABLE',
]);

/** Everything that the run was to deal with is dealt with. */
export const isThrough = ({ stats, notices }: IndexResult): boolean =>
  stats.errors.length === 0 &&
  stats.itemsHandedOver === undefined &&
  !notices.some((notice) => /by another process|is tried again|not in use/.test(notice));

/** Nothing of what a call was to do is left to another process or another time. */
export const isDone = (result: unknown): boolean => !isIndexResult(result) || isThrough(result);

const isIndexResult = (result: unknown): result is IndexResult =>
  typeof result === 'object' && result !== null && 'notices' in result && 'stats' in result;

/** In words, where two values that were JSON differ first. */
export function firstDifference(left: unknown, right: unknown, path = ''): string | undefined {
  if (Object.is(left, right)) return undefined;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
    return `${path}: ${JSON.stringify(left)} and not ${JSON.stringify(right)}`;
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const difference = firstDifference(
      (left as Record<string, unknown>)[key],
      (right as Record<string, unknown>)[key],
      `${path}.${key}`,
    );
    if (difference !== undefined) return difference;
  }
  return undefined;
}
