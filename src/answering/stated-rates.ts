import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import { NUMERAL, ORDINALS, writtenAmount } from './stated-amounts.js';

// Rates and shares in whatever form: `twice a day` is `every 12 hours`, `one a second` is `3,600 an hour`, `every tenth` is `10 %`.

/** A rate or a share that a text states. */
export interface StatedRate {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** A rate is how often in a second, or how much; a share lies in [0, 1]. */
  readonly kind: 'rate' | 'share';
  readonly value: number;
  /** Terms of what is counted, a weekday, the sign of a currency, or of what a share is one; empty where it is how often something happens. */
  readonly counted: readonly string[];
  /** It is said to be the least or the most. */
  readonly isBound: boolean;
  /** It is said when, too: "every day at 9:00 and at 21:00" is twice a day. */
  readonly isRefined: boolean;
}

const YEAR = 365 * 86_400;
const SECONDS: Readonly<Record<string, number>> = {
  ms: 0.001,
  millisecond: 0.001,
  s: 1,
  sec: 1,
  second: 1,
  min: 60,
  minute: 60,
  h: 3_600,
  hr: 3_600,
  hour: 3_600,
  d: 86_400,
  day: 86_400,
  night: 86_400,
  week: 604_800,
  fortnight: 1_209_600,
  month: YEAR / 12,
  quarter: YEAR / 4,
  year: YEAR,
};
const ADVERBS: Readonly<Record<string, number>> = {
  hourly: 3_600,
  daily: 86_400,
  nightly: 86_400,
  weekly: 604_800,
  fortnightly: 1_209_600,
  monthly: YEAR / 12,
  quarterly: YEAR / 4,
  yearly: YEAR,
  annually: YEAR,
  'half-hourly': 1_800,
  'half-yearly': YEAR / 2,
  'semi-annually': YEAR / 2,
};
const WEEKDAYS = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ');
/** Of every second one, and so on. */
const LATER_ORDINALS = ORDINALS.slice(1);
const PLACES: Readonly<Record<string, number>> = {
  other: 2,
  alternate: 2,
  half: 0.5,
  'half a': 0.5,
  'half an': 0.5,
  'quarter of an': 0.25,
  ...Object.fromEntries(LATER_ORDINALS.map((word, at) => [word, at + 2])),
};

const COUNT = String.raw`(?<![\w.,$€£¥₹])(?<![$€£¥₹] )(?:\d{1,15}(?:,\d{3}){0,5}(?:\.\d{1,9})?(?: ?(?:hundred|thousand|million|billion)|k)?|(?:${NUMERAL})(?:(?:-| and | )(?:${NUMERAL})){0,6})(?![\w%])`;
const PLACE = `other|alternate|half(?: an?)?|quarter of an|${LATER_ORDINALS.join('|')}`;
/** Not the place in a row: "every second request". */
const UNIT = String.raw`(?:milliseconds?|ms|seconds?(?! (?!(?:and|or|but|to|for|from|in|on|at|by|with|per|until|while|when|if|as|is|are|was|were|of|through|during|into|before|after)\b)\p{L})|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|fortnights?|months?|quarters?(?! of)|years?)\b`;
const ADVERB = Object.keys(ADVERBS).join('|');
const PERIOD = String.raw`(?:(?:in )?(?:every|each) (?:(?<of>${COUNT}|${PLACE}) )?|(?:in )?an? |per )(?<unit>${UNIT})|(?:on )?alternate (?<alternate>days|weeks|months|years)\b|(?<adverb>${ADVERB})\b|/(?<short>s|sec|min|h|hr|hour|d|day|minute|second)\b(?![./]?\w)`;
const EVERY = String.raw`(?:every|each) (?:(?<of>${COUNT}|${PLACE}) )?(?<unit>${UNIT}|(?<weekday>${WEEKDAYS.join('|')})s?\b)|(?:on|every) alternate (?<alternate>days?|weeks?|months?|years?)\b|(?<![\p{L}-])(?<adverb>${ADVERB})\b`;
const OFTEN = String.raw`\b(?<often>once|twice|thrice|(?:${COUNT}|a single) times?) `;
const NOUN = String.raw`(?!(?:times?|percent|per|an?|the|and|or|of|every|each|in|to|is|are|was|were|for|at|on|by|with|from|as|${ADVERB})\b)\p{L}[\p{L}\p{N}_-]{0,40}`;
const MONEY = String.raw`(?<![$€£¥₹])(?<sign>[$€£¥₹]) ?(?<count>\d{1,15}(?:,\d{3}){0,5}(?:\.\d{1,9})?) ?`;
const COUNTED = String.raw`(?<count>${COUNT}|\ban?)(?: (?<nouns>${NOUN}(?: ${NOUN}){0,2}))? ?`;
const BOUND =
  /(?:at (?:least|most)|up to|(?:more|less|fewer|other) than|over|under|above|below|within|maximum of|minimum of|limited to|not?|never) (?:once |the )?$/i;

const REFINED = /^,? (?:at|on|between|from|in the|before|after|except|but|and|or)\b/i;

/** In the order in which they are looked for: a longer one holds the shorter. */
const RATES = [
  new RegExp(
    String.raw`(?<count>${COUNT}|\ban?) (?<nouns>${NOUN}(?: ${NOUN}){0,2}) ${OFTEN}(?:${PERIOD})`,
    'giu',
  ),
  new RegExp(`${OFTEN}(?:${PERIOD})`, 'giu'),
  new RegExp(`${MONEY}(?:${PERIOD})`, 'giu'),
  new RegExp(String.raw`${COUNTED}(?<=[ \p{L}\p{N}])(?:${PERIOD})`, 'giu'),
  new RegExp(String.raw`\b(?:${EVERY})`, 'giu'),
];
const SHARES = [
  new RegExp(
    String.raw`\b(?:every|each) (?<place>other|${LATER_ORDINALS.join('|')})(?= (?!${UNIT})\p{L})`,
    'giu',
  ),
  new RegExp(`(?<count>${COUNT}) (?:in|out of)(?: every)? (?<of>${COUNT})`, 'giu'),
  new RegExp(
    String.raw`\b(?<count>one|two|three|four|an?)[- ](?<part>third|quarter|${LATER_ORDINALS.slice(2).join('|')})s?(?:(?<=s)| (?=of\b(?! an?\b))|(?<=\bone[- ]\p{L}+))(?: ?of(?: (?:the|all|its|their|our|your|these|those))?\b)?`,
    'giu',
  ),
  /(?<![\w.,])(?<percent>\d{1,3}(?:\.\d{1,3})?) ?(?:%|percent\b|per cent\b)(?: of(?: (?:the|all|its|their|our|your|these|those))?\b)?/giu,
  /\b(?<half>half)(?: of)?(?: (?:the|all|its|their|our|your|these|those))?\b(?! an?\b| as\b| (?:hour|day|year|month|minute)|[- ]\p{L}+ly\b)/giu,
];

/** Characters that are looked at before and behind a rate, and in which a share says of what it is one. */
const [AROUND, FOLLOWING] = [30, 40];

const numberOf = (written: string): number => PLACES[written.toLowerCase()] ?? writtenAmount(written);

const OFTEN_WORDS: Readonly<Record<string, number>> = { once: 1, twice: 2, thrice: 3, 'a single time': 1 };

function rateOf(groups: Readonly<Record<string, string | undefined>>): number | undefined {
  const { of = '1', unit, weekday, alternate, adverb, short, often, count = '1' } = groups;
  const name = (weekday === undefined ? (unit ?? alternate ?? short ?? '') : 'week').toLowerCase();
  const seconds =
    adverb === undefined ? (SECONDS[name] ?? SECONDS[name.replace(/s$/, '')]) : ADVERBS[adverb.toLowerCase()];
  if (seconds === undefined) return undefined;
  const times =
    often === undefined ? 1 : (OFTEN_WORDS[often.toLowerCase()] ?? numberOf(often.replace(/ times?$/i, '')));
  return (numberOf(count) * times) / (seconds * (alternate === undefined ? numberOf(of) : 2));
}

function shareOf({
  place,
  count,
  of,
  part,
  percent,
  half,
}: Readonly<Record<string, string | undefined>>): number {
  if (part !== undefined)
    return numberOf(count ?? '') / (part.toLowerCase() === 'quarter' ? 4 : numberOf(part));
  if (half !== undefined) return 0.5;
  if (percent !== undefined) return Number(percent) / 100;
  return place === undefined ? numberOf(count ?? '') / numberOf(of ?? '') : 1 / numberOf(place);
}

/** Rates and shares of a text, in order and without overlap. Linear in its length. */
export function ratesIn(text: string): StatedRate[] {
  const found: StatedRate[] = [];
  const taken = new Uint8Array(text.length);
  const take = (kind: StatedRate['kind'], forms: readonly RegExp[], read: typeof rateOf): void => {
    for (const form of forms)
      for (const { 0: all, index, groups = {} } of text.matchAll(form)) {
        const [start, end] = [index, index + all.trimEnd().length];
        const value = read(groups);
        if (
          value === undefined ||
          !Number.isFinite(value) ||
          value <= 0 ||
          taken.subarray(start, end).includes(1)
        )
          continue;
        taken.fill(1, start, end);
        const named = groups.nouns ?? groups.weekday ?? '';
        const counted =
          kind === 'share'
            ? analyzeText(text.slice(end, end + FOLLOWING)).slice(0, 1)
            : analyzeText(named).concat(groups.sign ?? []);
        const isBound = BOUND.test(text.slice(Math.max(0, start - AROUND), start));
        const isRefined = REFINED.test(text.slice(end, end + AROUND));
        found.push({ start, end, text: text.slice(start, end), kind, value, counted, isBound, isRefined });
      }
  };
  take('rate', RATES, rateOf);
  take('share', SHARES, shareOf);
  return found.sort((a, b) => a.start - b.start);
}

/** Of an equal rate: 52 times a year is weekly, 67 % are two thirds. */
const SAME = 0.005;
/** Nearer ones may be the same as people say it: four times a month, a third for 35 %. */
const NEAR = { rate: 0.15, share: 0.03 };
const apart = (a: StatedRate, b: StatedRate): number =>
  Math.abs(a.value - b.value) / (a.kind === 'share' ? 1 : Math.max(a.value, b.value));
const isOfOne = (a: StatedRate, b: StatedRate): boolean =>
  a.kind === b.kind && a.counted.at(-1) === b.counted.at(-1);
/** "60 a minute" may be of anything. */
const mayBeOfOne = (a: StatedRate, b: StatedRate): boolean =>
  isOfOne(a, b) ||
  (a.kind === b.kind && (a.counted.length === 0 || b.counted.length === 0) && !isMoney(a) && !isMoney(b));
const isMoney = ({ counted }: StatedRate): boolean => /^\p{Sc}$/u.test(counted.at(-1) ?? '');
const plain = ({ text }: StatedRate): string => text.toLowerCase();

/** A claim in which a rate was replaced by one of its source. */
export interface RestatedClaim {
  readonly text: string;
  readonly own: StatedRate;
  readonly other: StatedRate;
}

const replaced = (claim: string, { start, end }: StatedRate, by: string): string =>
  claim.slice(0, start) + (start === 0 ? by.charAt(0).toUpperCase() + by.slice(1) : by) + claim.slice(end);

/** A claim with each rate that its source states in another form in that form. */
export function withRatesOf(claim: string, source: readonly StatedRate[]): string {
  if (source.length === 0) return claim;
  return ratesIn(claim).reduceRight((text, own) => {
    const same = source.filter((other) => mayBeOfOne(own, other) && apart(own, other) <= SAME);
    const other = same.some((each) => plain(each) === plain(own)) ? undefined : same[0];
    return other === undefined ? text : replaced(text, own, other.text);
  }, claim);
}

/** A claim with a rate that its source does not state, once with each rate of the same that it does state. Bounds may hold for other rates, too. */
export function withOtherRates(claim: string, source: readonly StatedRate[]): RestatedClaim[] {
  if (source.length === 0) return [];
  return ratesIn(claim).flatMap((own) => {
    const isNear = source.some((other) => mayBeOfOne(own, other) && apart(own, other) <= NEAR[own.kind]);
    if (own.isBound || own.isRefined || isNear) return [];
    return source
      .filter((other) => isOfOne(own, other) && !other.isRefined)
      .slice(0, MOST_OTHERS)
      .map((other) => ({ text: replaced(claim, own, other.text), own, other }));
  });
}

const MOST_OTHERS = 3;
