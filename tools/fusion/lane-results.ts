import { EVERYTHING } from '../../src/core/filter.js';
import { computeMetric } from '../../src/evaluation/metrics.js';
import type { Reranker } from '../../src/reranking/reranker.js';
import type { FoundCandidate } from '../../src/retrieval/candidate.js';
import { DEFAULT_RETRIEVAL_SETTINGS } from '../../src/retrieval/default-settings.js';
import { convexCombination, fuse, type LaneScoring } from '../../src/retrieval/fusion/fuse.js';
import { prepareQuery } from '../../src/retrieval/prepared-query.js';
import { chunkReader, type ReadChunks } from '../../src/retrieval/read-chunks.js';
import { rerankCandidates } from '../../src/retrieval/rerank/rerank.js';
import type { LaneWeights } from '../../src/retrieval/retriever.js';
import { type LaneOutcomes, runLanes } from '../../src/retrieval/run-lanes.js';
import type { OpenedCollection } from './open-collection.js';

/** What the lanes found for one query, and what they should have. */
export interface QueryLanes {
  readonly text: string;
  readonly outcomes: LaneOutcomes;
  readonly relevant: ReadonlySet<string>;
  readonly own: string | undefined;
}

/** What the lanes found for the queries of one collection. */
export interface CollectionLanes {
  readonly name: string;
  readonly queries: readonly QueryLanes[];
  /** Needs the store, which stays open. */
  readonly read: ReadChunks;
}

export async function laneResultsOf({
  name,
  store,
  collection,
  queries,
}: OpenedCollection): Promise<CollectionLanes> {
  const found: QueryLanes[] = [];
  for (const { text, relevant, own, vector } of queries) {
    const outcomes = await runLanes({
      collection,
      capabilities: store.capabilities,
      embedQuery: async () => vector,
      query: prepareQuery(text),
      mode: 'hybrid',
      filter: EVERYTHING,
      limit: DEFAULT_RETRIEVAL_SETTINGS.candidatesPerLane,
      deadlineMs: 60_000,
      includeVectors: false,
    });
    found.push({ text, outcomes, relevant, own });
  }
  return {
    name,
    queries: found,
    read: chunkReader(collection, { includeVectors: false, signal: undefined }),
  };
}

const NDCG = { name: 'ndcg', k: 10 } as const;

/** nDCG@10 of a ranking; the query's own document counts as absent. */
export function ndcgOf(
  ranking: readonly string[],
  { relevant, own }: { readonly relevant: ReadonlySet<string>; readonly own?: string | undefined },
): number {
  const judgments = new Map(Array.from(relevant, (id) => [id, 1]));
  return computeMetric(
    NDCG,
    ranking.filter((id) => id !== own),
    judgments,
  );
}

/** nDCG@10 of each query under lane weights and a way to score; exact identifier hits are left to their own rule. */
export function fusedScores(
  { queries }: CollectionLanes,
  weightsOf: (query: QueryLanes) => LaneWeights,
  scoring: LaneScoring,
): number[] {
  return queries.map((query) => ndcgOf(idsOf(fusedList(query, weightsOf(query), scoring)), query));
}

/** The same after a reranker has seen as many as it does by default. */
export async function rerankedScores(
  { queries, read }: CollectionLanes,
  weightsOf: (query: QueryLanes) => LaneWeights,
  reranker: Reranker,
): Promise<number[]> {
  const scores: number[] = [];
  for (const query of queries) {
    const reranked = await rerankCandidates(fusedList(query, weightsOf(query), convexCombination), {
      load: async () => reranker,
      query: query.text,
      read,
      maxCandidates: DEFAULT_RETRIEVAL_SETTINGS.rerank.maxCandidates,
      deadlineMs: 60_000,
    });
    scores.push(ndcgOf(idsOf(reranked), query));
  }
  return scores;
}

const idsOf = (list: readonly FoundCandidate[]): string[] => list.map(({ chunk }) => chunk.id);

function fusedList(
  { outcomes: { dense, lexical } }: QueryLanes,
  weights: LaneWeights,
  scoring: LaneScoring,
): FoundCandidate[] {
  return fuse(
    [
      { signal: 'dense', weight: weights.dense, hits: dense.hits },
      { signal: 'lexical', weight: weights.lexical, hits: lexical.hits },
    ],
    scoring,
  );
}
