import type { Where } from 'chromadb';
import type { ScoredChunk } from '../../core/chunk.js';
import { compareText } from '../../core/filter.js';
import type { VectorQuery } from '../vector-store.js';
import type { NearestQuery, RecordReader } from './record-reader.js';

/** Hits asked for beyond topK, so that a tie at the end is usually seen whole at once. */
const TIE_MARGIN = 2;

export const byScoreThenId = (a: ScoredChunk, b: ScoredChunk): number =>
  b.score - a.score || compareText(a.chunk.id, b.chunk.id);

/**
 * The best `topK` with ties by id. The graph search of the server cuts among equals at will, so the tie at the end is fetched
 * whole first; where it comes back with fewer hits than there are matches (a filter that few records pass can do that, and so
 * can many equal vectors), the matches are compared one by one.
 */
export async function nearest(
  reader: RecordReader,
  where: Where | true,
  query: VectorQuery,
): Promise<ScoredChunk[]> {
  const { vector, topK, includeVectors, signal } = query;
  for (let limit = topK + TIE_MARGIN; ; limit *= 2) {
    const search: NearestQuery = { vector, limit, includeVectors, signal };
    const hits = (await reader.nearest(where, search)).sort(byScoreThenId);
    if (hits.length < limit) {
      const matches = await reader.ids(where, { limit, signal });
      return matches.length > hits.length ? compareAll(reader, where, query) : hits.slice(0, topK);
    }
    if (hits[topK - 1]?.score !== hits.at(-1)?.score) return hits.slice(0, topK);
  }
}

async function compareAll(
  reader: RecordReader,
  where: Where | true,
  query: VectorQuery,
): Promise<ScoredChunk[]> {
  const { signal, includeVectors, topK, vector } = query;
  const vectors = await reader.vectorsOf(await reader.ids(where, { signal }), { signal });
  const best = [...vectors]
    .map(([id, other]) => ({ id, score: innerProduct(vector, other) }))
    .sort((a, b) => b.score - a.score || compareText(a.id, b.id))
    .slice(0, topK);
  const chunks = await reader.byIds(
    best.map(({ id }) => id),
    { where, includeVectors, signal },
  );
  return best.flatMap(({ id, score }) => {
    const chunk = chunks.get(id);
    return chunk === undefined ? [] : [{ chunk, score }];
  });
}

function innerProduct(a: Float32Array, b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return Math.max(-1, Math.min(1, sum));
}
