import { B, inverseDocumentFrequency, K1, type TextStatistics } from '../bm25.js';
import type { Query } from './filter-query.js';
import { indexedTerm } from './search-terms.js';
import {
  FREQUENCIES,
  frequencyClasses,
  frequencyTerm,
  LENGTH,
  LENGTH_UNIT,
  MAX_FREQUENCY,
  SEARCH_TEXT,
} from './word-fields.js';

/** What BM25 must know of the chunks that it counts. */
export interface WordStatistics extends TextStatistics {
  /** How often any term occurs in one of them at most. */
  readonly maxFrequency: number;
  /** Of each term asked for, in how many it occurs. */
  readonly chunksWith: ReadonlyMap<string, number>;
}

/** The search body that counts them, among the chunks that a query admits. */
export const statisticsBody = (terms: readonly string[], counted: Query): Query => ({
  size: 0,
  track_total_hits: true,
  query: counted,
  aggs: {
    length: { sum: { field: LENGTH } },
    maxFrequency: { max: { field: MAX_FREQUENCY } },
    chunksWith: {
      // In an order of their own, so that no term becomes a name.
      filters: { filters: terms.map((term) => ({ term: { [SEARCH_TEXT]: indexedTerm(term) } })) },
    },
  },
});

/**
 * Exact BM25 by given statistics, without a script. With `f` occurrences in a chunk of `l` terms a term adds
 *
 *   idf * f (k1 + 1) / (f + k1 (1 - b) + k1 b l / mean)  =  idf * f (k1 + 1) / a * p / (p + l),
 *
 * where `a = f + k1 (1 - b)` and `p = a * mean / (k1 b)`; `p / (p + l)` is how the servers score the distance of a date to its
 * origin. So there is one clause for each frequency, and the terms that occur so often add their weights in it.
 */
export function bm25Query(
  weights: ReadonlyMap<string, number>,
  { chunks, length, maxFrequency, chunksWith }: WordStatistics,
  filter: Query,
): Query {
  const meanLength = length / chunks;
  const terms = [...weights].flatMap(([term, weight]) => {
    const count = chunksWith.get(term) ?? 0;
    return count === 0 ? [] : [{ term, weight: weight * inverseDocumentFrequency(chunks, count) }];
  });
  const clauses = frequencyClasses(maxFrequency).map((frequency) => {
    const saturation = frequency + K1 * (1 - B);
    const pivot = (saturation * meanLength) / (K1 * B);
    const found = terms.map(({ term, weight }) => ({ key: frequencyTerm(term, frequency), weight }));
    return {
      function_score: {
        query: {
          bool: {
            filter: [{ terms: { [FREQUENCIES]: found.map(({ key }) => key) } }],
            must: [
              {
                distance_feature: {
                  field: LENGTH,
                  origin: 0,
                  pivot: `${Math.round(pivot * LENGTH_UNIT)}ms`,
                  boost: (frequency * (K1 + 1)) / saturation,
                },
              },
            ],
          },
        },
        functions: found.map(({ key, weight }) => ({ filter: { term: { [FREQUENCIES]: key } }, weight })),
        score_mode: 'sum',
        boost_mode: 'multiply',
      },
    };
  });
  return { bool: { should: clauses, minimum_should_match: 1, filter: [filter] } };
}
