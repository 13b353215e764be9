import type { StoredChunk } from '../core/chunk.js';
import { compareText, EVERYTHING } from '../core/filter.js';
import type { GenerationReader, LedgerChunk } from '../ledger/ledger.js';
import type { Drift } from '../operations/engine.js';
import { storedDigest } from '../resources/chunk-digests.js';
import { chunksIn } from '../resources/ledger-rows.js';
import { listPages } from '../stores/list-pages.js';
import type { VectorCollection } from '../stores/vector-store.js';
import { probeCollection } from './probe-collection.js';

const PAGE = 1000;

/** A chunk as the ledger expects it and as the store holds it, and how they differ; without `difference` they do not. */
export interface ComparedChunk extends ChunkPair {
  readonly difference: Pick<Drift, 'kind' | 'detail'> | undefined;
}

/** Compares what a store holds of a generation with its ledger, chunk by chunk, by the hashes of their contents. */
export async function* compareChunks(
  reader: GenerationReader,
  collection: VectorCollection,
  signal: AbortSignal | undefined,
): AsyncGenerator<ComparedChunk> {
  for await (const pair of mergeById(chunksIn(reader, PAGE), storedChunks(collection, signal)))
    yield { ...pair, difference: compareChunk(pair.expected, pair.actual) };
}

function compareChunk(
  expected: LedgerChunk | undefined,
  actual: StoredChunk | undefined,
): Pick<Drift, 'kind' | 'detail'> | undefined {
  if (expected === undefined) {
    return {
      kind: 'chunk-orphaned',
      detail: `The store holds chunk ${actual?.id}, which the ledger does not know.`,
    };
  }
  // Planned and stale chunks may or may not be there; the pending document is reported instead.
  if (expected.state !== 'live') return undefined;
  if (actual === undefined) {
    return { kind: 'chunk-missing', detail: `The store lacks chunk ${expected.chunkId}.` };
  }
  if (!expected.digest.startsWith(storedDigest(actual))) {
    return {
      kind: 'chunk-different',
      detail: `The store holds chunk ${expected.chunkId} with other content.`,
    };
  }
  return undefined;
}

async function* storedChunks(
  collection: VectorCollection,
  signal: AbortSignal | undefined,
): AsyncGenerator<StoredChunk> {
  for await (const chunks of listPages(collection, { filter: EVERYTHING, limit: PAGE, signal })) {
    await probeCollection(collection, chunks, signal);
    yield* chunks;
  }
}

interface ChunkPair {
  readonly expected: LedgerChunk | undefined;
  readonly actual: StoredChunk | undefined;
}

/** Full outer join of two streams in id order. */
async function* mergeById(
  expected: AsyncIterator<LedgerChunk>,
  actual: AsyncIterator<StoredChunk>,
): AsyncGenerator<ChunkPair> {
  let left = await expected.next();
  let right = await actual.next();
  while (!left.done || !right.done) {
    const order = left.done ? 1 : right.done ? -1 : compareText(left.value.chunkId, right.value.id);
    yield {
      expected: order <= 0 && !left.done ? left.value : undefined,
      actual: order >= 0 && !right.done ? right.value : undefined,
    };
    if (order <= 0) left = await expected.next();
    if (order >= 0) right = await actual.next();
  }
}
