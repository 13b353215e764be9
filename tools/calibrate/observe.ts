import { and, EVERYTHING, not, oneOf } from '../../src/core/filter.js';
import type { Embedder } from '../../src/embedding/embedder.js';
import type { Reranker } from '../../src/reranking/reranker.js';
import type { Evidence } from '../../src/retrieval/calibration/calibration.js';
import {
  type FeatureContext,
  featureContextOf,
} from '../../src/retrieval/calibration/calibration-features.js';
import type { CalibratedStage } from '../../src/retrieval/calibration/calibration-model.js';
import type { Candidate, FoundCandidate } from '../../src/retrieval/candidate.js';
import { DEFAULT_RETRIEVAL_SETTINGS } from '../../src/retrieval/default-settings.js';
import { fuseLanes } from '../../src/retrieval/fusion/fuse.js';
import { prepareQuery } from '../../src/retrieval/prepared-query.js';
import { chunkReader } from '../../src/retrieval/read-chunks.js';
import { rerankCandidates } from '../../src/retrieval/rerank/rerank.js';
import { runLanes } from '../../src/retrieval/run-lanes.js';
import { createMemoryStore } from '../../src/stores/memory/memory-store.js';
import type { JudgedCollection } from './judged-collection.js';
import { indexedTextOfDocument, queryEmbedderFor, recordsOf, vectorsOf } from './model-under-test.js';

/** What a person is shown at most without asking for more. */
const SHOWN = 10;

/** Far more than a reranking takes. */
const PATIENCE_MS = 60_000;

/** Of more queries than this an even sample. */
const MAX_QUERIES = 810;

/** Every so many queries the answer is hidden, for a score must also be low where there is nothing to find. */
const HIDDEN_EVERY = 5;

/** The first candidates of a query, uncalibrated, and which of them are relevant. */
export interface ObservedList {
  readonly candidates: readonly Candidate[];
  readonly isRelevant: readonly boolean[];
  readonly context: FeatureContext;
}

/** What is shown for a query without reranking, and with it. */
export type Observation = Readonly<Record<CalibratedStage, ObservedList>>;

export interface ObserveOptions {
  readonly embedder: Embedder;
  readonly cacheDir: string;
  readonly evidence: Evidence;
  readonly reranker: Reranker;
}

/** Runs every query of a collection through lanes, fusion and reranker. */
export async function observe(collection: JudgedCollection, options: ObserveOptions): Promise<Observation[]> {
  const { embedder, cacheDir, evidence, reranker } = options;
  const store = createMemoryStore();
  const spec = { name: 'c', dimensions: embedder.dimensions, fingerprint: 'calibration' };
  const records = await store.open(spec);
  await records.upsert(await recordsOf(collection, options));
  const step = Math.ceil(collection.queries.length / MAX_QUERIES);
  const queries = collection.queries.filter((_, i) => i % step === 0);
  const queryTexts = queries.map(({ text }) => text);
  const reader = await queryEmbedderFor(embedder, collection.documents.map(indexedTextOfDocument));
  const vectors = await vectorsOf(reader, queryTexts, { kind: 'query', cacheDir });
  const observations: Observation[] = [];
  for (const [i, { text, relevant }] of queries.entries()) {
    const vector = vectors[i];
    if (vector === undefined) continue;
    const isHidden = i % HIDDEN_EVERY === 0;
    const query = prepareQuery(text);
    const outcomes = await runLanes({
      collection: records,
      capabilities: store.capabilities,
      embedQuery: async () => vector,
      query,
      mode: evidence,
      filter: isHidden ? and(not(oneOf('$chunkId', [...relevant]))) : EVERYTHING,
      limit: DEFAULT_RETRIEVAL_SETTINGS.candidatesPerLane,
      deadlineMs: 60_000,
      includeVectors: false,
    });
    const modelKey = embedder.identity.model;
    const fused = fuseLanes(outcomes, { ...DEFAULT_RETRIEVAL_SETTINGS.fusion, modelKey });
    const read = chunkReader(records, { includeVectors: false, signal: undefined });
    const reranked = await rerankCandidates(fused, {
      load: async () => reranker,
      query: query.text,
      read,
      maxCandidates: DEFAULT_RETRIEVAL_SETTINGS.rerank.maxCandidates,
      deadlineMs: PATIENCE_MS,
    });
    const listOf = async (pool: readonly FoundCandidate[]): Promise<ObservedList> => {
      const candidates = await read(pool.slice(0, SHOWN));
      return {
        candidates,
        isRelevant: candidates.map(({ chunk }) => relevant.has(chunk.id)),
        context: featureContextOf(pool, {
          terms: query.lexical.terms,
          lowestCosine: outcomes.dense.hits.at(-1)?.score ?? 0,
        }),
      };
    };
    observations.push({ fused: await listOf(fused), reranked: await listOf(reranked) });
  }
  await store.close();
  return observations;
}
