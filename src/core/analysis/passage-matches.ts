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
