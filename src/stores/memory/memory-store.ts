import { RAGError } from '../../core/errors.js';
import { ALL_FILTER_OPERATORS } from '../../core/filter.js';
import { assertSameSpec, assertSpec } from '../store-checks.js';
import type { CollectionSpec, StoreCapabilities, VectorCollection, VectorStore } from '../vector-store.js';
import { MemoryCollection } from './memory-collection.js';

const CAPABILITIES: StoreCapabilities = Object.freeze({
  filterOperators: ALL_FILTER_OPERATORS,
  lexical: 'bm25',
  maxTopK: 10_000,
  consistency: 'immediate',
  persistent: false,
  exactVectorSearch: true,
});

/**
 * A store in this process: exact cosine, exact BM25, filters by `matchesFilter`. For small or short-lived collections, and
 * the oracle that other stores are tested against. What it holds is gone with `close` or the process.
 */
export function createMemoryStore(): VectorStore {
  return new MemoryStore();
}

class MemoryStore implements VectorStore {
  readonly name = 'memory';
  readonly capabilities = CAPABILITIES;
  readonly #collections = new Map<string, MemoryCollection>();
  #closed = false;

  async open(spec: CollectionSpec): Promise<VectorCollection> {
    this.#begin();
    assertSpec(spec);
    const existing = this.#collections.get(spec.name);
    if (existing !== undefined) {
      assertSameSpec(existing.spec, spec);
      return existing;
    }
    const collection = new MemoryCollection(Object.freeze({ ...spec }), CAPABILITIES);
    this.#collections.set(spec.name, collection);
    return collection;
  }

  async describe(name: string): Promise<CollectionSpec | undefined> {
    this.#begin();
    return this.#collections.get(name)?.spec;
  }

  async drop(name: string): Promise<void> {
    this.#begin();
    this.#collections.get(name)?.close();
    this.#collections.delete(name);
  }

  async health(): Promise<{ ok: boolean; detail: string }> {
    if (this.#closed) return { ok: false, detail: 'closed' };
    return { ok: true, detail: `in memory, ${this.#collections.size} collections` };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const collection of this.#collections.values()) collection.close();
    this.#collections.clear();
  }

  #begin(): void {
    if (this.#closed)
      throw new RAGError('STORE_UNAVAILABLE', 'The memory store is closed; create a new one.');
  }
}
