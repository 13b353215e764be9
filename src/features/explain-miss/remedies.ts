import type { ResolvedConfig } from '../../config/resolved-config.js';
import type { SearchQuery } from '../../operations/engine.js';
import type { MissRemedy } from '../../operations/miss-explanation.js';
import { searchFilter } from '../../searching/search-filter.js';
import { scopeCollection } from '../../stores/scoped-collection.js';
import { type AskedSearch, type FollowedSearch, followSearch, type Wanted } from './ranking.js';

/** A change of the search that may bring a document back. */
export interface Trial {
  /** As a person writes it: `retrieval.topK: 12`. */
  readonly setting: string;
  readonly options?: SearchQuery['options'];
  readonly retrieval?: Partial<ResolvedConfig['rag']['retrieval']>;
}

/** The search with a change. */
export function withTrial(
  { query, scope, resources }: AskedSearch,
  trial: Omit<Trial, 'setting'>,
): AskedSearch {
  const { config } = resources;
  const retrieval = { ...config.rag.retrieval, ...trial.retrieval };
  return {
    query: { ...query, options: { ...query.options, ...trial.options } },
    scope,
    resources: {
      config: { ...config, rag: { ...config.rag, retrieval } },
      stores: { collection: () => resources.stores.collection() },
      ledger: { live: () => resources.ledger.live() },
      models: {
        embedderOf: (facts) => resources.models.embedderOf(facts),
        reranker: resources.models.reranker,
      },
    },
  };
}

/** The first trial under which the document is among the results, tried in order; undefined where none helps. */
export async function firstThatWorks(
  asked: AskedSearch,
  wanted: Wanted,
  trials: readonly Trial[],
): Promise<MissRemedy | undefined> {
  for (const trial of trials) {
    const { rank } = await followSearch(withTrial(asked, trial), wanted);
    if (rank !== undefined)
      return { setting: trial.setting, rank, detail: `Tried: the document then comes at rank ${rank}.` };
  }
  return undefined;
}

/** As many results as it takes to show the document, however it stands now. */
export async function largerTopK(
  asked: AskedSearch,
  wanted: Wanted,
  { followed, prefix = '' }: { followed: FollowedSearch; prefix?: string },
): Promise<MissRemedy | undefined> {
  const place = followed.rankIn('rerank');
  if (place === undefined) return undefined;
  const trials = [place, place * 2].map((topK): Trial => {
    const isOfQuery = asked.query.options?.topK !== undefined;
    return {
      setting: `${prefix}${isOfQuery ? `topK: ${topK} (of the query)` : `retrieval.topK: ${topK}`}`,
      options: { topK },
    };
  });
  return firstThatWorks(asked, wanted, trials);
}

/** Shares of the dense lane from the one in use towards the lane that knows the document better. */
export function weightTrials(current: number, towards: 'dense' | 'lexical'): Trial[] {
  const shares = Array.from({ length: 11 }, (_, i) => i / 10);
  const ordered =
    towards === 'dense'
      ? shares.filter((share) => share > current)
      : shares.filter((share) => share < current).reverse();
  return ordered.map((semantic) => {
    const keyword = Math.round((1 - semantic) * 10) / 10;
    return {
      setting: `retrieval.hybrid.weights: { semantic: ${semantic}, keyword: ${keyword} }`,
      retrieval: { hybrid: { weights: { semantic, keyword } } },
    };
  });
}

/** Place of a document in lanes that bring as many candidates as the store can; absent where it is not there. */
export interface DeepRanks {
  readonly lexical: number | undefined;
  readonly vector: number | undefined;
  /** Candidates of a lane. */
  readonly depth: number;
}

/** The same search with lanes that bring everything. */
export async function deepRanks(asked: AskedSearch, wanted: Wanted): Promise<DeepRanks> {
  const { query, scope, resources } = asked;
  const { collection, store, sealing } = await resources.stores.collection();
  const admitted = await scopeCollection(collection, scope, sealing).count(searchFilter(query));
  const depth = Math.max(1, Math.min(admitted, store.capabilities.maxTopK));
  const { fusion } = resources.config.rag.retrieval;
  const deep = { retrieval: { fusion: { ...fusion, candidates: depth } }, options: { rerank: false } };
  const { rankIn } = await followSearch(withTrial(asked, deep), wanted);
  return { lexical: rankIn('lexical'), vector: rankIn('dense'), depth };
}
