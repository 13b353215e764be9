import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as lancedb from '@lancedb/lancedb';
import { analyzeQuery } from '../../src/core/analysis/lexical-analyzer.js';
import { EVERYTHING } from '../../src/core/filter.js';
import { LOCAL_SCOPE } from '../../src/core/scope.js';
import { createRetriever } from '../../src/retrieval/create-retriever.js';
import {
  DEFAULT_NEAR_DUPLICATE_THRESHOLD,
  DEFAULT_RETRIEVAL_SETTINGS,
} from '../../src/retrieval/default-settings.js';
import { createLanceDbStore } from '../../src/stores/lancedb/lancedb-store.js';
import { createLibsqlStore } from '../../src/stores/libsql/libsql-store.js';
import { scopeCollection } from '../../src/stores/scoped-collection.js';
import type { VectorCollection, VectorStore } from '../../src/stores/vector-store.js';
import { withLexicalIndex } from '../../src/stores/with-lexical-index.js';
import { CORPORA, corpusFolder, SHARED } from '../shared/places.js';
import { median, quantile, rounded, spread, timed } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import { chunkTexts } from './corpus-chunks.js';
import type { SpeedBenchmark, SpeedOptions, SpeedResult } from './result.js';
import { DIMENSIONS, recordOf, syntheticTexts, vectorGenerator } from './synthetic-chunks.js';

const SIZES = [1_000, 10_000, 100_000];
const SMALL_SIZES = [500, 1_000];
const PASSES = 4;
const RECORDS_PER_WRITE = 5_000;
/** Candidates that each lane of the engine asks for by default, and so the bare queries too. */
const CANDIDATES = DEFAULT_RETRIEVAL_SETTINGS.candidatesPerLane;
const TOP_K = 10;
const TARGET = 1.5;
const TARGET_P95_MS = 15;

/** Hybrid search over 1,000 to 100,000 chunks of 384 dimensions beside the two bare queries it is made of. */
export const search: SpeedBenchmark = {
  name: 'search',
  run: async (options) => {
    const texts = await chunkTexts(CORPORA.map(corpusFolder));
    const queries = await readQueries();
    const results: SpeedResult[] = [];
    for (const size of options.isSmall ? SMALL_SIZES : SIZES)
      results.push(await measureSize({ size, texts, queries }, options));
    return results;
  },
};

interface Query {
  readonly text: string;
  readonly vector: Float32Array;
}

/** Engineers' real questions over two of the corpora, each with a vector from the clusters of the chunks. */
async function readQueries(): Promise<Query[]> {
  const vector = vectorGenerator(3);
  const files = ['ise.jsonl', 'handbook.jsonl'].map((name) => `${SHARED}data/questions/${name}`);
  const lines = await Promise.all(
    files.map(async (file) => (await readFile(file, 'utf8')).trim().split('\n')),
  );
  return lines.flat().map((line) => {
    const { question } = JSON.parse(line) as { question: string };
    return { text: question, vector: vector() };
  });
}

interface Setting {
  readonly size: number;
  readonly texts: readonly string[];
  readonly queries: readonly Query[];
}

function measureSize(setting: Setting, { say }: SpeedOptions): Promise<SpeedResult> {
  return withTemporaryFolder(async (folder) => {
    const path = join(folder, 'store');
    const words = createLibsqlStore({ path: join(folder, 'words.db') });
    const store = withLexicalIndex(createLanceDbStore({ path }), words);
    const collection = await store.open({
      name: 'chunks-1',
      dimensions: DIMENSIONS,
      fingerprint: 'synthetic',
    });
    say(`search: writing ${setting.size} chunks`);
    const { ms } = await timed(() => fill(collection, setting));
    say(`search: asking ${setting.queries.length} questions ${PASSES} times`);
    const table = await (await lancedb.connect(path)).openTable('chunks-1');
    // The floor searches words by Lance's own index, which the store has none of.
    const ownIndex = lancedb.Index.fts({ baseTokenizer: 'whitespace', lowercase: false, stem: false });
    await table.createIndex('search_text', { config: ownIndex });
    const times = await measureQueries(setting.queries, { table, store, collection });
    const stats = await collection.stats();
    table.close();
    await store.close();
    return resultOf(setting.size, times, { writtenInSeconds: rounded(ms / 1000), index: stats.vectorIndex });
  });
}

async function fill(collection: VectorCollection, { size, texts }: Setting): Promise<void> {
  const vector = vectorGenerator(2);
  let batch = [];
  let index = 0;
  for (const text of syntheticTexts(texts, size)) {
    batch.push(recordOf(text, index++, vector()));
    if (batch.length < RECORDS_PER_WRITE && index < size) continue;
    await collection.upsert(batch);
    batch = [];
  }
  await collection.optimize();
}

interface Searched {
  readonly table: lancedb.Table;
  readonly store: VectorStore;
  readonly collection: VectorCollection;
}

type Times = Readonly<Record<'vector' | 'fullText' | 'vectorTop10' | 'fullTextTop10' | 'engine', number[]>>;

/** Every query is asked of the bare table and of the engine in turn, so that what else the machine does hits both. */
async function measureQueries(queries: readonly Query[], searched: Searched): Promise<Times> {
  const times: Times = { vector: [], fullText: [], vectorTop10: [], fullTextTop10: [], engine: [] };
  const vectorOf = new Map(queries.map(({ text, vector }) => [text, vector]));
  const ask = engineOver(searched, (text) => vectorOf.get(text) ?? new Float32Array(DIMENSIONS));
  for (let pass = 0; pass <= PASSES; pass++)
    for (const { text, vector } of queries) {
      const { terms } = analyzeQuery(text);
      const took = {
        vector: (await timed(() => bareVector(searched.table, vector, CANDIDATES))).ms,
        fullText: (await timed(() => bareFullText(searched.table, terms, CANDIDATES))).ms,
        vectorTop10: (await timed(() => bareVector(searched.table, vector, TOP_K))).ms,
        fullTextTop10: (await timed(() => bareFullText(searched.table, terms, TOP_K))).ms,
        engine: (await timed(() => ask(text))).ms,
      };
      // The first pass warms caches and the compiler.
      if (pass > 0)
        for (const key of ['vector', 'fullText', 'vectorTop10', 'fullTextTop10', 'engine'] as const)
          times[key].push(took[key]);
    }
  return times;
}

const bareVector = (table: lancedb.Table, vector: Float32Array, limit: number) =>
  table
    .vectorSearch(vector)
    .distanceType('cosine')
    .limit(limit)
    .select(['id', 'content', '_distance'])
    .toArray();

const bareFullText = (table: lancedb.Table, terms: readonly string[], limit: number) =>
  table
    .query()
    .fullTextSearch(new lancedb.MatchQuery(terms.join(' '), 'search_text'))
    .limit(limit)
    .select(['id', 'content', '_score'])
    .toArray();

/** The whole read path but for the embedding of the query, whose vector is given: scope, lanes, fusion, all later steps. */
function engineOver({ collection, store }: Searched, vectorOf: (text: string) => Float32Array) {
  const retriever = createRetriever({
    collection: scopeCollection(collection, LOCAL_SCOPE),
    capabilities: store.capabilities,
    embedQuery: (text) => Promise.resolve(vectorOf(text)),
    modelKey: 'builtin',
    settings: DEFAULT_RETRIEVAL_SETTINGS,
  });
  return (text: string) =>
    retriever.retrieve({
      text,
      mode: 'hybrid',
      topK: TOP_K,
      filter: EVERYTHING,
      minSimilarity: 0,
      nearDuplicateThreshold: DEFAULT_NEAR_DUPLICATE_THRESHOLD,
      rerank: false,
    });
}

function resultOf(size: number, times: Times, details: Record<string, unknown>): SpeedResult {
  const floor = Math.max(median(times.vector), median(times.fullText));
  const ours = median(times.engine);
  const p95 = quantile(times.engine, 0.95);
  const isLargest = size === SIZES.at(-1);
  const perPass = passes(times.engine).map(median);
  return {
    name: `search-${size}`,
    what: `hybrid search over ${size} chunks of ${DIMENSIONS} dimensions, query vector given, p50; floor: the slower of bare LanceDB vector and full-text queries for the same ${CANDIDATES} candidates`,
    unit: 'ms',
    floor,
    ours,
    ratio: ours / floor,
    target: `<= ${TARGET}${isLargest ? `, p95 < ${TARGET_P95_MS} ms` : ''}`,
    met: ours / floor <= TARGET && (!isLargest || p95 < TARGET_P95_MS),
    runs: times.engine.length,
    noise: `p50 of passes ${spread(perPass)} ms`,
    details: {
      p95Ms: rounded(p95),
      bare: Object.fromEntries(
        Object.entries(times).map(([name, values]) => [
          name,
          { p50Ms: rounded(median(values)), p95Ms: rounded(quantile(values, 0.95)) },
        ]),
      ),
      ...details,
    },
  };
}

function passes(times: readonly number[]): number[][] {
  const length = times.length / PASSES;
  return Array.from({ length: PASSES }, (_, pass) => times.slice(pass * length, (pass + 1) * length));
}
