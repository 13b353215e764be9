import { isOfKind } from './claim-differences.js';
import { areSameWord, type ComparedWord, hasWord, isNumber, isTerm } from './compared-words.js';
import type { SourceText } from './source-text.js';

type Words = readonly ComparedWord[];

const hasOtherAmount = (words: Words, amount: ComparedWord): boolean =>
  words.some(
    (other) => isNumber(other) && isOfKind(amount.quantity, other.quantity) && !areSameWord(amount, other),
  );

/**
 * Amounts of a claim that its source says of something else: another statement, or another clause of the same one, has all that the claim is
 * about, with another amount of the kind. Where an amount is said to be changed, or the claim has words that its source has not, nobody can tell.
 */
export function amountsOfOthers(claim: Words, source: SourceText): ComparedWord[] {
  const turned = turnedPairs(claim, source);
  const inClaim = clausesOf(claim).flatMap((clause) => clause.map((word) => ({ word, clause })));
  return inClaim.flatMap(({ word: amount, clause }) => {
    if (!isNumber(amount)) return [];
    if (turned.includes(amount)) return [amount];
    if (!saysOfWhat(amount)) return [];
    const holding = source.withAll([amount]);
    const isOfOther = (statement: Words): boolean =>
      (!hasOtherAmount(clause, amount) && isOfOtherClause(amount, aboutOf(clause, amount), statement)) ||
      isOfOtherStatement(amount, aboutOf(claim, amount), { statement, source });
    return holding.length > 0 && holding.every((statement) => !isChanged(statement) && isOfOther(statement))
      ? [amount]
      : [];
  });
}

/** Two numbers with a word between them that says which is which: `5 of 8`, `3-2`, `$40 to $60`. */
interface NumberPair {
  readonly first: ComparedWord;
  readonly last: ComparedWord;
  readonly between: string;
}

const MOST_BETWEEN = 3;
const NO_ORDER: ReadonlySet<string> = new Set(['and', 'or']);

const pairsOf = (words: Words): NumberPair[] =>
  words.flatMap((first, at) => {
    const behind = isNumber(first) ? words.slice(at + 1, at + 2 + MOST_BETWEEN) : [];
    const last = behind.find(isNumber);
    const between = behind.slice(0, last === undefined ? 0 : behind.indexOf(last));
    const isJoined = between.every(
      ({ kind, term, beginsClause }) => kind === 'grammar' && !NO_ORDER.has(term) && beginsClause !== true,
    );
    return last === undefined || !isJoined || last.beginsClause === true
      ? []
      : [{ first, last, between: between.map(({ term }) => term).join(' ') }];
  });

/** The first of two numbers that the source has the other way round alone. */
function turnedPairs(claim: Words, source: SourceText): ComparedWord[] {
  const own = pairsOf(claim);
  const others = own.length === 0 ? [] : source.statements.flatMap(pairsOf);
  const isIn = (first: ComparedWord, last: ComparedWord, between: string): boolean =>
    others.some(
      (other) =>
        other.between === between && areSameWord(other.first, first) && areSameWord(other.last, last),
    );
  return own
    .filter(({ first, last, between }) => isIn(last, first, between) && !isIn(first, last, between))
    .map(({ first }) => first);
}

/** What is said with the amount, without its unit. */
const aboutOf = (words: Words, amount: ComparedWord): Words => {
  const { at = 0, end = 0 } = amount.quantity ?? {};
  const unit = end > at + 1 ? words[words.indexOf(amount) + 1] : undefined;
  return words.filter((word) => word !== amount && word !== unit && (isTerm(word) || isNumber(word)));
};

const isChanged = (words: Words): boolean => words.some(({ text }) => CHANGED.test(text));

const saysOfWhat = ({ quantity }: ComparedWord): boolean =>
  quantity !== undefined && (quantity.dimension !== '' || quantity.counted !== undefined);

/** An amount that is changed is stated once before and once after. */
const CHANGED =
  /^(?:now|new|up|down|set|cuts?|grew|rose|fell)$|^(?:chang|rais|increas|lower|reduc|bump|doubl|halv|tripl|grow|extend|shorten|longer|shorter|drop|mov|updat)/i;

/** Another statement holds all that the source has of the claim, with another amount. */
function isOfOtherStatement(
  amount: ComparedWord,
  about: Words,
  { statement, source }: { readonly statement: Words; readonly source: SourceText },
): boolean {
  if (about.length === 0 || about.every((word) => hasWord(statement, word))) return false;
  return source.withAll(about).some((other) => !hasWord(other, amount) && hasOtherAmount(other, amount));
}

/** A later clause leaves out words that an earlier one has: "uploads may hold 50 MB and exports 2 GB". */
function isOfOtherClause(amount: ComparedWord, about: Words, statement: Words): boolean {
  const clauses = clausesOf(statement);
  const own = clauses.findIndex((clause) => hasWord(clause, amount));
  const held = clauses[own] ?? [];
  return (
    about.every((word) => hasWord(statement, word)) &&
    clauses.some((other, at) => {
      if (hasWord(other, amount) || !hasOtherAmount(other, amount)) return false;
      const isMore = about.some((word) => hasWord(other, word) && !hasWord(held, word));
      return isMore && (at > own || about.every((word) => !hasWord(held, word) || hasWord(other, word)));
    })
  );
}

/** A statement cut before each further clause with an amount of its own. */
function clausesOf(words: Words): Words[] {
  const clauses: ComparedWord[][] = [[]];
  for (const word of words) {
    if (word.beginsClause === true && clauses.at(-1)?.some(isNumber) === true) clauses.push([]);
    clauses.at(-1)?.push(word);
  }
  const last = clauses.at(-1) ?? [];
  if (clauses.length > 1 && !last.some(isNumber)) {
    clauses.pop();
    clauses.at(-1)?.push(...last);
  }
  return clauses;
}
