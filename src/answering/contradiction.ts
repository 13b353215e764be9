import type { ClaimComparison } from './agreement-features.js';
import type { ClaimDifference } from './claim-differences.js';

/** Words around a difference that have to be the same: below it may be said of something else. */
const LEAST_FRAME = 5;
/** Share of a sentence that has to stand in its source, where a difference has no place among the same words. */
const LEAST_COPIED = 0.6;

const SAID: Readonly<Partial<Record<ClaimDifference['kind'], string>>> = {
  number: 'another number',
  name: 'another name',
  opposite: 'the opposite',
  negation: 'the contrary',
  order: 'it the other way round',
  cause: 'another cause',
};

/** What is not so is said beside what is: "not on 443 but on 8443", "and never for 90 days", "not by one alone". */
const SETS_APART =
  /\b(?:not|never|no|cannot|\w+n['’]t)\b.*\b(?:but|because|alone|rather|instead)\b|[,;]\s*(?:and\s+)?(?:not|never)\b|\b(?:rather than|instead of)\b/i;
/** What of it may be that which is denied. */
const DENIED: ReadonlySet<ClaimDifference['kind']> = new Set(['number', 'name', 'negation', 'cause']);

/**
 * What a source says otherwise, in words: a number, a name, an opposite, a negation, an order or a cause, in a sentence that otherwise says the
 * same. Where other words differ too, nothing is said to contradict: it may be another way of saying it.
 */
export function contradictionIn(claim: string, { differences, copied }: ClaimComparison): string | undefined {
  const isSettingApart = SETS_APART.test(claim);
  const found = differences.find(
    ({ kind, frame, isTight }) =>
      SAID[kind] !== undefined &&
      !(isSettingApart && DENIED.has(kind)) &&
      ((isTight && frame >= LEAST_FRAME) || (frame === 0 && copied >= LEAST_COPIED)),
  );
  return found === undefined
    ? undefined
    : `the source says ${SAID[found.kind]}: "${found.source}", not "${found.claim}"`;
}
