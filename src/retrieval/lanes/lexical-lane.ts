import type { LaneHits, LaneInput } from './lane.js';

/** Chunks that share words with the query, by BM25. */
export async function searchLexical(input: LaneInput): Promise<LaneHits> {
  const { collection, query, filter, limit, includeVectors, signal } = input;
  const { terms, isStopWordsOnly } = query.lexical;
  if (terms.length === 0)
    return {
      hits: [],
      reason: isStopWordsOnly
        ? 'The query holds only words that are in nearly every text.'
        : 'The query holds no word.',
    };
  const abort = signal === undefined ? {} : { signal };
  const hits = await collection.searchText?.({ terms, topK: limit, filter, includeVectors, ...abort });
  return { hits: hits ?? [] };
}
