/** What the adapters do alone: the same chunks, in the order and in batches of the size in which a migration reads and writes them. */

import { indexedTextOfStored } from '../../src/core/analysis/indexed-text.js';
import { analyzeText } from '../../src/core/analysis/lexical-analyzer.js';
import type { ChunkRecord } from '../../src/core/chunk.js';
import { EVERYTHING } from '../../src/core/filter.js';
import { slicesOf } from '../../src/core/slices.js';
import { openEngine } from '../../src/engine/create-engine.js';
import { listAll } from '../../src/stores/list-pages.js';
import type { VectorCollection } from '../../src/stores/vector-store.js';
import type { Place } from './places.js';

const AT_ONCE = 1_000;

/** How long each batch took. */
interface Batch {
  readonly chunks: number;
  readonly ms: number;
}

export async function bareReads(place: Place): Promise<readonly Batch[]> {
  const batches: Batch[] = [];
  for await (const { chunks, ms } of readBatches(place)) batches.push({ chunks: chunks.length, ms });
  return batches;
}

/** Every chunk of an index into a new collection of the other place, which grows as a copy does, and is dropped. */
export async function bareWrites(from: Place, to: Place): Promise<readonly Batch[]> {
  const { engine, resources } = await openEngine(to);
  const { store } = await resources.stores.configured();
  const name = `bare-${process.pid}`;
  let collection: VectorCollection | undefined;
  const batches: Batch[] = [];
  for await (const { chunks, spec } of readBatches(from)) {
    collection ??= await store.open({ ...spec, name });
    const began = performance.now();
    await collection.upsert(chunks);
    batches.push({ chunks: chunks.length, ms: performance.now() - began });
  }
  await store.drop(name);
  await engine.close();
  return batches;
}

/** Chunks a second of the last so many chunks: a copy that goes on after a death writes into a collection that holds the others. */
export function rateOfLast(batches: readonly Batch[], count: number): number {
  let chunks = 0;
  let ms = 0;
  for (const batch of batches.toReversed()) {
    if (chunks >= count) break;
    chunks += batch.chunks;
    ms += batch.ms;
  }
  return (chunks * 1_000) / ms;
}

/** Batches with the words that their chunks are written with; reading alone is timed. */
async function* readBatches(place: Place) {
  const { engine, resources } = await openEngine(place);
  const { collection } = await resources.stores.collection();
  const ids = (await listAll(collection, { filter: EVERYTHING }))
    .map(({ id, documentId }) => ({ id, documentId }))
    .sort((a, b) => (a.documentId < b.documentId ? -1 : Number(a.documentId > b.documentId)))
    .map(({ id }) => id);
  for (const some of slicesOf(ids, AT_ONCE)) {
    const began = performance.now();
    const stored = await collection.get(some, { includeVectors: true });
    const ms = performance.now() - began;
    const chunks: ChunkRecord[] = stored.flatMap(({ vector, ...chunk }) => {
      const searchText = analyzeText(indexedTextOfStored(chunk)).join(' ');
      return vector === undefined ? [] : [{ ...chunk, vector, searchText }];
    });
    yield { chunks, ms, spec: collection.spec };
  }
  await engine.close();
}
