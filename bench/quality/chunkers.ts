import { readFile } from 'node:fs/promises';
import type { ChunkingOptions, ChunkingStrategy } from '../../src/chunking/chunker.js';
import { createChunker } from '../../src/chunking/create-chunker.js';
import { resolveChunking } from '../../src/config/resolve-chunking.js';
import type { ChunkSpan } from '../../src/core/chunk.js';
import { offsetsOf } from '../../src/core/chunk-metadata.js';
import { EVERYTHING } from '../../src/core/filter.js';
import { LOCAL_SCOPE, OPEN_ACCESS } from '../../src/core/scope.js';
import { embedAll } from '../../src/embedding/embed-all.js';
import type { Embedder } from '../../src/embedding/embedder.js';
import { createStaticEmbedder, loadBuiltinTokenizer } from '../../src/embedding/static/static-embedder.js';
import { createTransformersEmbedder } from '../../src/embedding/transformers/transformers-embedder.js';
import { createMarkdownParser } from '../../src/parsing/markdown/markdown-parser.js';
import { analyzeForIndex } from '../../src/resources/chunk-terms.js';
import { createRetriever } from '../../src/retrieval/create-retriever.js';
import { DEFAULT_RETRIEVAL_SETTINGS } from '../../src/retrieval/default-settings.js';
import { chunksFor, joinAdjacent } from '../../src/retrieval/refining/join-adjacent.js';
import { createMemoryStore } from '../../src/stores/memory/memory-store.js';
import { readChunkingDataset } from '../chunking/chunking-dataset.js';
import type { CorpusRange } from '../chunking/chunking-metrics.js';
import { type ChunkingReport, evaluateChunking } from '../chunking/evaluate-chunking.js';
import { parseCsv } from '../shared/data-files.js';
import { MINILM, SHARED } from '../shared/places.js';

const FOLDER = `${SHARED}data/chunking`;
const PUBLISHED = `${FOLDER}/reference-results/chroma-notebook-text-embedding-3-large-k5.csv`;
const K = 5;

/** Scores of one way to cut, of ours or as published. */
export interface ChunkerRow {
  readonly chunker: string;
  readonly origin: 'ragstone' | 'published';
  readonly embedder: 'builtin' | 'MiniLM' | 'text-embedding-3-large';
  readonly chunks?: number;
  readonly recall: number;
  readonly precision: number;
  readonly precisionOmega: number;
  readonly iou: number;
}

export interface ChunkerMeasurement {
  /** With MiniLM too, at the shipped sizes. */
  readonly minilm: boolean;
  readonly say: (text: string) => void;
}

type Sizes = { readonly strategy: ChunkingStrategy } & Partial<Pick<ChunkingOptions, 'maxSize' | 'overlap'>>;

const SHIPPED: readonly Sizes[] = (['semantic', 'adaptive', 'recursive', 'fixed'] as const).map(
  (strategy) => ({ strategy }),
);

/** Those that the published table has for the same strategies. */
const PUBLISHED_SIZES: readonly Sizes[] = (['semantic', 'recursive', 'fixed'] as const).flatMap(
  (strategy) => [
    { strategy, maxSize: 200, overlap: 0 },
    { strategy, maxSize: 400, overlap: 0 },
  ],
);

/** Threads of MiniLM. */
const THREADS = 2;

/** Every strategy on the five published corpora, retrieved by our hybrid from all corpora together. */
export async function measureChunkers({ minilm, say }: ChunkerMeasurement): Promise<ChunkerRow[]> {
  const rows: ChunkerRow[] = [];
  const builtin = await createStaticEmbedder();
  for (const sizes of [...SHIPPED, ...PUBLISHED_SIZES])
    rows.push(await rowOf(sizes, { name: 'builtin', embedder: builtin, say }));
  if (minilm) {
    const embedder = await createTransformersEmbedder({ model: MINILM, threads: THREADS });
    for (const sizes of SHIPPED) rows.push(await rowOf(sizes, { name: 'MiniLM', embedder, say }));
  }
  return [...rows, ...(await publishedRows())];
}

async function rowOf(
  sizes: Sizes,
  {
    name,
    embedder,
    say,
  }: Pick<ChunkerMeasurement, 'say'> & { name: ChunkerRow['embedder']; embedder: Embedder },
): Promise<ChunkerRow> {
  const chunking = resolveChunking({ unit: 'tokens', ...sizes });
  const { strategy, maxSize, overlap } = chunking;
  say(`chunkers: ${strategy} ${maxSize}/${overlap}, ${name}`);
  const report = await measure(chunking, embedder);
  return {
    chunker: `${strategy}, ${maxSize} tokens${strategy === 'adaptive' ? '' : `, overlap ${overlap}`}`,
    origin: 'ragstone',
    embedder: name,
    chunks: report.chunks,
    recall: report.recall.mean,
    precision: report.precision.mean,
    precisionOmega: report.precisionOmega.mean,
    iou: report.iou.mean,
  };
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
      const search = indexChunks(chunks, embedder, chunking.strategy === 'adaptive' ? chunksFor(K) : K);
      return async (question) => (await search)(question);
    },
  });
}

/** What the engine does with chunks and a question; small chunks that follow each other are found as one passage. */
async function indexChunks(
  chunks: readonly (ChunkSpan & CorpusRange)[],
  embedder: Embedder,
  topK: number,
): Promise<(question: string) => Promise<CorpusRange[]>> {
  const store = createMemoryStore();
  const collection = await store.open({
    name: 'chunks',
    dimensions: embedder.dimensions,
    fingerprint: 'chunking',
  });
  const terms = chunks.map((chunk) => analyzeForIndex(chunk, undefined));
  const texts = terms.map(({ indexedText }) => indexedText);
  const { vectors } = await embedAll(embedder, texts, 'document');
  await collection.upsert(
    chunks.map(({ corpus, content, start, end, metadata }, position) => ({
      id: String(position),
      documentId: corpus,
      tenant: LOCAL_SCOPE.tenant,
      source: 'chunking',
      access: OPEN_ACCESS,
      content,
      searchText: terms[position]?.searchText ?? '',
      identifiers: terms[position]?.identifiers ?? [],
      vector: vectors[position] ?? new Float32Array(embedder.dimensions),
      metadata: { ...metadata, offsets: { start, end } },
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
      topK,
      filter: EVERYTHING,
      minSimilarity: 0,
      rerank: false,
    });
    return joinAdjacent(candidates, K).flatMap(({ chunk }) => {
      const offsets = offsetsOf(chunk);
      return offsets === undefined ? [] : [{ corpus: chunk.documentId, ...offsets }];
    });
  };
}

async function publishedRows(): Promise<ChunkerRow[]> {
  const [header = [], ...records] = parseCsv(await readFile(PUBLISHED, 'utf8'));
  const columnOf = (record: readonly string[], name: string) => Number(record[header.indexOf(name)]);
  return records.map((record) => ({
    chunker: record[0] ?? '',
    origin: 'published',
    embedder: 'text-embedding-3-large',
    recall: columnOf(record, 'recall_mean'),
    precision: columnOf(record, 'precision_mean'),
    precisionOmega: columnOf(record, 'precision_omega_mean'),
    iou: columnOf(record, 'iou_mean'),
  }));
}
