import type { Where } from 'chromadb';
import type { ScoredChunk } from '../../core/chunk.js';
import { compareText } from '../../core/filter.js';
import { asCosine, withWholeTie } from '../best-hits.js';
import type { VectorQuery } from '../vector-store.js';
import type { RecordReader } from './record-reader.js';

/** Each hit that is asked for takes this server long. */
const TIE_MARGIN = 2;

/**
 * The best `topK`, and what scores as the last of them. Where the graph search of the server comes back with fewer hits than there are matches (a
 * filter that few records pass can do that, and so can many equal vectors), the matches are compared one by one.
 */
export function nearest(
  reader: RecordReader,
  where: Where | true,
  query: VectorQuery,
): Promise<ScoredChunk[]> {
  const { topK, signal } = query;
  return withWholeTie({ topK, margin: TIE_MARGIN }, async (limit) => {
    const hits = await reader.nearest(where, query, limit);
    if (hits.length >= limit) return hits;
    const matches = await reader.ids(where, { limit, signal });
    return matches.length > hits.length ? compareAll(reader, where, query) : hits;
  });
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
  return asCosine(sum);
}
