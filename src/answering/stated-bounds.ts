import { withAmountsInDigits } from './stated-amounts.js';
import { MONTH } from './stated-dates.js';

const AMOUNT = String.raw`(?:the )?(?:\p{Sc}?-?\d|one\b|two\b)`;
const DATE = String.raw`(?:(?:the )?\d{1,2} ${MONTH}|\d{1,2}:\d\d\b|the \d{1,2}(?=[.,;!?)]|\s*$| of\b| on\b))`;

const MORE = '(?:more|longer|larger|bigger|greater|higher|older|heavier) than|exceed(?:s|ed|ing)?';
const LESS = '(?:less|fewer|shorter|smaller|lower|younger|lighter) than';
const ABOVE = 'over|above|beyond';
const BELOW = 'under|below';
const UP_TO = 'up to|at most|limited to|(?:an? )?maximum of';
const AT_LEAST = 'at least|(?:a )?minimum of';

const DENIAL = String.raw`(?:(?:do|does|did) )?\b(?:no|not|never|nobody|none|cannot|without|\w+n['’]t)`;
/** What stands between a denial and the bound that it denies: no other clause. */
const clause = (butNot: string): string => String.raw`((?: (?!(?:${butNot})\b)[\p{L}\p{N}'’-]+){0,5}?)`;
const CLAUSE = clause(
  'and|but|or|if|unless|because|who|which|that|when|while|only|just|within|since|before|after|until',
);
/** "Not charged at temperatures below 0": a place is denied nothing. */
const MOVE = clause(
  'and|but|or|if|unless|because|who|which|that|when|while|only|just|at|on|in|with|of|for|from',
);
const denied = (bound: string, of: string, between = CLAUSE): RegExp =>
  new RegExp(String.raw`\b${DENIAL}${between} (?:${bound})(?= ${of})`, 'giu');

const DENIED: readonly (readonly [RegExp, string])[] = [
  [denied(`${MORE}|${AT_LEAST}|later than`, AMOUNT), '$1 at most'],
  [denied(`${LESS}|${UP_TO}|(?:earlier|sooner) than`, AMOUNT), '$1 at least'],
  [denied(ABOVE, AMOUNT, MOVE), '$1 at most'],
  [denied(BELOW, AMOUNT, MOVE), '$1 at least'],
  [denied('after', DATE), '$1 at most'],
  [denied('before|until', DATE), '$1 at least'],
];

const SPAN = String.raw`(?:\p{Sc}?\d[\d.,]*|one|two|an?)[ -](?:full |whole |working |business |calendar )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)`;
const LEAD = String.raw`(?:ahead(?: of(?= ))?|before(?:hand)?|in advance(?: of(?= ))?|prior(?: to)?|of notice(?: before)?)\b`;
const leading = (bound: string): RegExp =>
  new RegExp(String.raw`\b(?:${bound})(?= (?:the )?${SPAN} before\b)`, 'giu');

/** Of a time before something: what is later is nearer to it, so that "no later than two weeks before" is at least two weeks before. */
const LEADS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(String.raw`(?<=\b${SPAN}) ${LEAD}`, 'giu'), ' before'],
  [
    new RegExp(String.raw`\b${DENIAL}${CLAUSE} (?:later|less) than(?= ${SPAN} before\b)`, 'giu'),
    '$1 at least',
  ],
  [
    new RegExp(String.raw`\b${DENIAL}${CLAUSE} (?:earlier|sooner|more) than(?= ${SPAN} before\b)`, 'giu'),
    '$1 at most',
  ],
  [leading('earlier than|sooner than|until|by'), 'at least'],
  [leading('later than'), 'at most'],
  // "Up to" may be either.
  [leading('up to'), ''],
];

const stated = (bound: string, of: string): RegExp => new RegExp(String.raw`\b(?:${bound})(?= ${of})`, 'giu');
const behind = (bound: string): RegExp =>
  new RegExp(String.raw`(?<![\d.,:])(\p{Sc}?\d[\d.,]*(?: \p{L}+)?),? (?:${bound})\b(?! ${AMOUNT})`, 'giu');

const STATED: readonly (readonly [RegExp, string])[] = [
  [stated(`${MORE}|${ABOVE}|${AT_LEAST}`, AMOUNT), 'at least'],
  [stated(`${LESS}|${BELOW}|${UP_TO}|within(?: the (?:last|next|first))?`, AMOUNT), 'at most'],
  [behind('(?:or|and) (?:more|longer|later|above|over|greater|higher|newer|up)|at least'), 'at least $1'],
  [
    behind('(?:or|and) (?:less|fewer|shorter|earlier|sooner|below|under|lower|older)|at (?:the )?most'),
    'at most $1',
  ],
  [stated('before|until|till|by', DATE), 'at most'],
  [stated('after|since|as early as|starting(?: on)?|as of', DATE), 'at least'],
  [new RegExp(String.raw`\bfrom (?=${DATE}(?! (?:to|until|till)\b|\s?[-–]))`, 'giu'), 'at least '],
];

const inForms = (text: string, forms: readonly (readonly [RegExp, string])[]): string =>
  forms.reduce((written, [form, bound]) => written.replace(form, bound), text);

/** A text with its amounts in digits, and the bounds that it denies as those that it means: "never holds more than 5" holds at most 5. Linear in its length. */
export const withPlainBounds = (text: string): string =>
  inForms(withAmountsInDigits(text), [...LEADS, ...DENIED]);

const BOUND = new RegExp(
  String.raw`\bat (least|most) (?:the )?\p{Sc}?(-?\d[\d.,:]*\d|\d|one\b|two\b)(?: (?:of )?${MONTH})?`,
  'giu',
);
const SMALL: Readonly<Record<string, string>> = { one: '1', two: '2' };

/** By amounts the sides of them that are stated: at it or above, at it or below. */
export type StatedBounds = ReadonlyMap<string, ReadonlySet<string>>;

export function boundsIn(text: string): StatedBounds {
  const bounds = new Map<string, Set<string>>();
  for (const [, side = '', number = '', month = ''] of inForms(withPlainBounds(text), STATED).matchAll(
    BOUND,
  )) {
    const amount = `${SMALL[number.toLowerCase()] ?? number.replaceAll(',', '')} ${month}`.trim();
    bounds.set(amount, (bounds.get(amount) ?? new Set()).add(side.toLowerCase()));
  }
  return bounds;
}

export const mergedBounds = (parts: readonly StatedBounds[]): StatedBounds =>
  parts
    .flatMap((bounds) => [...bounds])
    .reduce(
      (all, [amount, sides]) => all.set(amount, new Set([...(all.get(amount) ?? []), ...sides])),
      new Map<string, ReadonlySet<string>>(),
    );

/** Amounts of which a claim states the one side, and its source the other alone. */
export const turnedBounds = (claim: StatedBounds, source: StatedBounds): readonly string[] =>
  [...claim].flatMap(([number, sides]) => {
    const others = source.get(number);
    return others === undefined || [...sides].some((side) => others.has(side)) ? [] : [number];
  });
