import { isMonth } from './opposites.js';
import type { StatementWord } from './words.js';

interface Unit {
  readonly dimension: string;
  readonly size: number;
  /** By another reckoning. */
  readonly otherSize: number;
}

/**
 * Sizes by another reckoning: 1,024 MB are called 1 GB too, and 12 months are a year, though a month is 30 days. Amounts are equal where they are
 * by one of both.
 */
const OTHER_SIZES: ReadonlyMap<number, number> = new Map([
  [1e3, 1024],
  [1e6, 1024 ** 2],
  [1e9, 1024 ** 3],
  [1e12, 1024 ** 4],
  [2_592_000, 31_536_000 / 12],
  [7_776_000, 31_536_000 / 4],
]);
const otherSizeOf = (size: number, dimension: string): number =>
  dimension === 'time' || dimension === 'bytes' ? (OTHER_SIZES.get(size) ?? size) : size;

const UNITS: ReadonlyMap<string, Unit> = new Map(
  Object.entries({
    time: {
      1: 's sec second',
      0.001: 'ms millisecond',
      60: 'min minut minute',
      3600: 'h hr hour',
      86400: 'd day',
      604800: 'w week',
      2592000: 'month',
      7776000: 'quarter',
      31536000: 'y yr year',
    },
    bytes: { 1: 'b byte', 1e3: 'kb kib', 1e6: 'mb mib', 1e9: 'gb gib', 1e12: 'tb tib' },
    share: { 1: '% percent', 0.1: '‰' },
    often: { 1: 'time times' },
    length: { 0.001: 'mm', 0.01: 'cm', 1: 'm meter metr', 1000: 'km kilomet' },
    money: { 1: 'usd dollar eur euro gbp', 1e3: 'k', 1e6: 'million', 1e9: 'billion' },
  }).flatMap(([dimension, sizes]) =>
    Object.entries(sizes).flatMap(([size, names]) =>
      names
        .split(' ')
        .map(
          (name) =>
            [
              name,
              { dimension, size: Number(size), otherSize: otherSizeOf(Number(size), dimension) },
            ] as const,
        ),
    ),
  ),
);

/** Signs of currencies by their names. */
const CURRENCIES: ReadonlyMap<string, string> = new Map([
  ['usd', '$'],
  ['dollar', '$'],
  ['eur', '€'],
  ['euro', '€'],
  ['gbp', '£'],
]);
const CURRENCY_SIGN = /\p{Sc}/u;

/** A number of a statement with what it counts. */
export interface Quantity {
  /** Place of the number among the words. */
  readonly at: number;
  /** Place behind the last word of it: of the number, or of its unit. */
  readonly end: number;
  /** `time`, `bytes`, `money`, `share`, `often`, `length`, `year`, `day`, `clock` (a time of day, or a proportion); else empty. */
  readonly dimension: string;
  /** The sign of that of money, where it is said. */
  readonly currency?: string | undefined;
  /** In the smallest unit of its dimension; a version as it is written. */
  readonly amount: string;
  /** The same by another reckoning, where units have one. */
  readonly otherAmount?: string;
  /** A number without a unit, and no version. */
  readonly isBare?: boolean;
  /** Of a number without a unit: the term that follows it, where one does. */
  readonly counted?: string | undefined;
}

/** Words that say how often, with the time between. */
const RHYTHMS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    3600: 'hour',
    86400: 'daili night',
    604800: 'week weekly',
    1209600: 'biweek biweekly fortnight fortnightly',
    2592000: 'month monthly',
    7776000: 'quarter quarterly',
    31536000: 'year yearly annual',
  }).flatMap(([size, names]) => names.split(' ').map((name) => [name, Number(size)] as const)),
);
const RHYTHM_WORD = /(?:ly|nightly|annual)$/i;

/** Before a unit these say that it is one: `a month`, `per year`. */
const ONE = new Set(['a', 'an', 'one', 'per', 'each', 'everi', 'every', 'whole', 'entir']);

const TWICE = 'twice';

/** Behind these `one` is a number. */
const BEFORE_ONE = new Set(['of', 'least', 'most', 'than', 'only', 'to', 'exactly']);

/** A number behind one of these is the name of a thing. */
const LABELS = new Set(
  'step phase level part section rule option question exampl chapter figur tabl appendix page tier stage no number item ic l month day week year quarter manag milestone'.split(
    ' ',
  ),
);

/**
 * The quantities of a statement, in order. `14 days` and `2 weeks` are one amount, `a month` and `monthly` too; `step 4` is none.
 */
export function quantitiesOf(words: readonly StatementWord[], text: string): Quantity[] {
  return words.flatMap((word, at): Quantity[] => {
    const before = words[at - 1];
    if (word.kind !== 'number') {
      const written = text.slice(word.start, word.end);
      const rhythm = RHYTHM_WORD.test(written) ? RHYTHMS.get(word.term) : undefined;
      if (rhythm !== undefined) return [{ at, end: at + 1, dimension: 'time', ...rhythmAmounts(rhythm) }];
      if (word.term === 'one' && before !== undefined && BEFORE_ONE.has(before.term))
        return [{ at, end: at + 1, dimension: '', amount: '1', counted: countedBy(words, at) }];
      const unit = UNITS.get(word.term);
      // A quarter of an hour.
      const isPart = words[at + 1]?.term === 'of' || words[at - 2]?.term === 'of';
      if (
        before === undefined ||
        unit?.dimension !== 'time' ||
        word.term.length < 3 ||
        !ONE.has(before.term) ||
        (word.term === ORDINAL && !isRate(before, words[at + 1])) ||
        isPart
      )
        return [];
      return [{ at, end: at + 1, dimension: 'time', ...amountsOf(1, unit) }];
    }
    const dated = datePart(word, before, words[at + 1]);
    if (dated !== undefined) return [{ at, end: at + 1, dimension: dated, amount: String(word.value) }];
    if (before !== undefined && LABELS.has(before.term)) return [];
    const counted = countedBy(words, at);
    const isClock = word.term.includes(':');
    if (word.value === undefined)
      return [{ at, end: at + 1, dimension: isClock ? 'clock' : '', amount: word.term, counted }];
    const next = words[at + 1];
    const sign = CURRENCY_SIGN.exec(text.slice(word.start, word.end))?.[0];
    const isMoney = sign !== undefined;
    const ofRange = unitOfRange(words, at, { text, isMoney });
    const often = word.term === TWICE ? UNITS.get('times') : undefined;
    const unit = often ?? unitBehind(word, next, { text, isMoney }) ?? ofRange;
    if (unit === undefined)
      return [
        {
          at,
          end: at + 1,
          dimension: isClock ? 'clock' : isMoney ? 'money' : '',
          currency: sign,
          amount: amountOf(word.value),
          isBare: !isMoney && /^\d+$/.test(word.term),
          counted,
        },
      ];
    const dimension = isMoney ? 'money' : unit.dimension;
    const currency = sign ?? CURRENCIES.get(next?.term ?? '');
    return [
      {
        at,
        end: at + (unit === ofRange || unit === often ? 1 : 2),
        dimension,
        currency,
        ...amountsOf(word.value, unit),
      },
    ];
  });
}

const BETWEEN_ENDS = /^-?\s*(?:[-–—]|to|or)\s*$/i;

/** The second number of `30-60 minutes` and `60- or 90-minute` has the unit of both. */
function unitOfRange(words: readonly StatementWord[], at: number, how: UnitReading): Unit | undefined {
  const first = words[at];
  const place = words[at + 1]?.kind === 'grammar' ? at + 2 : at + 1;
  const last = words[place];
  if (first === undefined || last?.kind !== 'number') return undefined;
  if (!BETWEEN_ENDS.test(how.text.slice(first.end, last.start))) return undefined;
  return unitBehind(last, words[place + 1], how);
}

/** `a second one` counts no time; `per second` does, and `a second` where nothing is counted behind it. */
const ORDINAL = 'second';
const isRate = (before: StatementWord, next: StatementWord | undefined): boolean =>
  before.term === 'per' || next === undefined || next.kind === 'grammar';
const [FIRST_YEAR, LAST_YEAR, LAST_DAY] = [1990, 2049, 31];

/** A year, or the day beside a month: of other dates and not of amounts. */
function datePart(
  { term, value }: StatementWord,
  before: StatementWord | undefined,
  next: StatementWord | undefined,
): 'year' | 'day' | undefined {
  if (value === undefined || !/^\d+$/.test(term)) return undefined;
  if (term.length === 4 && value >= FIRST_YEAR && value <= LAST_YEAR) return 'year';
  const isBesideMonth = [before, next].some((word) => word?.kind === 'content' && isMonth(word.term));
  return isBesideMonth && value <= LAST_DAY ? 'day' : undefined;
}

interface UnitReading {
  readonly text: string;
  readonly isMoney: boolean;
}

/** `1H` is a half of a year, and `$150 a quarter` are dollars. */
function unitBehind(
  word: StatementWord,
  next: StatementWord | undefined,
  { text, isMoney }: UnitReading,
): Unit | undefined {
  if (next === undefined || next.start - word.end > 1) return undefined;
  const written = text.slice(next.start, next.end);
  if (/^[A-Z]$/.test(written)) return undefined;
  // As a term `min` is the minimum.
  const unit = UNITS.get(written.toLowerCase()) ?? UNITS.get(next.term);
  return isMoney && unit?.dimension !== 'money' ? undefined : unit;
}

const countedBy = (words: readonly StatementWord[], at: number): string | undefined => {
  const next = words[at + 1];
  return next?.kind === 'content' || next?.kind === 'name' ? next.term : undefined;
};

const amountsOf = (value: number, { size, otherSize }: Unit) => ({
  amount: amountOf(value * size),
  otherAmount: amountOf(value * otherSize),
});

const rhythmAmounts = (size: number) =>
  amountsOf(1, { dimension: 'time', size, otherSize: otherSizeOf(size, 'time') });

const amountOf = (size: number): string => String(Number(size.toPrecision(9)));

/** Whether two quantities are the same amount, in whatever units; of money, in one currency. */
export const areEqualAmounts = (a: Quantity, b: Quantity): boolean =>
  (a.currency === undefined || b.currency === undefined || a.currency === b.currency) &&
  (a.amount === b.amount || (a.otherAmount !== undefined && a.otherAmount === b.otherAmount));
