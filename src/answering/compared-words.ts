import { areEqualAmounts, type Quantity, quantitiesOf } from '../relations/conflicts/quantities.js';
import { type StatementWord, statementWords } from '../relations/conflicts/words.js';
import { areAlike } from './alike-words.js';
import { withPlainBounds } from './stated-bounds.js';

/** A word that can be compared with another. */
export interface ComparedWord extends Pick<StatementWord, 'term' | 'kind'> {
  /** As it is written, numbers in digits. */
  readonly text: string;
  /** The amount that begins at it, where one does. */
  readonly quantity?: Quantity;
  /** A claim has its opposite, and the source denies that. */
  readonly isTurned?: boolean;
  /** Of the amount before it. */
  readonly isUnit?: boolean;
  /** A comma or a conjunction stands before it, or it is one. */
  readonly beginsClause?: boolean;
}

/** They deny as "no" does. */
const DENYING: ReadonlySet<string> = new Set('nothing noth nobodi nobody nowhere nowher'.split(' '));

const CONJUNCTIONS: ReadonlySet<string> = new Set('and but while whereas'.split(' '));

/** The words of a text in order, each amount with what it is. */
export function comparedWords(text: string): ComparedWord[] {
  const written = withPlainBounds(text);
  const words = statementWords(written);
  const quantities = new Map(quantitiesOf(words, written).map((quantity) => [quantity.at, quantity]));
  return words.map(({ term, kind, start, end }, at) => {
    const quantity = quantities.get(at) ?? oneOf(words, at);
    const isNext = /[,;()]/.test(written.slice(words[at - 1]?.end ?? 0, start)) || CONJUNCTIONS.has(term);
    const word = {
      ...(isNext ? { beginsClause: true } : {}),
      ...((quantities.get(at - 1)?.end ?? 0) > at ? { isUnit: true } : {}),
      term,
      kind: DENYING.has(term) ? ('negation' as const) : kind,
      text: written.slice(start, end),
    };
    return quantity === undefined ? word : { ...word, quantity };
  });
}

/** "One replica" is one, where another number may stand for it. */
function oneOf(words: readonly StatementWord[], at: number): Quantity | undefined {
  const next = words[at + 1];
  return words[at]?.term === 'one' && next?.kind === 'content'
    ? { at, end: at + 1, dimension: '', amount: '1', counted: next.term }
    : undefined;
}

export const isTerm = ({ kind }: ComparedWord): boolean => kind === 'content' || kind === 'name';
export const isNegation = ({ kind }: ComparedWord): boolean => kind === 'negation';
export const isNumber = ({ kind }: ComparedWord): boolean => kind === 'number';

/** Whether two words say the same: equal terms or amounts, forms of one word, or words that mean nearly the same. */
export function areSameWord(a: ComparedWord, b: ComparedWord): boolean {
  if (a.quantity !== undefined && b.quantity !== undefined) return areSameAmount(a.quantity, b.quantity);
  return a.term === b.term || (isTerm(a) && isTerm(b) && areSameTerm(a.term, b.term));
}

/** Whether one of them is the same. */
export const hasWord = (words: readonly ComparedWord[], word: ComparedWord): boolean =>
  words.some((other) => areSameWord(word, other));

/** A word as it is written, in small letters. */
export const lower = ({ text }: ComparedWord): string => text.toLowerCase();

/** Words as they are written. */
export const textOf = (words: readonly ComparedWord[]): string => words.map(({ text }) => text).join(' ');

export const areSameTerm = (a: string, b: string): boolean =>
  a === b || areFormsOfOne(a, b) || areAlike(a, b);

/** A number that counts nothing and has no unit may be of any; three retries are retried three times. */
export const areSameAmount = (a: Quantity, b: Quantity): boolean =>
  (a.dimension === b.dimension || mayBeOf(a, b) || mayBeOf(b, a)) && areEqualAmounts(a, b);

const mayBeOf = ({ dimension, counted }: Quantity, other: Quantity): boolean =>
  dimension === '' && (counted === undefined || other.dimension === 'often');

/** Letters that two words must begin with to be forms of one (`Norway`, `Norwegian`), and their share of the longer word. */
const LEAST_STEM = 4;
const LEAST_SHARE = 0.6;

function areFormsOfOne(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  if (length < LEAST_STEM || a.slice(0, LEAST_STEM) !== b.slice(0, LEAST_STEM) || /\d/.test(a + b))
    return false;
  let same = LEAST_STEM;
  while (same < length && a[same] === b[same]) same += 1;
  return same >= LEAST_SHARE * Math.max(a.length, b.length);
}
