import { findByText } from './find-chunks.js';
import type { LaneHits, LaneInput } from './lane.js';

/** Chunks that share words with the query, by BM25; a word that the query repeats counts each time. */
export async function searchLexical(input: LaneInput): Promise<LaneHits> {
  const { query, filter, limit } = input;
  const { terms, counts, isStopWordsOnly } = query.lexical;
  if (terms.length === 0)
    return {
      hits: [],
      reason: isStopWordsOnly
        ? 'The query holds only words that are in nearly every text.'
        : 'The query holds no word.',
    };
  return { hits: await findByText(input, { terms, weights: counts, topK: limit, filter }) };
}
