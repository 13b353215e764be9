import { normaliseText } from './normalise.js';
import type { QueryProfile } from './query-profile.js';
import { forEachWantedWord } from './wanted-words.js';

/** Where a text holds terms of a query. */
export interface PassageMatches {
  /** Term and word position of every match, in the order of the text. */
  readonly terms: readonly number[];
  readonly positions: readonly number[];
  /** Words of the query that stand in the text as they were written. */
  readonly exactWords: ReadonlySet<string>;
  /** Occurrences by term. */
  readonly counts: Float64Array;
  /** Words of the text. */
  readonly length: number;
  /** Words of the text that the query shares. */
  readonly matchedWords: number;
}

/** Words of a passage that are looked at; a longer one is rare and its beginning tells enough. */
const MAX_WORDS = 2_000;

/** Units of a text that are looked at. */
const MAX_UNITS = 32_768;

export function matchPassage(text: string, query: QueryProfile): PassageMatches {
  const terms: number[] = [];
  const positions: number[] = [];
  const exactWords = new Set<string>();
  const counts = new Float64Array(query.terms.length);
  let length = 0;
  let matchedWords = 0;
  forEachWantedWord(normaliseText(text.slice(0, MAX_UNITS)), query.isBeginning, (word) => {
    if (length >= MAX_WORDS) return;
    const position = length++;
    if (word === undefined) return;
    const found = query.termsOf(word);
    if (found.length === 0) return;
    for (const term of found) {
      terms.push(term);
      positions.push(position);
      counts[term] = (counts[term] ?? 0) + 1;
    }
    matchedWords++;
    const lower = word.toLowerCase();
    if (query.exactWords.has(lower)) exactWords.add(lower);
  });
  return { terms, positions, exactWords, counts, length, matchedWords };
}

/** About a sentence, in words. */
const WINDOW_WORDS = 30;

/** Largest idf mass of distinct terms within a window of words, as a share of `mass`. */
export function bestWindow({ terms, positions }: PassageMatches, idf: Float64Array, mass: number): number {
  const inside = new Int32Array(idf.length);
  let covered = 0;
  let best = 0;
  let start = 0;
  terms.forEach((term, end) => {
    if (inside[term] === 0) covered += idf[term] ?? 0;
    inside[term] = (inside[term] ?? 0) + 1;
    while ((positions[end] ?? 0) - (positions[start] ?? 0) >= WINDOW_WORDS) {
      const left = terms[start] ?? 0;
      inside[left] = (inside[left] ?? 0) - 1;
      if (inside[left] === 0) covered -= idf[left] ?? 0;
      start++;
    }
    best = Math.max(best, covered);
  });
  return mass === 0 ? 0 : best / mass;
}

/** Distinct matched terms over the words of the shortest stretch that holds them all, in [0, 1]; 0 for fewer than two. */
export function density({ terms, positions, counts }: PassageMatches): number {
  const wanted = counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
  if (wanted < 2) return 0;
  const inside = new Int32Array(counts.length);
  let distinct = 0;
  let shortest = Number.POSITIVE_INFINITY;
  let start = 0;
  terms.forEach((term, end) => {
    if (inside[term] === 0) distinct++;
    inside[term] = (inside[term] ?? 0) + 1;
    while (distinct === wanted) {
      shortest = Math.min(shortest, (positions[end] ?? 0) - (positions[start] ?? 0) + 1);
      const left = terms[start] ?? 0;
      inside[left] = (inside[left] ?? 0) - 1;
      if (inside[left] === 0) distinct--;
      start++;
    }
  });
  // Parts of one compound word share a position.
  return Math.min(1, wanted / shortest);
}

/** How far apart the terms of a pair may stand. */
const PAIR_REACH = 3;

/** Weight of the query's neighbouring pairs that also stand together, in order, in the passage, as a share of all. */
export function pairCoverage({ terms, positions }: PassageMatches, { pairs }: QueryProfile): number {
  if (pairs.length === 0) return 0;
  const near = new Set<number>();
  for (let i = 0; i < terms.length; i++)
    for (let j = i + 1; j < terms.length && (positions[j] ?? 0) - (positions[i] ?? 0) <= PAIR_REACH; j++)
      if (positions[j] !== positions[i]) near.add((terms[i] ?? 0) * 1_024 + (terms[j] ?? 0));
  let total = 0;
  let covered = 0;
  for (const { first, second, weight } of pairs) {
    total += weight;
    if (near.has(first * 1_024 + second)) covered += weight;
  }
  return total === 0 ? 0 : covered / total;
}
