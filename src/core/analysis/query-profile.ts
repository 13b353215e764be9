import { extractIdentifiers } from './identifiers.js';
import { analyzeQuery, analyzeWord } from './lexical-analyzer.js';
import { normaliseText } from './normalise.js';
import { forEachWord } from './tokens.js';
import type { IsWantedBeginning } from './wanted-words.js';

/** How rare a word is in general: natural logarithm of texts over texts that hold it, 0 for the commonest. */
export type WordRarity = (word: string) => number;

/** Two terms of the query that stand near each other in it. */
export interface TermPair {
  readonly first: number;
  readonly second: number;
  readonly weight: number;
}

/** A query as features need it. Terms are named by their position in `terms`. */
export interface QueryProfile {
  readonly terms: readonly string[];
  /** General rarity of each term. */
  readonly idf: Float64Array;
  /** Sum of `idf`. */
  readonly idfMass: number;
  /** Lower-cased words of the query, as written. */
  readonly exactWords: ReadonlySet<string>;
  readonly pairs: readonly TermPair[];
  readonly identifiers: ReadonlySet<string>;
  /** Whether a term may begin like a word with these letters; a simple word with another beginning shares none. */
  readonly isBeginning: IsWantedBeginning;
  /** Terms of a word that the query may share; empty where it shares none. Words recur, so answers are remembered. */
  readonly termsOf: (word: string) => readonly number[];
}

/** Words this far apart in the query still make a pair, so that a stop word between them does not part them. */
const PAIR_DISTANCE = 2;

export function profileOf(query: string, rarityOf: WordRarity): QueryProfile {
  const { terms } = analyzeQuery(query);
  const positions = new Map(terms.map((term, i) => [term, i]));
  const idf = new Float64Array(terms.length);
  const exactWords = new Set<string>();
  const sequence: number[][] = [];
  forEachWord(normaliseText(query), (word) => {
    const lower = word.toLowerCase();
    exactWords.add(lower);
    const own = positionsOf(analyzeWord(word), positions);
    sequence.push(own);
    // A stem is no word that the table knows; the word it came from is. Parts of a compound stand for themselves.
    for (const at of own)
      idf[at] = Math.max(idf[at] ?? 0, rarityOf(own.length === 1 ? lower : (terms[at] ?? lower)));
  });
  return {
    terms,
    idf,
    idfMass: idf.reduce((sum, value) => sum + value, 0),
    exactWords,
    pairs: pairsOf(sequence, idf),
    identifiers: new Set(extractIdentifiers(query)),
    isBeginning: beginningsOf(terms),
    termsOf: rememberingTermsOf(positions),
  };
}

const positionsOf = (terms: readonly string[], positions: ReadonlyMap<string, number>): number[] => [
  ...new Set(terms.flatMap((term) => positions.get(term) ?? [])),
];

function pairsOf(sequence: readonly (readonly number[])[], idf: Float64Array): TermPair[] {
  const pairs = new Map<string, TermPair>();
  sequence.forEach((terms, i) => {
    for (const next of sequence.slice(i + 1, i + 1 + PAIR_DISTANCE))
      for (const first of terms.slice(0, 1))
        for (const second of next.slice(0, 1))
          if (first !== second)
            pairs.set(`${first} ${second}`, {
              first,
              second,
              weight: ((idf[first] ?? 0) + (idf[second] ?? 0)) / 2,
            });
  });
  return [...pairs.values()];
}

const [SMALL_E, SMALL_I, SMALL_Y] = [101, 105, 121];

/**
 * A stem begins as its word does, so most words of a text need neither be analysed nor looked up. From the second letter on
 * stemming may take one of e, i and y for another (`dying`, `using`, `cried`).
 */
function beginningsOf(terms: readonly string[]): IsWantedBeginning {
  const long = new Set<number>();
  const short = new Set<number>();
  for (const term of terms) {
    const [first = 0, second = 0, third = 0] = [...term.slice(0, 3)].map((letter) => letter.charCodeAt(0));
    if (third === 0) short.add(beginning(first, second));
    else long.add(beginning(first, second, third));
  }
  return (first, second, third) =>
    long.has(beginning(first, second, third)) || short.has(beginning(first, second));
}

const beginning = (first: number, second: number, third = 0): number =>
  (first * 65_536 + stemLetter(second)) * 65_536 + stemLetter(third);

const stemLetter = (unit: number): number => (unit === SMALL_E || unit === SMALL_Y ? SMALL_I : unit);

function rememberingTermsOf(positions: ReadonlyMap<string, number>): (word: string) => readonly number[] {
  const known = new Map<string, readonly number[]>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const found = positionsOf(analyzeWord(word), positions);
    known.set(word, found);
    return found;
  };
}
