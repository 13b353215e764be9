import { findByVector } from './find-chunks.js';
import type { LaneHits, LaneInput } from './lane.js';

/** Embeds a query; unit length, or all zero for text without any token that the model knows. */
export type EmbedQuery = (text: string, signal?: AbortSignal) => Promise<Float32Array>;

/** Nearest chunks by cosine. */
export async function searchDense(input: LaneInput, embedQuery: EmbedQuery): Promise<LaneHits> {
  const { query, filter, limit, signal } = input;
  if (query.isWordless) return { hits: [], reason: 'The query holds no letter and no digit.' };
  const vector = await embedQuery(query.text, signal);
  // Every chunk is equally near to no direction at all: the store would answer with the first ids.
  if (vector.every((component) => component === 0))
    return { hits: [], reason: 'The embedding model knows no word of the query.' };
  return { hits: await findByVector(input, { vector, topK: limit, filter }) };
}
