import { EVERYTHING } from '../../src/core/filter.js';
import { computeMetric } from '../../src/evaluation/metrics.js';
import { DEFAULT_RETRIEVAL_SETTINGS } from '../../src/retrieval/default-settings.js';
import { fuse } from '../../src/retrieval/fusion/fuse.js';
import type { LaneScoring } from '../../src/retrieval/fusion/lane-scores.js';
import { prepareQuery } from '../../src/retrieval/prepared-query.js';
import type { LaneWeights } from '../../src/retrieval/retriever.js';
import { type LaneOutcomes, runLanes } from '../../src/retrieval/run-lanes.js';
import type { OpenedCollection } from './open-collection.js';

/** What the lanes found for one query, and what they should have. */
export interface QueryLanes {
  readonly outcomes: LaneOutcomes;
  readonly relevant: ReadonlySet<string>;
  readonly own: string | undefined;
}

/** What the lanes found for the queries of one collection. */
export interface CollectionLanes {
  readonly name: string;
  readonly queries: readonly QueryLanes[];
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
      includeVectors: false,
    });
    found.push({ outcomes, relevant, own });
  }
  return { name, queries: found };
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
  return queries.map((query) => {
    const { dense, lexical } = query.outcomes;
    const weights = weightsOf(query);
    const lanes = [
      { signal: 'dense', weight: weights.dense, hits: dense.hits },
      { signal: 'lexical', weight: weights.lexical, hits: lexical.hits },
    ] as const;
    return ndcgOf(
      fuse(lanes, scoring).map(({ chunk }) => chunk.id),
      query,
    );
  });
}
