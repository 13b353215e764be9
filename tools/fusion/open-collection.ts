import { extractIdentifiers } from '../../src/core/analysis/identifiers.js';
import { indexedTextOf } from '../../src/core/analysis/indexed-text.js';
import { analyzeText } from '../../src/core/analysis/lexical-analyzer.js';
import type { Embedder } from '../../src/embedding/embedder.js';
import { createMemoryStore } from '../../src/stores/memory/memory-store.js';
import type { VectorCollection, VectorStore } from '../../src/stores/vector-store.js';
import { queryEmbedderFor, vectorsOf } from '../calibrate/model-under-test.js';
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
  { name, documents, queries }: FusionCollection,
  { embedder, cacheDir }: OpenOptions,
): Promise<OpenedCollection> {
  const store = createMemoryStore();
  const { dimensions } = embedder;
  const collection = await store.open({ name: 'c', dimensions, fingerprint: 'fusion' });
  const texts = documents.map(({ title, text }) => indexedTextOf({ title, headingPath: [], content: text }));
  const vectors = await vectorsOf(embedder, texts, { kind: 'document', cacheDir });
  await collection.upsert(
    documents.map(({ id, title, text }, i) => ({
      id,
      documentId: id,
      tenant: 'default',
      source: 'fusion',
      access: { groups: ['*'], level: 0 },
      content: text,
      searchText: analyzeText(texts[i] ?? '').join(' '),
      identifiers: extractIdentifiers(texts[i] ?? ''),
      vector: vectors[i] ?? new Float32Array(dimensions),
      metadata: { title },
    })),
  );
  const limit = name.startsWith('scifact') ? queries.length : QUERIES;
  const step = Math.max(1, Math.floor(queries.length / limit));
  const chosen = queries.filter((_, i) => i % step === 0).slice(0, limit);
  const asked = await vectorsOf(
    await queryEmbedderFor(embedder, texts),
    chosen.map(({ text }) => text),
    { kind: 'query', cacheDir },
  );
  const withVectors = chosen.map((query, i) => ({
    ...query,
    vector: asked[i] ?? new Float32Array(dimensions),
  }));
  return { name, store, collection, queries: withVectors };
}
