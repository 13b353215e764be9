import { isDeepStrictEqual } from 'node:util';
import type { ChunkRecord, StoredChunk } from '../../core/chunk.js';
import { compareText, EVERYTHING, matchesFilter, oneOf } from '../../core/filter.js';
import { collectionOf, membersOf } from '../../stores/collection-members.js';
import { listAll } from '../../stores/list-pages.js';
import { fieldLookup, storedChunkOf } from '../../stores/record-fields.js';
import type { StoreCapabilities, VectorCollection, VectorStore } from '../../stores/vector-store.js';

/** Time between two looks at a store that is eventually consistent, in milliseconds. */
const POLL_MS = 20;

interface Followed {
  readonly collection: VectorCollection;
  /** What it must hold once every finished write is seen, by chunk id. */
  readonly chunks: Map<string, StoredChunk>;
  readonly firstVector: Float32Array;
}

/**
 * Knows what was written through the collections it follows, so that a test of an eventually consistent store waits until
 * that can be read, and no longer. A store that is consistent at once is not wrapped: for it a finished write must be seen
 * by the very next read.
 */
export class WriteTracker {
  readonly #deadlineMs: number;
  readonly #maxTopK: number;
  #followed: Followed[] = [];

  constructor({ consistency, maxTopK }: StoreCapabilities) {
    this.#deadlineMs = consistency === 'immediate' ? 0 : consistency.eventualMs;
    this.#maxTopK = maxTopK;
  }

  /** The store, its dropped collections no longer waited for. */
  followStore(store: VectorStore): VectorStore {
    if (this.#deadlineMs === 0) return store;
    return {
      name: store.name,
      capabilities: store.capabilities,
      open: (spec) => store.open(spec),
      describe: (name) => store.describe(name),
      drop: async (name) => {
        this.#followed = this.#followed.filter(({ collection: { spec } }) => spec.name !== name);
        await store.drop(name);
      },
      health: () => store.health(),
      close: () => store.close(),
    };
  }

  /** The collection, its finished writes taken down where they are seen only later. */
  follow(collection: VectorCollection): VectorCollection {
    if (this.#deadlineMs === 0) return collection;
    const known = this.#followed.find(({ collection: { spec } }) => spec.name === collection.spec.name);
    const chunks = known?.chunks ?? new Map<string, StoredChunk>();
    if (known === undefined) {
      const firstVector = new Float32Array(collection.spec.dimensions);
      firstVector[0] = 1;
      this.#followed.push({ collection, chunks, firstVector });
    }
    return recording(collection, chunks);
  }

  /** Polls until every collection reads as written, at most for the declared delay. A test then fails by itself. */
  async settle(): Promise<void> {
    for (const deadline = Date.now() + this.#deadlineMs; Date.now() < deadline; ) {
      const seen = await Promise.all(this.#followed.map((followed) => this.#isSeen(followed)));
      if (seen.every(Boolean)) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async #isSeen({ collection, chunks, firstVector }: Followed): Promise<boolean> {
    const expected = [...chunks.values()].sort((a, b) => compareText(a.id, b.id));
    const listed = await listAll(collection, { filter: EVERYTHING, signal: undefined });
    if (!isDeepStrictEqual(listed, expected)) return false;
    // A service may list a chunk before its vector can be searched.
    const topK = Math.min(this.#maxTopK, Math.max(1, expected.length + 1));
    // Of all tenants by name: what asks for everything may be read from elsewhere than from the index of searches.
    const filter = oneOf('$tenant', [...new Set(expected.map(({ tenant }) => tenant)), 'nobody']);
    const hits = await collection.searchVector({ vector: firstVector, topK, filter });
    return (
      hits.length === Math.min(topK, expected.length) &&
      hits.every(({ chunk }) => isDeepStrictEqual(chunk, chunks.get(chunk.id)))
    );
  }
}

function recording(collection: VectorCollection, chunks: Map<string, StoredChunk>): VectorCollection {
  return collectionOf({
    ...membersOf(collection),
    upsert: async (records, signal) => {
      const written = structuredClone<readonly ChunkRecord[]>(records);
      await collection.upsert(records, signal);
      for (const record of written) chunks.set(record.id, storedChunkOf(record));
    },
    delete: async (filter, signal) => {
      const deleted = await collection.delete(filter, signal);
      for (const chunk of [...chunks.values()])
        if (matchesFilter(filter, fieldLookup(chunk))) chunks.delete(chunk.id);
      return deleted;
    },
  });
}
