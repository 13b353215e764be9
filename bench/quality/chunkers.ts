import { readFile } from 'node:fs/promises';
import { indexedTextOf } from '../../src/analysis/indexed-text.js';
import { analyzeText } from '../../src/analysis/lexical-analyzer.js';
import type { ChunkingOptions } from '../../src/chunking/chunker.js';
import { createChunker } from '../../src/chunking/create-chunker.js';
import { resolveChunking } from '../../src/config/resolve-chunking.js';
import type { ChunkSpan } from '../../src/core/chunk.js';
import { EVERYTHING } from '../../src/core/filter.js';
import { LOCAL_SCOPE, OPEN_ACCESS } from '../../src/core/scope.js';
import { embedAll } from '../../src/embedding/embed-all.js';
import type { Embedder } from '../../src/embedding/embedder.js';
import { createStaticEmbedder, loadBuiltinTokenizer } from '../../src/embedding/static/static-embedder.js';
import { readChunkingDataset } from '../../src/evaluation/chunking/chunking-dataset.js';
import { parseCsv } from '../../src/evaluation/chunking/csv.js';
import { type ChunkingReport, evaluateChunking } from '../../src/evaluation/chunking/evaluate-chunking.js';
import { createMarkdownParser } from '../../src/parsing/markdown/markdown-parser.js';
import { createRetriever } from '../../src/retrieval/create-retriever.js';
import { DEFAULT_RETRIEVAL_SETTINGS } from '../../src/retrieval/default-settings.js';
import { createMemoryStore } from '../../src/stores/memory/memory-store.js';
import { SHARED } from '../shared/places.js';

const FOLDER = `${SHARED}data/chunking`;
const PUBLISHED = `${FOLDER}/reference-results/chroma-notebook-text-embedding-3-large-k5.csv`;
const K = 5;

/** Scores of one way to cut, of ours or as published. */
export interface ChunkerRow {
  readonly chunker: string;
  readonly origin: 'ragstone' | 'published';
  readonly chunks?: number;
  readonly recall: number;
  readonly precision: number;
  readonly precisionOmega: number;
  readonly iou: number;
}

type Sizes = Pick<ChunkingOptions, 'strategy'> & Partial<Pick<ChunkingOptions, 'maxSize' | 'overlap'>>;

/** The shipped sizes, and those that the published table has for the same strategies. */
const SETTINGS: readonly Sizes[] = (['semantic', 'recursive', 'fixed'] as const).flatMap((strategy) => [
  { strategy },
  { strategy, maxSize: 200, overlap: 0 },
  { strategy, maxSize: 400, overlap: 0 },
]);

/** Every strategy on the five published corpora, retrieved by the built-in hybrid from all corpora together. */
export async function measureChunkers(say: (text: string) => void): Promise<ChunkerRow[]> {
  const embedder = await createStaticEmbedder();
  const rows: ChunkerRow[] = [];
  for (const settings of SETTINGS) {
    const chunking = resolveChunking({ unit: 'tokens', ...settings });
    const { strategy, maxSize, overlap } = chunking;
    say(`chunkers: ${strategy} ${maxSize}/${overlap}`);
    const report = await measure(chunking, embedder);
    rows.push({
      chunker: `${strategy}, ${maxSize} tokens, overlap ${overlap}`,
      origin: 'ragstone',
      chunks: report.chunks,
      recall: report.recall.mean,
      precision: report.precision.mean,
      precisionOmega: report.precisionOmega.mean,
      iou: report.iou.mean,
    });
  }
  return [...rows, ...(await publishedRows())];
}

async function measure(chunking: ChunkingOptions, embedder: Embedder): Promise<ChunkingReport> {
  const { corpora, questions } = await readChunkingDataset(FOLDER);
  const tokenizer = await loadBuiltinTokenizer();
  const chunker = createChunker(chunking, (text) => tokenizer.countTokens(text));
  const parser = createMarkdownParser();
  return evaluateChunking({
    corpora,
    questions,
    k: K,
    chunk: ({ id, text }) =>
      chunker.chunk(
        parser.parse({
          externalId: id,
          mediaType: 'text/markdown',
          content: text,
          metadata: {},
          access: OPEN_ACCESS,
        }),
      ),
    retrieve: (chunks) => {
      const retriever = indexChunks(chunks, embedder);
      return async (question) => (await retriever)(question);
    },
  });
}

async function indexChunks(
  chunks: readonly ChunkSpan[],
  embedder: Embedder,
): Promise<(question: string) => Promise<number[]>> {
  const store = createMemoryStore();
  const collection = await store.open({
    name: 'chunks',
    dimensions: embedder.dimensions,
    fingerprint: 'chunking',
  });
  const texts = chunks.map((chunk) => indexedTextOf(chunk));
  const { vectors } = await embedAll(embedder, texts, 'document');
  await collection.upsert(
    chunks.map((chunk, position) => ({
      id: String(position),
      documentId: String(position),
      tenant: LOCAL_SCOPE.tenant,
      source: 'chunking',
      access: OPEN_ACCESS,
      content: chunk.content,
      searchText: analyzeText(texts[position] ?? '').join(' '),
      identifiers: [],
      vector: vectors[position] ?? new Float32Array(embedder.dimensions),
      metadata: {},
    })),
  );
  const retriever = createRetriever({
    collection,
    capabilities: store.capabilities,
    embedQuery: async (text) => (await embedAll(embedder, [text], 'query')).vectors[0] ?? new Float32Array(0),
    modelKey: embedder.identity.model,
    settings: DEFAULT_RETRIEVAL_SETTINGS,
  });
  return async (question) => {
    const { candidates } = await retriever.retrieve({
      text: question,
      mode: 'hybrid',
      topK: K,
      filter: EVERYTHING,
      minSimilarity: 0,
      rerank: false,
    });
    return candidates.map(({ chunk }) => Number(chunk.id));
  };
}

async function publishedRows(): Promise<ChunkerRow[]> {
  const [header = [], ...records] = parseCsv(await readFile(PUBLISHED, 'utf8'));
  const columnOf = (record: readonly string[], name: string) => Number(record[header.indexOf(name)]);
  return records.map((record) => ({
    chunker: record[0] ?? '',
    origin: 'published',
    recall: columnOf(record, 'recall_mean'),
    precision: columnOf(record, 'precision_mean'),
    precisionOmega: columnOf(record, 'precision_omega_mean'),
    iou: columnOf(record, 'iou_mean'),
  }));
}
