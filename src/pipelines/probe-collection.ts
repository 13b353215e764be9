import { analyzeQuery } from '../analysis/lexical-analyzer.js';
import type { StoredChunk } from '../core/chunk.js';
import { RAGError } from '../core/errors.js';
import { EVERYTHING } from '../core/filter.js';
import type { VectorCollection } from '../stores/vector-store.js';

/** Of so many chunks one is searched for by its words. */
const TEXT_PROBE_INTERVAL = 100;

/**
 * Asks the collection what a search asks, about chunks that it just listed: their vectors, the neighbours of one, and the
 * words of a sample. A store keeps vectors and indexes in other pages or files than the records, so a listing alone says
 * nothing of them. Throws what the store throws, and `STORE_DAMAGED` for an answer that cannot be right.
 */
export async function probeCollection(
  collection: VectorCollection,
  listed: readonly StoredChunk[],
  signal: AbortSignal | undefined,
): Promise<void> {
  if (listed.length === 0) return;
  const abort = signal === undefined ? {} : { signal };
  const withVectors = await collection.get(
    listed.map(({ id }) => id),
    { includeVectors: true, ...abort },
  );
  for (const { id, vector } of withVectors) assertVector(id, vector, collection);
  const [vector] = withVectors.flatMap((chunk) => chunk.vector ?? []);
  if (vector !== undefined) {
    const hits = await collection.searchVector({ vector, topK: 1, filter: EVERYTHING, ...abort });
    if (hits.length === 0)
      throw damaged(`finds nothing near the vector of a chunk that it holds`, collection);
  }
  for (let index = 0; index < listed.length; index += TEXT_PROBE_INTERVAL) {
    const { terms } = analyzeQuery(listed[index]?.content ?? '');
    if (terms.length === 0) continue;
    const hits = await collection.searchText?.({ terms, topK: 1, filter: EVERYTHING, ...abort });
    if (hits?.length === 0) throw damaged('finds nothing for the words of a chunk that it holds', collection);
  }
}

function assertVector(id: string, vector: Float32Array | undefined, collection: VectorCollection): void {
  const { dimensions } = collection.spec;
  if (vector?.length === dimensions && vector.every(Number.isFinite)) return;
  throw damaged(`holds no usable vector of chunk ${id}`, collection);
}

const damaged = (problem: string, { spec }: VectorCollection): RAGError =>
  new RAGError(
    'STORE_DAMAGED',
    `The collection "${spec.name}" ${problem}. Run \`ragstone index --force\` to build it again from the sources.`,
  );
