/**
 * Step 1 of training: runs queries through the lanes and the fusion of the engine and writes what the reranker would be
 * given, as features, with labels. `train.py` reads it; `tools/rerank/README.md` has the commands.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { profileOf } from '../../src/core/analysis/query-profile.js';
import { EVERYTHING, not, oneOf } from '../../src/core/filter.js';
import { createStaticEmbedder } from '../../src/embedding/static/static-embedder.js';
import { loadWordRarity } from '../../src/embedding/static/word-rarity.js';
import { createTransformersEmbedder } from '../../src/embedding/transformers/transformers-embedder.js';
import { seededRandom } from '../../src/evaluation/random.js';
import { extractFeatures, FEATURES } from '../../src/reranking/builtin/features.js';
import { DEFAULT_RETRIEVAL_SETTINGS } from '../../src/retrieval/default-settings.js';
import { fuseLanes } from '../../src/retrieval/fusion/fuse.js';
import { prepareQuery } from '../../src/retrieval/prepared-query.js';
import { chunkReader } from '../../src/retrieval/read-chunks.js';
import { toRerankCandidate } from '../../src/retrieval/rerank/rerank.js';
import type { RetrievalMode } from '../../src/retrieval/retriever.js';
import { runLanes } from '../../src/retrieval/run-lanes.js';
import { createMemoryStore } from '../../src/stores/memory/memory-store.js';
import type { JudgedCollection } from '../calibrate/judged-collection.js';
import {
  indexedTextOfDocument,
  queryEmbedderFor,
  recordsOf,
  vectorsOf,
} from '../calibrate/model-under-test.js';
import { devCollections, trainCollections } from './collections.js';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    pairs: { type: 'string' },
    code: { type: 'string' },
    embedder: { type: 'string', default: 'builtin' },
    only: { type: 'string', default: '' },
    queries: { type: 'string', default: '150' },
    'seen-noise': { type: 'string', default: '1.6' },
    cache: { type: 'string', default: '.cache/calibration' },
    out: { type: 'string' },
  },
});

/** One run of a query: what its rows of features are about. */
interface Group {
  readonly collection: string;
  readonly query: number;
  readonly mode: RetrievalMode;
  /** The answer was hidden from the search, for probabilities must be low where there is nothing to find. */
  readonly isHidden: boolean;
  readonly isDev: boolean;
  readonly rows: number;
  /** Relevant documents of the query, in the pool or not. */
  readonly relevant: number;
}

const groups: Group[] = [];
const features: Float32Array[] = [];
const labels: Uint8Array[] = [];
const rarityOf = await loadWordRarity();
const embedder =
  options.embedder === 'builtin'
    ? await createStaticEmbedder()
    : await createTransformersEmbedder({ model: options.embedder, threads: 2 });

/** Mostly hybrid; some queries also with one lane alone, and some with the answer hidden. */
const runsOf = (i: number): { mode: RetrievalMode; isHidden: boolean }[] => [
  { mode: 'hybrid', isHidden: false },
  ...(i % 5 === 1 ? [{ mode: 'hybrid', isHidden: true } as const] : []),
  ...(i % 5 === 2 ? [{ mode: 'lexical', isHidden: false } as const] : []),
  ...(i % 5 === 3 ? [{ mode: 'dense', isHidden: false } as const] : []),
];

/**
 * The built-in model was trained on the pairs of these Jira projects, so there its vectors are better than on anything a user
 * has, and trees would learn to trust them too much. A random direction added to the query's makes them as unreliable as
 * they are on projects that the model never saw.
 */
function withNoise(vector: Float32Array, seed: number): Float32Array {
  const random = seededRandom(seed);
  const noise = Float64Array.from(vector, () => random() + random() + random() + random() - 2);
  const amount = Number(options['seen-noise']) / Math.hypot(...noise);
  const mixed = vector.map((value, i) => value + amount * (noise[i] ?? 0));
  const length = Math.hypot(...mixed);
  return mixed.map((value) => value / length);
}

/** Of kinds with many collections a part of the queries will do. */
const isSmall = ({ name }: JudgedCollection): boolean => !/^(?:scifact|code stdlib)/.test(name);

const isSeen = ({ name }: JudgedCollection): boolean => name.startsWith('jira');

async function exportCollection(collection: JudgedCollection, isDev: boolean): Promise<void> {
  const store = createMemoryStore();
  const records = await store.open({ name: 'c', dimensions: embedder.dimensions, fingerprint: 'training' });
  const documents = await recordsOf(collection, { embedder, cacheDir: options.cache });
  await records.upsert(
    documents.map((document, i) => {
      const { title } = document.metadata;
      // Users' chunks have titles, headings or both, and both are read alike.
      const metadata = title === '' ? {} : i % 2 === 0 ? { title } : { headingPath: [title] };
      return { ...document, metadata };
    }),
  );
  const limit = isSmall(collection) ? Number(options.queries) : 900;
  const step = Math.max(1, Math.floor(collection.queries.length / limit));
  const chosen = collection.queries.filter((_, i) => i % step === 0).slice(0, limit);
  const reader = await queryEmbedderFor(embedder, collection.documents.map(indexedTextOfDocument));
  const vectors = await vectorsOf(
    reader,
    chosen.map(({ text }) => text),
    { kind: 'query', cacheDir: options.cache },
  );
  for (const [i, { text, relevant }] of chosen.entries())
    for (const { mode, isHidden } of runsOf(i)) {
      const query = prepareQuery(text);
      const outcomes = await runLanes({
        collection: records,
        capabilities: store.capabilities,
        embedQuery: async () => {
          const vector = vectors[i] ?? new Float32Array(embedder.dimensions);
          return !isDev && isSeen(collection) ? withNoise(vector, i) : vector;
        },
        query,
        mode,
        filter: isHidden ? not(oneOf('$chunkId', [...relevant])) : EVERYTHING,
        limit: DEFAULT_RETRIEVAL_SETTINGS.candidatesPerLane,
        deadlineMs: 60_000,
        includeVectors: false,
      });
      const fused = fuseLanes(outcomes, {
        ...DEFAULT_RETRIEVAL_SETTINGS.fusion,
        modelKey: embedder.identity.model,
      });
      const read = chunkReader(records, { includeVectors: false, signal: undefined });
      const pool = await read(fused.slice(0, DEFAULT_RETRIEVAL_SETTINGS.rerank.maxCandidates));
      const matrix = extractFeatures(
        profileOf(query.text, rarityOf),
        pool.map((candidate) => toRerankCandidate(candidate)),
      );
      features.push(matrix.values);
      labels.push(Uint8Array.from(pool, ({ chunk }) => (relevant.has(chunk.id) ? 1 : 0)));
      groups.push({
        collection: collection.name,
        query: i,
        mode,
        isHidden,
        isDev,
        rows: pool.length,
        relevant: relevant.size,
      });
    }
  await store.close();
  console.error(collection.name, collection.documents.length, chosen.length);
}

if (options.out === undefined) throw new Error('Name the folder to write to: --out FOLDER');
const wanted = ({ name }: JudgedCollection): boolean => name.includes(options.only);
for (const collection of (
  await trainCollections({ ...options, pairs: options.pairs, code: options.code })
).filter(wanted))
  await exportCollection(collection, false);
for (const collection of (
  await devCollections({ ...options, pairs: options.pairs, code: options.code })
).filter(wanted))
  await exportCollection(collection, true);

await mkdir(options.out, { recursive: true });
const bytesOf = (parts: readonly Uint8Array[]): Buffer => Buffer.concat(parts);
await writeFile(
  path.join(options.out, 'features.f32'),
  bytesOf(
    features.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  ),
);
await writeFile(path.join(options.out, 'labels.u8'), bytesOf(labels));
await writeFile(
  path.join(options.out, 'groups.json'),
  JSON.stringify({ features: FEATURES, embedder: embedder.identity.model, groups }),
);
await embedder.close();
