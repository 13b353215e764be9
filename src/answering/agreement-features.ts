import { amountsOfOthers } from './amounts-of-others.js';
import { type Alignment, alignWords } from './claim-alignment.js';
import {
  type ClaimDifference,
  type DifferenceKind,
  deniedOtherwise,
  deniesOneMore,
  differencesIn,
  frameOf,
  isDeniedAlone,
  isOfKind,
  isReplacement,
  MOST_FRAME,
  opposedBeside,
  otherCause,
  turnedAround,
} from './claim-differences.js';
import { areSameWord, type ComparedWord, isNegation, isNumber, isTerm } from './compared-words.js';
import type { SourceStatement, SourceText } from './source-text.js';
import type { SupportFeature } from './support-features.js';

/** How a claim departs from the part of a source that it is most like, each in [0, 1]; 0 where it does not. */
export const DEPARTURES = [
  /** Terms that the source has nowhere, of all. */
  'novel',
  /** Words that do not stand in the order of the source, of all. */
  'reordered',
  /** The same words in an order of their own. */
  'permuted',
  /** How near it is to a copy, where a word of it is none, and the square. */
  'slip',
  'slipSquare',
  /** Other words between the same words: how many the same words around them are. */
  'replaced',
  /** By words that the source has elsewhere, and that the same statements have. */
  'exchanged',
  'exchangedNear',
  /** By a word that excludes it; by another number; by another name. */
  'opposed',
  'opposedBeside',
  'amountReplaced',
  'nameReplaced',
  /** A number that the source has nowhere, and one that the nearest statement does not have. */
  'amountMissing',
  'amountElsewhere',
  'nameMissing',
  /** One of both denies a term, or anything; the more the nearer it is to a copy. */
  'negated',
  'negatedCopy',
  'negatedNear',
  /** "All" or "always" in the claim alone. */
  'widened',
  /** Two things around a comparison stand the other way round, also the more the nearer it is to a copy. */
  'turned',
  'turnedCopy',
  /** Names and numbers in another order. */
  'inverted',
  'invertedCopy',
  /** What follows one preposition follows its opposite in the source. */
  'rebound',
  /** Another reason for the same. */
  'otherCause',
] as const;
export type Departure = (typeof DEPARTURES)[number];

/**
 * What the models weigh. `polarityCopy`, `polarityAnywhereCopy`: the features without the suffix, the more the nearer the sentence is to a copy.
 * `meaning`: the cosine with the most alike sentence of the source.
 */
export type AgreementFeature =
  | SupportFeature
  | Departure
  | 'polarityCopy'
  | 'polarityAnywhereCopy'
  | 'meaning';

export interface ClaimComparison {
  readonly departures: Readonly<Record<Departure, number>>;
  readonly differences: readonly ClaimDifference[];
  /** Numbers that the source has nowhere, and those that it says of something else. */
  readonly missingAmounts: readonly ComparedWord[];
  readonly amountsOfOthers: readonly ComparedWord[];
  /** Both deny, and of the same words one has a negation that the other leaves out, or denies one more. */
  readonly isDeniedLess: boolean;
  /** Share of the claim that stands in the source in its order, in [0, 1]. */
  readonly copied: number;
}

/** Share of a claim from which on it begins to be like a copy. */
const LEAST_COPIED = 0.3;

/** Compares the words of a claim (`claimWords`) with the statements of a source that are most like it, and with all of its words. */
export function compareWithSource(claim: readonly ComparedWord[], source: SourceText): ClaimComparison {
  const near = source.near(claim);
  const joined = near.flat();
  const alignments = [...(near.length > 1 ? near : []), joined].map((words) => alignWords(claim, words));
  const closest = alignments.reduce((best, each) => (each.copied > best.copied ? each : best));
  const gaps = alignments.flatMap((alignment) => alignment.gaps);
  const isExcepted = joined.some(isExcepting);
  const found = gaps
    .flatMap((gap) => differencesIn(gap, source))
    .filter(({ kind }) => !(isExcepted && kind === 'opposite'));
  const negated = deniedOtherwise(claim, near);
  const turned = turnedAround(claim, joined);
  const beside = isExcepted ? [] : near.flatMap((statement) => opposedBeside(claim, statement, joined));
  const causes = near.flatMap((statement) => otherCause(claim, statement));
  const framed = (...kinds: readonly DifferenceKind[]): number =>
    found.reduce(
      (most, { kind, frame, isTight }) => (isTight && kinds.includes(kind) ? Math.max(most, frame) : most),
      0,
    ) / MOST_FRAME;
  const exchanged = (has: (word: ComparedWord) => boolean): number =>
    gaps
      .filter((gap) => isReplacement(gap) && gap.claim.filter(isTerm).every(has))
      .reduce((most, gap) => Math.max(most, frameOf(gap)), 0) / MOST_FRAME;
  const { copied } = closest;
  const slip = slipIn(closest, source);
  const terms = claim.filter(isTerm);
  const isPermuted =
    terms.length > 2 && terms.every(({ term }) => joined.some((other) => other.term === term));
  const inverted = invertedShare(claim, joined);
  const missing = missingAmounts(claim, source);
  return {
    departures: {
      novel: terms.filter((word) => !source.has(word)).length / Math.max(1, terms.length),
      reordered: 1 - copied,
      permuted: isPermuted ? 1 - copied : 0,
      slip,
      slipSquare: slip * slip,
      replaced: framed('wording', 'name', 'opposite', 'number'),
      exchanged: exchanged((word) => source.has(word)),
      exchangedNear: exchanged((word) => joined.some((other) => areSameWord(word, other))),
      opposed: framed('opposite'),
      opposedBeside: Number(beside.length > 0),
      amountReplaced: framed('number'),
      nameReplaced: framed('name'),
      amountMissing: Number(missing.length > 0),
      amountElsewhere: Number(hasAmountElsewhere(claim, source.nearest(claim))),
      nameMissing: Number(claim.some((word, at) => word.kind === 'name' && at > 0 && !source.has(word))),
      negated: Number(negated.length > 0),
      negatedCopy: negated.length > 0 ? copied : 0,
      negatedNear: isDeniedAlone(claim, joined) ? copied : 0,
      widened: Number(hasAlone(ALL, claim, joined)),
      turned: Number(turned.length > 0),
      turnedCopy: turned.length > 0 ? copied : 0,
      inverted,
      invertedCopy: inverted * copied,
      rebound: Number(isRebound(claim, joined)),
      otherCause: Number(causes.length > 0),
    },
    differences: [
      ...(isDenial(claim) === isDenial(joined) ? found : found.map(asUnsure)),
      ...negated,
      ...turned,
      ...causes,
      ...beside,
    ],
    missingAmounts: missing,
    amountsOfOthers: amountsOfOthers(claim, source),
    isDeniedLess:
      isDeniedLess(claim, joined, closest) ||
      (deniesOneMore(claim, near) && !claim.some(({ isTurned }) => isTurned)),
    copied,
  };
}

const isDeniedLess = (claim: SourceStatement, near: SourceStatement, { copied, gaps }: Alignment): boolean =>
  copied >= NEARLY_COPIED &&
  !claim.some(({ isTurned }) => isTurned) &&
  isDenial(claim) &&
  isDenial(near) &&
  gaps.some(
    ({ claim: own, source, before, behind }) =>
      before > 0 &&
      behind > 0 &&
      ![...own, ...source].some(isCompared) &&
      isDenial(own) !== isDenial(source) &&
      ![...own, ...source].some(({ text }) => /^(?:only|just|but|or|and)$/i.test(text)),
  );

/** Share of a claim from which on it is a copy but for a word or two. */
const NEARLY_COPIED = 0.88;

const isDenial = (words: readonly ComparedWord[]): boolean => words.some(isNegation);
/** What is said of all but some is said otherwise of these. */
const isExcepting = ({ text }: ComparedWord): boolean => /^(?:except\w*|unless|besides)$/i.test(text);
/** A denial of the opposite may be the same. */
const asUnsure = (difference: ClaimDifference): ClaimDifference =>
  difference.kind === 'opposite' ? { ...difference, isUnsure: true } : difference;

const isCompared = (word: ComparedWord): boolean => isTerm(word) || isNumber(word);

/** How near to a copy it is, where a word of it stands in the place of another, or is new. */
function slipIn({ copied, gaps }: Alignment, source: SourceText): number {
  const isSlip = gaps.some(
    ({ claim, source: replaced, before, behind }) =>
      claim.some((word) => isTerm(word) && !source.has(word)) ||
      (before > 0 && behind > 0 && claim.some(isCompared) && replaced.some(isCompared)) ||
      claim.some((word) => isNumber(word) && replaced.some(isCompared)),
  );
  return isSlip ? Math.max(0, (copied - LEAST_COPIED) / (1 - LEAST_COPIED)) : 0;
}

/**
 * Numbers that a source has nowhere. "Two" may be how many there are, and "once" is said of what nothing says how often it is: they are missing
 * where another number stands for them.
 */
const missingAmounts = (claim: readonly ComparedWord[], source: SourceText): ComparedWord[] =>
  claim.filter(
    (word) =>
      isNumber(word) &&
      !source.hasAmount(word) &&
      (!mayBeUnsaid(word) || source.hasOtherAmount(word) || isOftener(word, source.nearest(claim))),
  );

/** What happens at several times of day happens more often than once. */
const isOftener = ({ quantity }: ComparedWord, statement: SourceStatement): boolean =>
  quantity?.dimension === 'often' &&
  statement.filter((word) => word.quantity?.dimension === 'clock').length > 1;

const mayBeUnsaid = ({ text, quantity }: ComparedWord): boolean =>
  text.toLowerCase() === 'two' || (quantity?.dimension === 'often' && quantity.amount === '1');

/** A number of the claim is not in the statement that holds most of its terms, which has another of its kind. */
function hasAmountElsewhere(claim: readonly ComparedWord[], best: SourceStatement): boolean {
  return claim.some(
    (word) =>
      isNumber(word) &&
      word.quantity !== undefined &&
      !best.some((other) => areSameWord(word, other)) &&
      best.some((other) => isNumber(other) && isOfKind(word.quantity, other.quantity)),
  );
}

/** Words between a direction and what it is of. */
const AWAY = 3;

const ALL: ReadonlySet<string> = new Set(
  'all every each any everything everyone everywhere both whole entire always whenever'.split(' '),
);

/** A word of such a set is in the claim alone. */
const hasAlone = (
  words: ReadonlySet<string>,
  claim: readonly ComparedWord[],
  near: readonly ComparedWord[],
): boolean => {
  const isOne = ({ text }: ComparedWord): boolean => words.has(text.toLowerCase());
  return claim.some(isOne) && !near.some(isOne);
};

/** Share of the pairs of names and numbers that stand in another order than in the source; those that it has twice have none. */
function invertedShare(claim: readonly ComparedWord[], near: readonly ComparedWord[]): number {
  const places = claim
    .filter((word) => word.kind === 'name' || isNumber(word))
    .map((word) => near.flatMap((other, at) => (areSameWord(word, other) ? [at] : [])))
    .flatMap(([place, ...others]) => (place === undefined || others.length > 0 ? [] : [place]));
  const pairs = places.flatMap((a, i) => places.slice(i + 1).map((b) => a > b));
  return pairs.length === 0 ? 0 : pairs.filter(Boolean).length / pairs.length;
}

const OTHER_DIRECTION: ReadonlyMap<string, string> = new Map(
  'from to,before after,with without,above below,over under,for against,first last,in outside'
    .split(',')
    .map((pair) => pair.split(' '))
    .flatMap(([a = '', b = '']) => [[a, b] as const, [b, a] as const]),
);

/** Terms with the direction that stands closely before each. */
const directed = (words: readonly ComparedWord[]): { readonly word: ComparedWord; readonly by: string }[] =>
  words.flatMap(({ text }, at) => {
    const by = text.toLowerCase();
    const word = OTHER_DIRECTION.has(by) ? words.slice(at + 1, at + 1 + AWAY).find(isCompared) : undefined;
    return word === undefined ? [] : [{ word, by }];
  });

function isRebound(claim: readonly ComparedWord[], near: readonly ComparedWord[]): boolean {
  const others = directed(near);
  return directed(claim).some(({ word, by }) => {
    const held = others.filter((other) => areSameWord(word, other.word)).map((other) => other.by);
    return held.includes(OTHER_DIRECTION.get(by) ?? '') && !held.includes(by);
  });
}
