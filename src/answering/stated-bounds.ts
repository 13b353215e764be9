import { withAmountsInDigits } from './stated-amounts.js';
import type { EvidenceText } from './support-features.js';

/** On which side of an amount something is: at it or above, at it or below. */
type Bound = 'least' | 'most';

const NUMBER = String.raw`(?:[$€£]\s?)?(\d[\d.,]*\d|\d|one|two)\b`;
const LEAST =
  'at least|no less than|not less than|no fewer than|no sooner than|no earlier than|minimum of|more than|longer than|larger than|greater than|higher than|over|above|exceeding|exceeds?';
const MOST =
  'at most|no more than|not more than|no longer than|no later than|not later than|up to|maximum of|less than|fewer than|shorter than|smaller than|lower than|under|below|within';

const BEFORE: readonly (readonly [Bound, RegExp])[] = [
  ['least', new RegExp(String.raw`\b(?:${LEAST})\s+${NUMBER}`, 'gi')],
  ['most', new RegExp(String.raw`\b(?:${MOST})\s+(?:the (?:last|next|first) )?${NUMBER}`, 'gi')],
];
const BEHIND: readonly (readonly [Bound, RegExp])[] = [
  [
    'least',
    new RegExp(String.raw`${NUMBER}(?:\s+\p{L}+)?,? or (?:more|longer|later|above|over|greater)\b`, 'giu'),
  ],
  [
    'most',
    new RegExp(
      String.raw`${NUMBER}(?:\s+\p{L}+)?,? or (?:less|fewer|shorter|earlier|sooner|below|under)\b`,
      'giu',
    ),
  ],
];
const SMALL: Readonly<Record<string, string>> = { one: '1', two: '2' };
/** "Not over", "cannot exceed": the other side. */
const DENIED = /\b(?:not|never|cannot|no|\w+n['’]t)\s+(?:be\s+|take\s+|last\s+|go\s+|have\s+)?$/i;
const LONGEST_DENIAL = 24;

/** The sides of amounts that a text states, by number: "at least 2" and "more than 2" are one side, "up to 2" and "less than 2" the other. */
function boundsIn(text: string): ReadonlyMap<string, ReadonlySet<Bound>> {
  const written = withAmountsInDigits(text);
  const bounds = new Map<string, Set<Bound>>();
  for (const [side, pattern] of [...BEFORE, ...BEHIND])
    for (const { 1: amount = '', index } of written.matchAll(pattern)) {
      const number = SMALL[amount.toLowerCase()] ?? amount.replaceAll(',', '');
      const isDenied = DENIED.test(written.slice(Math.max(0, index - LONGEST_DENIAL), index));
      const stated = isDenied ? (side === 'least' ? 'most' : 'least') : side;
      bounds.set(number, (bounds.get(number) ?? new Set()).add(stated));
    }
  return bounds;
}

/** Amounts of which a claim states the one side, and its source the other alone. */
export function turnedBounds(
  claim: string,
  { sentences }: Pick<EvidenceText, 'sentences'>,
): readonly string[] {
  const own = [...boundsIn(claim)];
  if (own.length === 0) return [];
  const stated = boundsIn(sentences.map(({ text }) => text).join('\n'));
  return own.flatMap(([number, sides]) => {
    const others = stated.get(number);
    return others === undefined || [...sides].some((side) => others.has(side)) ? [] : [number];
  });
}
