import type { TextRange } from '../../core/document.js';
import { editDistance } from '../../core/nearest-name.js';
import type { Difference, DifferenceKind } from './conflict-types.js';
import { areAlternatives, areOpposite } from './opposites.js';
import { areEqualAmounts, type Quantity, quantitiesOf } from './quantities.js';
import type { Statement } from './statements.js';
import type { StatementWord } from './words.js';

/** A statement with its own text, to which the ranges of its words refer. */
export interface QuotedStatement {
  readonly text: string;
  readonly statement: Pick<Statement, 'words' | 'terms'>;
}

/** What two statements have in common, and in what they differ. */
export interface Comparison {
  /** Share of common terms among all that are no part of a difference (Dice), 0 to 1. */
  readonly agreement: number;
  readonly shared: number;
  /** Both have names of their own beside the differences: they are about different things. */
  readonly isOfOtherThings: boolean;
  /** A number of each differs, and not both say what it counts, or both the same. */
  readonly isOfUnknownThings: boolean;
  /** Both speak of `this policy` or the like: of what their own document is about. */
  readonly isOfOwnThings: boolean;
  /** Terms of names that one of them has beside the differences. */
  readonly ownNames: readonly [readonly string[], readonly string[]];
  readonly differences: readonly Difference[];
}

/** Compares two statements word by word. Symmetric but for the order of what is quoted. Pure. */
export function compareStatements(first: QuotedStatement, second: QuotedStatement): Comparison {
  const inFirst = new Set(first.statement.terms);
  const inSecond = new Set(second.statement.terms);
  const sides: Sides = {
    first,
    second,
    ownFirst: ownWords(first, second, inSecond),
    ownSecond: ownWords(second, first, inFirst),
    shared: new Set(first.statement.terms.filter((term) => inSecond.has(term))),
  };
  const found = [
    ...quantityDifferences(sides),
    ...polarityDifferences(sides),
    ...oppositeDifferences(sides),
    ...alternativeDifferences(sides),
  ];
  const differing = found.length > 0 ? found : nameDifferences(sides);
  const used = new Set(differing.flatMap(({ words }) => words));
  const leftFirst = sides.ownFirst.filter((word) => !used.has(word));
  const leftSecond = sides.ownSecond.filter((word) => !used.has(word));
  const left = termsIn(leftFirst) + termsIn(leftSecond);
  const shared = sides.shared.size;
  return {
    agreement: shared === 0 ? 0 : (2 * shared) / (2 * shared + left),
    shared,
    isOfOtherThings: leftFirst.some(isName) && leftSecond.some(isName),
    isOfUnknownThings: differing[0]?.isOfUnknown === true,
    isOfOwnThings: pointedTerms(first).some((term) => pointedTerms(second).includes(term)),
    ownNames: [namesIn(leftFirst), namesIn(leftSecond)],
    differences: differing.map(({ kind, first: a, second: b }) => ({ kind, first: a, second: b })),
  };
}

interface Sides {
  readonly first: QuotedStatement;
  readonly second: QuotedStatement;
  /** Words whose terms the other one has not. */
  readonly ownFirst: readonly StatementWord[];
  readonly ownSecond: readonly StatementWord[];
  readonly shared: ReadonlySet<string>;
}

interface Found extends Difference {
  /** Words of either side that it accounts for. */
  readonly words: readonly StatementWord[];
  readonly isOfUnknown?: boolean;
}

const isName = ({ kind }: StatementWord): boolean => kind === 'name';
const isTerm = ({ kind }: StatementWord): boolean => kind === 'content' || kind === 'name';

const termsIn = (words: readonly StatementWord[]): number => new Set(words.map(({ term }) => term)).size;

const namesIn = (words: readonly StatementWord[]): string[] => words.filter(isName).map(({ term }) => term);

const POINTING: ReadonlySet<string> = new Set(['this', 'these']);

/** What is called `this`, or `our`: the next term. */
const pointedTerms = ({ statement: { words } }: QuotedStatement): string[] =>
  words.flatMap(({ term }, at) => {
    const next = words[at + 1];
    return POINTING.has(term) && next !== undefined && isTerm(next) ? [next.term] : [];
  });

/** Words whose terms the other one has not; without units of amounts that it has in other units. */
function ownWords(
  side: QuotedStatement,
  other: QuotedStatement,
  others: ReadonlySet<string>,
): StatementWord[] {
  const ofOther = quantitiesIn(other);
  const equal = quantitiesIn(side).filter((quantity) =>
    ofOther.some((one) => areEqualAmounts(quantity, one)),
  );
  const units = new Set(equal.flatMap((quantity) => wordsOf(side, quantity)));
  return side.statement.words.filter((word) => isTerm(word) && !others.has(word.term) && !units.has(word));
}

const quantitiesIn = ({ statement: { words }, text }: QuotedStatement): Quantity[] =>
  quantitiesOf(words, text);

const quoted = ({ text }: QuotedStatement, { start, end }: TextRange): string => text.slice(start, end);

/** Amounts that one side lacks, held against those of the same dimension that the other one lacks. */
function quantityDifferences({ first, second }: Sides): Found[] {
  const ofFirst = quantitiesIn(first);
  const ofSecond = quantitiesIn(second);
  const lacks = (others: readonly Quantity[]) => (quantity: Quantity) =>
    !others.some((other) => areEqualAmounts(quantity, other));
  const rest = ofSecond.filter(lacks(ofFirst));
  return ofFirst.filter(lacks(ofSecond)).flatMap((quantity) => {
    const at = rest.findIndex((other) => areComparable(quantity, other));
    const [other] = at < 0 ? [] : rest.splice(at, 1);
    if (other === undefined) return [];
    const words = [...wordsOf(first, quantity), ...wordsOf(second, other)];
    return [
      {
        kind: 'quantity' as const,
        first: amountIn(first, quantity),
        second: amountIn(second, other),
        words,
        isOfUnknown:
          quantity.isBare === true && (quantity.counted === undefined || quantity.counted !== other.counted),
      },
    ];
  });
}

/** Of one dimension; of bare numbers, where both count something, of the same. */
const areComparable = (a: Quantity, b: Quantity): boolean =>
  a.dimension === b.dimension &&
  (a.dimension !== '' || a.counted === b.counted || a.counted === undefined || b.counted === undefined);

const wordsOf = ({ statement }: QuotedStatement, { at, end }: Quantity): readonly StatementWord[] =>
  statement.words.slice(at, end);

function amountIn(side: QuotedStatement, quantity: Quantity): string {
  const words = wordsOf(side, quantity);
  return quoted(side, { start: words[0]?.start ?? 0, end: words.at(-1)?.end ?? 0 });
}

/** What follows may not be so at all. */
const CONDITIONS: ReadonlySet<string> = new Set(['if', 'unless', 'whether', 'until', 'when']);

/** How many words a negation reaches: of content, and in all. */
const REACH_OF_TERMS = 2;
const REACH = 4;

/** A term that both have, and that one of them denies. Where both deny something it may be the same in other words. */
function polarityDifferences({ first, second, shared }: Sides): Found[] {
  if (deniesSomething(first) && deniesSomething(second)) return [];
  const ofFirst = deniedTerms(first);
  const ofSecond = deniedTerms(second);
  const [inFirst] = denials(ofFirst, second, shared);
  if (inFirst !== undefined) {
    const { denied, stated } = inFirst;
    return [{ kind: 'negation', first: quoted(first, denied), second: quoted(second, stated), words: [] }];
  }
  const [inSecond] = denials(ofSecond, first, shared);
  if (inSecond === undefined) return [];
  const { denied, stated } = inSecond;
  return [{ kind: 'negation', first: quoted(first, stated), second: quoted(second, denied), words: [] }];
}

const deniesSomething = ({ statement: { words } }: QuotedStatement): boolean =>
  words.some(({ kind }) => kind === 'negation');

/** Terms that are denied, with where the other one states them. */
const denials = (
  denied: ReadonlyMap<string, TextRange>,
  other: QuotedStatement,
  shared: ReadonlySet<string>,
): { readonly denied: TextRange; readonly stated: TextRange }[] =>
  [...denied].flatMap(([term, range]) => {
    const stated = shared.has(term)
      ? other.statement.words.find((word) => word.term === term && word.kind === 'content')
      : undefined;
    return stated === undefined ? [] : [{ denied: range, stated }];
  });

/** Terms that a negation stands before, with the text from the negation to the term. What is said under a condition denies nothing. */
function deniedTerms({ statement: { words } }: QuotedStatement): Map<string, TextRange> {
  const denied = new Map<string, TextRange>();
  if (words.some(({ term }) => CONDITIONS.has(term))) return denied;
  for (const [at, { kind, start }] of words.entries()) {
    if (kind !== 'negation') continue;
    const reached = words.slice(at + 1, at + 1 + REACH);
    const first = reached.findIndex(isTerm);
    // `without explicit approval` denies the approval, `not part of the index` denies no index.
    for (const word of first < 0 ? [] : reached.slice(first, first + REACH_OF_TERMS)) {
      if (!isTerm(word)) break;
      if (!denied.has(word.term)) denied.set(word.term, { start, end: word.end });
    }
  }
  return denied;
}

/** Words that exclude each other, where neither side has both, nor denies its own. */
function oppositeDifferences(sides: Sides): Found[] {
  const [denied, otherDenied] = [deniedTerms(sides.first), deniedTerms(sides.second)];
  return pairsOf(sides, areOpposite).flatMap(([a, b]) =>
    denied.has(a.term) === otherDenied.has(b.term) ? [found('opposite', sides, a, b)] : [],
  );
}

const alternativeDifferences = (sides: Sides): Found[] =>
  pairsOf(sides, areAlternatives).map(([a, b]) => found('alternative', sides, a, b));

function pairsOf(
  { ownFirst, ownSecond }: Sides,
  belong: (a: string, b: string) => boolean,
): (readonly [StatementWord, StatementWord])[] {
  return ownFirst.flatMap((a) => {
    const b = ownSecond.find((word) => belong(a.term, word.term));
    return b === undefined ? [] : [[a, b] as const];
  });
}

const found = (kind: DifferenceKind, sides: Sides, a: StatementWord, b: StatementWord): Found => ({
  kind,
  first: quoted(sides.first, a),
  second: quoted(sides.second, b),
  words: [a, b],
});

/** The only names that the two have for themselves, each in one place, after most of what they share. */
function nameDifferences(sides: Sides): Found[] {
  const a = singleRun(sides.first, sides.ownFirst.filter(isName));
  const b = singleRun(sides.second, sides.ownSecond.filter(isName));
  if (a === undefined || b === undefined || isMisspelling(a, b)) return [];
  if (!haveOnePlace(sides, a, b) || !areOfOneShape(a, b)) return [];
  return [
    {
      kind: 'name',
      first: quoted(sides.first, { start: a[0]?.start ?? 0, end: a.at(-1)?.end ?? 0 }),
      second: quoted(sides.second, { start: b[0]?.start ?? 0, end: b.at(-1)?.end ?? 0 }),
      words: [...a, ...b],
    },
  ];
}

/** By means of what: one is as good as another. */
const MEANS: ReadonlySet<string> = new Set('in via through with using by on at'.split(' '));

/** The word before them is the same in both, or the word behind them: elsewhere they do something else in the sentence. */
function haveOnePlace(
  { first, second }: Sides,
  a: readonly StatementWord[],
  b: readonly StatementWord[],
): boolean {
  const [before, behind] = [-1, 1].map((step) => [beside(first, a, step), beside(second, b, step)] as const);
  return [before, behind].some((pair) => {
    const [one, other] = (pair ?? []).map((word) => (word !== undefined && MEANS.has(word) ? 'by' : word));
    return one !== undefined && one === other;
  });
}

/** The term next to names of a statement. */
function beside(
  { statement: { words } }: QuotedStatement,
  names: readonly StatementWord[],
  step: number,
): string | undefined {
  const edge = step < 0 ? names[0] : names.at(-1);
  return edge === undefined ? undefined : words[words.indexOf(edge) + step]?.term;
}

/** An address of mail, a channel and a name of a thing can all be right. */
const areOfOneShape = (a: readonly StatementWord[], b: readonly StatementWord[]): boolean =>
  [MAIL, CHANNEL].every((shape) => isOfShape(a, shape) === isOfShape(b, shape));

const MAIL = /\w@\w/;
const CHANNEL = /^#/;

const isOfShape = (names: readonly StatementWord[], shape: RegExp): boolean =>
  names.some(({ term }) => shape.test(term));

/** Shorter names that differ in so few letters are two names. */
const LEAST_MISSPELT = 6;

function isMisspelling(a: readonly StatementWord[], b: readonly StatementWord[]): boolean {
  const [one, other] = [a, b].map((names) => names.map(({ term }) => term).join(' '));
  return (
    one !== undefined &&
    other !== undefined &&
    one.length >= LEAST_MISSPELT &&
    /^\D*$/.test(one + other) &&
    editDistance(one, other) <= 2
  );
}

/** The names where they stand together and say something of what came before: a name at the beginning says what a statement is about. */
function singleRun(
  { text, statement: { words } }: QuotedStatement,
  names: readonly StatementWord[],
): readonly StatementWord[] | undefined {
  const [first] = names;
  const last = names.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const between = words.filter(({ start }) => start > first.start && start < last.start);
  const isTogether = between.every((word) => names.includes(word) || word.kind === 'grammar');
  const before = words.filter((word) => isTerm(word) && word.start < first.start).length;
  return isTogether && before >= 2 && !/[\n,;]/.test(text.slice(first.start, last.end)) ? names : undefined;
}
