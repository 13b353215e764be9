import { countTerms } from '../bm25.js';
import { indexedTerm, indexedText } from './search-terms.js';

/*
 * The servers' own BM25 counts the chunks of all tenants, those that were deleted and not yet merged away too. So it is not
 * asked: these fields hold what BM25 needs of a chunk, and `bm25-query.ts` makes the formula of them.
 */

/** The distinct terms of a chunk; see `search-terms.ts`. */
export const SEARCH_TEXT = 'search_text';
/** The same, each with how often it occurs: `2:word`. */
export const FREQUENCIES = 'frequencies';
/** How many terms the chunk has, in `LENGTH_UNIT`s. A date, because of dates alone the servers score a distance. */
export const LENGTH = 'length';
/** How often its most frequent term occurs. */
export const MAX_FREQUENCY = 'max_frequency';

/** Milliseconds that stand for one term, so that mean lengths, which are asked for in whole ones, are exact enough. */
export const LENGTH_UNIT = 1_000;

/** The mapping of what was added to `SEARCH_TEXT` in version 2. */
export const STATISTICS_FIELDS = {
  [FREQUENCIES]: { type: 'text', analyzer: 'whitespace', index_options: 'docs', norms: false },
  [LENGTH]: { type: 'date', format: 'epoch_millis' },
  [MAX_FREQUENCY]: { type: 'integer', index: false, doc_values: true },
} as const;

/** The mapping of all of them. */
export const WORD_FIELDS = {
  [SEARCH_TEXT]: { type: 'text', analyzer: 'whitespace', index_options: 'docs', norms: false },
  ...STATISTICS_FIELDS,
} as const;

/** The fields of a chunk with this `searchText`. */
export function wordFields(searchText: string): Readonly<Record<string, string | number>> {
  const { counts, length } = countTerms(searchText);
  const frequencies = [...counts].map(([term, frequency]) => frequencyTerm(term, frequencyClass(frequency)));
  return {
    [SEARCH_TEXT]: indexedText(searchText),
    [FREQUENCIES]: frequencies.join(' '),
    [LENGTH]: length * LENGTH_UNIT,
    [MAX_FREQUENCY]: [...counts.values()].reduce((most, frequency) => Math.max(most, frequency), 0),
  };
}

/** The term of `FREQUENCIES` in chunks that hold a term so often. */
export const frequencyTerm = (term: string, frequency: number): string => `${frequency}:${indexedTerm(term)}`;

/** Every frequency that chunks may have in the index, up to that of a term that occurs so often. */
export function frequencyClasses(maxFrequency: number): number[] {
  const classes: number[] = [];
  const last = frequencyClass(maxFrequency);
  for (let frequency = 1; frequency <= last; frequency += stepAt(frequency)) classes.push(frequency);
  return classes;
}

// Exact to 32, then to one part in 32, which moves a score by less than .2 %: so no text needs more than a few hundred.
const frequencyClass = (frequency: number): number =>
  frequency < 1 ? 0 : Math.round(frequency / stepAt(frequency)) * stepAt(frequency);

const stepAt = (frequency: number): number => 2 ** Math.max(0, Math.floor(Math.log2(frequency)) - 4);
