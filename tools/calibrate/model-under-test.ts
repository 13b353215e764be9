import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { extractIdentifiers } from '../../src/core/analysis/identifiers.js';
import { indexedTextOf } from '../../src/core/analysis/indexed-text.js';
import { analyzeText } from '../../src/core/analysis/lexical-analyzer.js';
import { contentHash } from '../../src/core/ids.js';
import type { Embedder, EmbeddingKind } from '../../src/embedding/embedder.js';
import { fingerprintOf } from '../../src/embedding/embedder.js';
import { ADAPTATION_SAMPLE } from '../../src/resources/adaptation-sample.js';
import type { JudgedCollection } from './judged-collection.js';

/** The embedder that reads queries over these texts as the engine would after indexing them. */
export async function queryEmbedderFor(embedder: Embedder, texts: readonly string[]): Promise<Embedder> {
  const { adaptation } = embedder;
  if (adaptation === undefined) return embedder;
  const hashed = texts.map((text) => ({ text, hash: contentHash(text) }));
  const sample = hashed.sort((a, b) => (a.hash < b.hash ? -1 : 1)).slice(0, ADAPTATION_SAMPLE);
  return adaptation.apply(await adaptation.learn(sample.map(({ text }) => text)));
}

/** The documents of a collection as an index would hold them, each one chunk. */
export async function recordsOf(
  { documents }: JudgedCollection,
  { embedder, cacheDir }: { readonly embedder: Embedder; readonly cacheDir: string },
) {
  const texts = documents.map(indexedTextOfDocument);
  const vectors = await vectorsOf(embedder, texts, { kind: 'document', cacheDir });
  return documents.map(({ id, title, text }, i) => ({
    id,
    documentId: id,
    tenant: 'default',
    source: 'judged',
    access: { groups: ['*'], level: 0 },
    content: text,
    searchText: analyzeText(texts[i] ?? '').join(' '),
    identifiers: extractIdentifiers(texts[i] ?? ''),
    vector: vectors[i] ?? new Float32Array(embedder.dimensions),
    metadata: { title },
  }));
}

export const indexedTextOfDocument = ({ title, text }: JudgedCollection['documents'][number]): string =>
  indexedTextOf({ title, headingPath: [], content: text });

/** Vectors of texts, kept in `cacheDir` between runs where the model is slow. */
export async function vectorsOf(
  embedder: Embedder,
  texts: readonly string[],
  { kind, cacheDir }: { readonly kind: EmbeddingKind; readonly cacheDir: string },
): Promise<Float32Array[]> {
  if (embedder.isCheap) return embedInOrder(embedder, texts, kind);
  const key = contentHash(JSON.stringify([fingerprintOf(embedder.identity), kind, texts]));
  const file = path.join(cacheDir, `${key}.f32`);
  const cached = await readFile(file).catch(() => undefined);
  const flat =
    cached === undefined
      ? await embedAndKeep(embedder, texts, { kind, file })
      : new Float32Array(cached.buffer, cached.byteOffset, cached.byteLength / 4);
  const { dimensions } = embedder;
  return texts.map((_, i) => flat.subarray(i * dimensions, (i + 1) * dimensions));
}

async function embedAndKeep(
  embedder: Embedder,
  texts: readonly string[],
  { kind, file }: { readonly kind: EmbeddingKind; readonly file: string },
): Promise<Float32Array> {
  // Sorted by length: a batch costs as much as its longest text.
  const order = texts.map((_, i) => i).sort((a, b) => (texts[a]?.length ?? 0) - (texts[b]?.length ?? 0));
  const vectors = await embedInOrder(
    embedder,
    order.map((i) => texts[i] ?? ''),
    kind,
  );
  const flat = new Float32Array(texts.length * embedder.dimensions);
  order.forEach((position, i) => {
    flat.set(vectors[i] ?? [], position * embedder.dimensions);
  });
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, new Uint8Array(flat.buffer));
  return flat;
}

async function embedInOrder(
  embedder: Embedder,
  texts: readonly string[],
  kind: EmbeddingKind,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  const batch = Math.min(embedder.maxBatch, 256);
  for (let i = 0; i < texts.length; i += batch)
    vectors.push(...(await embedder.doEmbed(texts.slice(i, i + batch), kind)));
  return vectors;
}
