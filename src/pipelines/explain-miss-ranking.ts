import type { ScoredChunk, StoredChunk } from '../core/chunk.js';
import { eq } from '../core/filter.js';
import type { Scope } from '../core/scope.js';
import { prepareQuery } from '../retrieval/prepared-query.js';
import type { RemovedCandidate, RetrievalResult, TracedStage } from '../retrieval/retriever.js';
import { scopeCollection } from '../security/scoped-collection.js';
import { listAll } from '../stores/list-pages.js';
import type { VectorCollection } from '../stores/vector-store.js';
import type { SearchQuery } from './engine.js';
import { runRetrieval, type SearchResources } from './query-pipeline.js';
import { searchFilter } from './search-filter.js';

/** A search as it is asked: the query, who asks, and in which index. */
export interface AskedSearch {
  readonly query: SearchQuery;
  readonly scope: Scope;
  readonly resources: SearchResources;
}

/** Where the chunks of one document stand after each step of a search; ranks from 1, absent where there is none. */
export interface FollowedSearch {
  readonly result: RetrievalResult;
  readonly rankIn: (stage: TracedStage) => number | undefined;
  /** Length of a stage's list. */
  readonly lengthOf: (stage: TracedStage) => number;
  /** The document's place among the results. */
  readonly rank: number | undefined;
  /** Results that the search may show. */
  readonly shown: number;
  /** The document's chunks that a step took out. */
  readonly removed: readonly RemovedCandidate[];
  /** The document's chunk that stands first in the last list that holds any. */
  readonly furthest: StoredChunk | undefined;
}

const STAGES: readonly TracedStage[] = ['dense', 'lexical', 'identifier', 'fusion', 'rerank'];

/** Runs the search and follows one document through it. */
export async function followSearch(
  { query, scope, resources }: AskedSearch,
  documentId: string,
): Promise<FollowedSearch> {
  const lists = new Map<TracedStage, readonly ScoredChunk[]>();
  const { result } = await runRetrieval(query, scope, {
    resources,
    onStage: (stage, list) => lists.set(stage, list),
  });
  const listOf = (stage: TracedStage) => lists.get(stage) ?? [];
  const shown = shownBy({ query, scope, resources }, result);
  const own = (chunk: StoredChunk): boolean => chunk.documentId === documentId;
  const place = rankOf(result.candidates.slice(0, shown), own);
  const ownIds = new Set(
    STAGES.flatMap((stage) => listOf(stage).flatMap(({ chunk }) => (own(chunk) ? [chunk.id] : []))),
  );
  return {
    result,
    rankIn: (stage) => rankOf(listOf(stage), own),
    lengthOf: (stage) => listOf(stage).length,
    rank: place,
    shown,
    removed: result.removed.filter(({ id }) => ownIds.has(id)),
    furthest: STAGES.toReversed()
      .map((stage) => listOf(stage).find(({ chunk }) => own(chunk))?.chunk)
      .find((chunk) => chunk !== undefined),
  };
}

function shownBy({ query, resources }: AskedSearch, { lanes }: RetrievalResult): number {
  const { topK, rerank } = resources.config.rag.retrieval;
  if (query.options?.topK !== undefined) return query.options.topK;
  const isReranked = lanes.some(({ lane, status }) => lane === 'rerank' && status === 'ran');
  return isReranked ? Math.min(topK, rerank.topK ?? topK) : topK;
}

function rankOf(
  list: readonly { readonly chunk: StoredChunk }[],
  isWanted: (chunk: StoredChunk) => boolean,
): number | undefined {
  const index = list.findIndex(({ chunk }) => isWanted(chunk));
  return index < 0 ? undefined : index + 1;
}

/** Place of a document in a lane that is searched as deep as the store can; absent where it is not there. */
export interface DeepRanks {
  readonly lexical: number | undefined;
  readonly vector: number | undefined;
  /** How deep was searched. */
  readonly depth: number;
}

/** Searches both lanes beyond the candidates of a normal search. */
export async function deepRanks(asked: AskedSearch, documentId: string): Promise<DeepRanks> {
  const { query, scope, resources } = asked;
  const { collection: whole, store } = await resources.collection();
  const collection = scopeCollection(whole, scope);
  const filter = searchFilter(query);
  const depth = Math.min(await collection.count(filter), store.capabilities.maxTopK);
  const mode = query.options?.mode ?? 'hybrid';
  const prepared = prepareQuery(query.text);
  const own = (chunk: StoredChunk): boolean => chunk.documentId === documentId;
  const { terms } = prepared.lexical;
  const lexical =
    mode === 'dense' || terms.length === 0 || depth === 0
      ? undefined
      : await collection.searchText?.({ terms, topK: depth, filter });
  const vector = mode === 'lexical' || depth === 0 ? undefined : await nearest(asked, { collection, depth });
  return {
    lexical: lexical === undefined ? undefined : rankOf(lexical, own),
    vector: vector === undefined ? undefined : rankOf(vector, own),
    depth,
  };
}

async function nearest(
  { query, resources }: AskedSearch,
  { collection, depth }: { collection: VectorCollection; depth: number },
): Promise<ScoredChunk[] | undefined> {
  const [{ forQueries }, { facts }] = await Promise.all([resources.embedder(), resources.collection()]);
  const [vector] = await forQueries(facts).doEmbed([prepareQuery(query.text).text], 'query', query.signal);
  if (vector === undefined || vector.every((component) => component === 0)) return undefined;
  return collection.searchVector({ vector, topK: depth, filter: searchFilter(query) });
}

/** The chunks of a document in its order, whoever asks. */
export async function chunksOfDocument(
  resources: SearchResources,
  documentId: string,
): Promise<StoredChunk[]> {
  const { collection } = await resources.collection();
  const chunks = await listAll(collection, { filter: eq('$documentId', documentId) });
  const indexOf = ({ metadata: { chunkIndex } }: StoredChunk): number =>
    typeof chunkIndex === 'number' ? chunkIndex : 0;
  return chunks.sort((a, b) => indexOf(a) - indexOf(b));
}
