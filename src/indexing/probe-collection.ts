import { setImmediate as nextTurn } from 'node:timers/promises';
import { analyzeQuery } from '../core/analysis/lexical-analyzer.js';
import type { StoredChunk } from '../core/chunk.js';
import { RAGError } from '../core/errors.js';
import { and, contains, EVERYTHING, exists, type Filter, not, oneOf, or, range } from '../core/filter.js';
import { slicesOf } from '../core/slices.js';
import { withoutUndefined } from '../core/without-undefined.js';
import type { VectorCollection } from '../stores/vector-store.js';

/** Of so many chunks one is searched for by its words. */
const TEXT_PROBE_INTERVAL = 100;

/** Chunks in one filter. */
const FILTER_BATCH = 500;

/** A store that halves the precision of vectors stays well below this. */
const ROUNDING = 0.01;

/**
 * Asks the collection what a search asks, about chunks that it just listed: their vectors, the fields that filters see, the
 * neighbours of one chunk, and the words of a sample. A store keeps these in other columns, pages or files than the records,
 * so a listing alone says nothing of them. Throws what the store throws, and `STORE_DAMAGED` for an answer that is wrong.
 */
export async function probeCollection(
  collection: VectorCollection,
  listed: readonly StoredChunk[],
  signal: AbortSignal | undefined,
): Promise<void> {
  if (listed.length === 0) return;
  await probeVectors(collection, listed, signal);
  // A store in this process answers without letting others have a turn.
  await nextTurn();
  for (const some of slicesOf(listed, FILTER_BATCH)) {
    await probeFilters(collection, some, signal);
    await nextTurn();
  }
  await probeText(collection, listed, signal);
}

/**
 * Asks for a few chunks that must be there, and for one of them by its words: what a run can afford at its end. Throws what the
 * store throws, and `STORE_DAMAGED` where they are not what was written.
 */
export async function probeSample(
  collection: VectorCollection,
  ids: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  if (ids.length === 0) return;
  const chunks = await storedVectors(collection, ids, signal);
  const missing = ids.length - chunks.length;
  if (missing > 0) throw damaged(`lacks ${missing} of ${ids.length} chunks that were looked for`, collection);
  await probeText(collection, chunks.slice(0, 1), signal);
}

async function storedVectors(
  collection: VectorCollection,
  ids: readonly string[],
  signal: AbortSignal | undefined,
): Promise<StoredChunk[]> {
  const abort = withoutUndefined({ signal });
  const chunks = await collection.get(ids, { includeVectors: true, ...abort });
  for (const { id, vector } of chunks)
    if (vector?.length !== collection.spec.dimensions || !isUnitOrZero(vector))
      throw damaged(`holds no usable vector of chunk ${id}`, collection);
  return chunks;
}

async function probeVectors(
  collection: VectorCollection,
  listed: readonly StoredChunk[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const abort = withoutUndefined({ signal });
  const ids = listed.map(({ id }) => id);
  const chunks = await storedVectors(collection, ids, signal);
  const vector = chunks[0]?.vector;
  if (vector === undefined) throw damaged(`lists chunk ${ids[0]} and does not give it`, collection);
  const hits = await collection.searchVector({ vector, topK: 1, filter: EVERYTHING, ...abort });
  if (hits.length === 0) throw damaged('finds nothing near the vector of a chunk that it holds', collection);
}

/** What every stored vector is (see `ChunkRecord`). */
function isUnitOrZero(vector: Float32Array): boolean {
  const squares = vector.reduce((sum, component) => sum + component * component, 0);
  return squares === 0 || Math.abs(squares - 1) < ROUNDING;
}

async function probeFilters(
  collection: VectorCollection,
  chunks: readonly StoredChunk[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const counted = await collection.count(filterOf(chunks), signal);
  if (counted === chunks.length) return;
  throw damaged(
    `keeps filter fields that contradict the records of ${chunks.length - counted} chunks`,
    collection,
  );
}

/** Admits exactly these chunks, by way of every kind of field. */
function filterOf(chunks: readonly StoredChunk[]): Filter {
  const distinct = (pick: (chunk: StoredChunk) => string | readonly string[]): string[] => [
    ...new Set(chunks.flatMap(pick)),
  ];
  const groups = distinct(({ access }) => access.groups);
  const hasHidden = chunks.some(({ access }) => access.groups.length === 0);
  return and(
    oneOf(
      '$chunkId',
      distinct(({ id }) => id),
    ),
    oneOf(
      '$documentId',
      distinct(({ documentId }) => documentId),
    ),
    oneOf(
      '$tenant',
      distinct(({ tenant }) => tenant),
    ),
    oneOf(
      '$source',
      distinct(({ source }) => source),
    ),
    range('$level', { gte: 0 }),
    ...(hasHidden ? [] : [or(...groups.map((group) => contains('$groups', group)))]),
    not(contains('$identifiers', '')),
    exists('source'),
    range('chunkIndex', { gte: 0 }),
    oneOf(
      'sourceType',
      distinct(({ metadata }) => String(metadata.sourceType)),
    ),
    not(contains('headingPath', 0)),
  );
}

async function probeText(
  collection: VectorCollection,
  listed: readonly StoredChunk[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const abort = withoutUndefined({ signal });
  for (let index = 0; index < listed.length; index += TEXT_PROBE_INTERVAL) {
    const { terms } = analyzeQuery(listed[index]?.content ?? '');
    if (terms.length === 0) continue;
    const hits = await collection.searchText?.({ terms, topK: 1, filter: EVERYTHING, ...abort });
    if (hits?.length === 0) throw damaged('finds nothing for the words of a chunk that it holds', collection);
  }
}

const damaged = (problem: string, { spec }: VectorCollection): RAGError =>
  new RAGError(
    'STORE_DAMAGED',
    `The collection "${spec.name}" ${problem}. Run \`ragstone index --force\` to build it again from the sources.`,
  );
