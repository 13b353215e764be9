import { isMonth } from './opposites.js';
import type { StatementWord } from './words.js';

interface Unit {
  readonly dimension: string;
  readonly size: number;
}

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
    share: { 1: '% percent' },
    length: { 0.001: 'mm', 0.01: 'cm', 1: 'm meter metr', 1000: 'km kilomet' },
    money: { 1: 'usd dollar', 1e3: 'k', 1e6: 'million', 1e9: 'billion' },
  }).flatMap(([dimension, sizes]) =>
    Object.entries(sizes).flatMap(([size, names]) =>
      names.split(' ').map((name) => [name, { dimension, size: Number(size) }] as const),
    ),
  ),
);

/** A number of a statement with what it counts. */
export interface Quantity {
  /** Place of the number among the words. */
  readonly at: number;
  /** Place behind the last word of it: of the number, or of its unit. */
  readonly end: number;
  /** `time`, `bytes`, `money`, `share`, `length`, `year`, `day`; else empty. */
  readonly dimension: string;
  /** In the smallest unit of its dimension; a version as it is written. */
  readonly amount: string;
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
      if (rhythm !== undefined) return [{ at, end: at + 1, dimension: 'time', amount: String(rhythm) }];
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
        word.term === ORDINAL ||
        isPart
      )
        return [];
      return [{ at, end: at + 1, dimension: 'time', amount: amountOf(1, unit) }];
    }
    const dated = datePart(word, before);
    if (dated !== undefined) return [{ at, end: at + 1, dimension: dated, amount: String(word.value) }];
    if (before !== undefined && LABELS.has(before.term)) return [];
    const counted = countedBy(words, at);
    if (word.value === undefined) return [{ at, end: at + 1, dimension: '', amount: word.term, counted }];
    const next = words[at + 1];
    const isMoney = /^[$€£]/.test(text.slice(word.start, word.end));
    const ofRange = unitOfRange(words, at, { text, isMoney });
    const unit = unitBehind(word, next, { text, isMoney }) ?? ofRange;
    if (unit === undefined)
      return [
        {
          at,
          end: at + 1,
          dimension: isMoney ? 'money' : '',
          amount: String(word.value),
          isBare: !isMoney && /^\d+$/.test(word.term),
          counted,
        },
      ];
    const dimension = isMoney ? 'money' : unit.dimension;
    return [{ at, end: at + (unit === ofRange ? 1 : 2), dimension, amount: amountOf(word.value, unit) }];
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

/** `a second one` counts no time. */
const ORDINAL = 'second';
const [FIRST_YEAR, LAST_YEAR, LAST_DAY] = [1990, 2049, 31];

/** A year, or the day behind a month: of other dates and not of amounts. */
function datePart(
  { term, value }: StatementWord,
  before: StatementWord | undefined,
): 'year' | 'day' | undefined {
  if (value === undefined || !/^\d+$/.test(term)) return undefined;
  if (term.length === 4 && value >= FIRST_YEAR && value <= LAST_YEAR) return 'year';
  return before !== undefined && isMonth(before.term) && value <= LAST_DAY ? 'day' : undefined;
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
  if (next === undefined || next.start - word.end > 1 || /^[A-Z]$/.test(text.slice(next.start, next.end)))
    return undefined;
  const unit = UNITS.get(next.term);
  return isMoney && unit?.dimension !== 'money' ? undefined : unit;
}

const countedBy = (words: readonly StatementWord[], at: number): string | undefined => {
  const next = words[at + 1];
  return next?.kind === 'content' || next?.kind === 'name' ? next.term : undefined;
};

const amountOf = (value: number, { size }: Unit): string => String(Number((value * size).toPrecision(9)));
