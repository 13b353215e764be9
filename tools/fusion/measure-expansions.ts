import { EVERYTHING } from '../../src/core/filter.js';
import { mean } from '../../src/evaluation/metrics.js';
import { createRetriever } from '../../src/retrieval/create-retriever.js';
import { DEFAULT_RETRIEVAL_SETTINGS } from '../../src/retrieval/default-settings.js';
import type { RankedCandidate, RetrievalSettings } from '../../src/retrieval/retriever.js';
import { ndcgOf } from './lane-results.js';
import type { OpenedCollection } from './open-collection.js';

type Kinds = RetrievalSettings['expansion']['kinds'];

/** What is tried, without a language model. */
export const EXPANSIONS: readonly Kinds[] = [
  [],
  ['abbreviations'],
  ['feedback-words'],
  ['feedback-vectors'],
  ['feedback-words', 'feedback-vectors'],
];

/** Shares of the best score below which lists are ended. */
export const SCORE_FALLS = [0.1, 0.25, 0.5] as const;

export interface ShownLists {
  /** Passages shown of the first ten, mean over queries. */
  readonly shown: number;
  /** Queries with a relevant one among them. */
  readonly hit: number;
}

/** nDCG@10 of each query with expansions, through the whole retriever. */
export async function expandedScores(
  opened: OpenedCollection,
  { kinds, modelKey }: { readonly kinds: Kinds; readonly modelKey: string },
): Promise<number[]> {
  const search = searcherOf(opened, { kinds, modelKey });
  const scores: number[] = [];
  for (const query of opened.queries) {
    const ranking = (await search(query)).map(({ chunk }) => chunk.id);
    scores.push(ndcgOf(ranking, query));
  }
  return scores;
}

/** How long lists are, and what they still hold, where they end at a fall of the score: at 0 never, then at `SCORE_FALLS`. */
export async function listsAtFalls(opened: OpenedCollection, modelKey: string): Promise<ShownLists[]> {
  const search = searcherOf(opened, { kinds: [], modelKey });
  const lists: { score: number; isRelevant: boolean }[][] = [];
  for (const query of opened.queries) {
    const others = (await search(query)).filter(({ chunk }) => chunk.id !== query.own);
    lists.push(
      others.slice(0, 10).map(({ chunk, score }) => ({ score, isRelevant: query.relevant.has(chunk.id) })),
    );
  }
  return [0, ...SCORE_FALLS].map((share) => {
    const kept = lists.map((list) => list.filter(({ score }) => score >= share * (list[0]?.score ?? 0)));
    return {
      shown: mean(kept.map(({ length }) => length)),
      hit: mean(kept.map((list) => Number(list.some(({ isRelevant }) => isRelevant)))),
    };
  });
}

function searcherOf(
  { store, collection }: OpenedCollection,
  { kinds, modelKey }: { readonly kinds: Kinds; readonly modelKey: string },
): (query: OpenedCollection['queries'][number]) => Promise<readonly RankedCandidate[]> {
  let vector = new Float32Array(collection.spec.dimensions);
  const retriever = createRetriever({
    collection,
    capabilities: store.capabilities,
    embedQuery: async () => vector,
    modelKey,
    settings: {
      ...DEFAULT_RETRIEVAL_SETTINGS,
      expansion: { ...DEFAULT_RETRIEVAL_SETTINGS.expansion, kinds },
    },
  });
  return async (query) => {
    vector = new Float32Array(query.vector);
    const request = { text: query.text, mode: 'hybrid', topK: 11, filter: EVERYTHING } as const;
    return (await retriever.retrieve({ ...request, minSimilarity: 0, rerank: false })).candidates;
  };
}
