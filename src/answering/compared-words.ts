import { areEqualAmounts, type Quantity, quantitiesOf } from '../conflicts/quantities.js';
import { type StatementWord, statementWords } from '../conflicts/words.js';
import { areAlike } from './alike-words.js';
import { withAmountsInDigits } from './stated-amounts.js';

/** A word that can be compared with another. */
export interface ComparedWord extends Pick<StatementWord, 'term' | 'kind'> {
  /** As it is written, numbers in digits. */
  readonly text: string;
  /** The amount that begins at it, where one does. */
  readonly quantity?: Quantity;
}

/** They deny as "no" does. */
const DENYING: ReadonlySet<string> = new Set('nothing noth nobodi nobody nowhere nowher'.split(' '));

/** The words of a text in order, each amount with what it is. */
export function comparedWords(text: string): ComparedWord[] {
  const written = withAmountsInDigits(text);
  const words = statementWords(written);
  const quantities = new Map(quantitiesOf(words, written).map((quantity) => [quantity.at, quantity]));
  return words.map(({ term, kind, start, end }, at) => {
    const quantity = quantities.get(at);
    const word = {
      term,
      kind: DENYING.has(term) ? ('negation' as const) : kind,
      text: written.slice(start, end),
    };
    return quantity === undefined ? word : { ...word, quantity };
  });
}

export const isTerm = ({ kind }: ComparedWord): boolean => kind === 'content' || kind === 'name';
export const isNegation = ({ kind }: ComparedWord): boolean => kind === 'negation';
export const isNumber = ({ kind }: ComparedWord): boolean => kind === 'number';

/** Whether two words say the same: equal terms or amounts, forms of one word, or words that mean nearly the same. */
export function areSameWord(a: ComparedWord, b: ComparedWord): boolean {
  if (a.quantity !== undefined && b.quantity !== undefined) return areSameAmount(a.quantity, b.quantity);
  return a.term === b.term || (isTerm(a) && isTerm(b) && areSameTerm(a.term, b.term));
}

export const areSameTerm = (a: string, b: string): boolean =>
  a === b || areFormsOfOne(a, b) || areAlike(a, b);

/** Without a unit a number may count anything. */
export const areSameAmount = (a: Quantity, b: Quantity): boolean =>
  (a.dimension === b.dimension || a.dimension === '' || b.dimension === '') && areEqualAmounts(a, b);

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
