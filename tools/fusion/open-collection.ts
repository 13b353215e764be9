import type { Embedder } from '../../src/embedding/embedder.js';
import { createMemoryStore } from '../../src/stores/memory/memory-store.js';
import type { VectorCollection, VectorStore } from '../../src/stores/vector-store.js';
import {
  indexedTextOfDocument,
  queryEmbedderFor,
  recordsOf,
  vectorsOf,
} from '../calibrate/model-under-test.js';
import type { FusionCollection } from './collections.js';

const QUERIES = 300;

export interface OpenOptions {
  readonly embedder: Embedder;
  readonly cacheDir: string;
}

export interface OpenedCollection {
  readonly name: string;
  readonly store: VectorStore;
  readonly collection: VectorCollection;
  readonly queries: readonly (FusionCollection['queries'][number] & { readonly vector: Float32Array })[];
}

/** Indexes a collection in memory and embeds its queries as the engine would: SciFact's all, of others an even sample. */
export async function openCollection(
  source: FusionCollection,
  options: OpenOptions,
): Promise<OpenedCollection> {
  const { name, documents, queries } = source;
  const { embedder, cacheDir } = options;
  const store = createMemoryStore();
  const { dimensions } = embedder;
  const collection = await store.open({ name: 'c', dimensions, fingerprint: 'fusion' });
  await collection.upsert(await recordsOf(source, options));
  const limit = name.startsWith('scifact') ? queries.length : QUERIES;
  const step = Math.max(1, Math.floor(queries.length / limit));
  const chosen = queries.filter((_, i) => i % step === 0).slice(0, limit);
  const asked = await vectorsOf(
    await queryEmbedderFor(embedder, documents.map(indexedTextOfDocument)),
    chosen.map(({ text }) => text),
    { kind: 'query', cacheDir },
  );
  const withVectors = chosen.map((query, i) => ({
    ...query,
    vector: asked[i] ?? new Float32Array(dimensions),
  }));
  return { name, store, collection, queries: withVectors };
}
