import type { ResolvedConfig } from '../config/resolved-config.js';
import type { StoredChunk } from '../core/chunk.js';
import { FIRST_LINE, headingPathOf, linesOf } from '../core/chunk-metadata.js';
import { DegradationLevel } from '../core/degradation.js';
import { RAGError } from '../core/errors.js';
import type { Scope } from '../core/scope.js';
import type { IndexFacts } from '../ledger/ledger.js';
import { createRetriever } from '../retrieval/create-retriever.js';
import { chunksFor, joinAdjacent } from '../retrieval/join-adjacent.js';
import type {
  RankedCandidate,
  RetrievalRequest,
  RetrievalResult,
  RetrievalSettings,
  StageTrace,
} from '../retrieval/retriever.js';
import { scopeCollection } from '../security/scoped-collection.js';
import { originsOf } from './document-paths.js';
import type { SearchMode, SearchQuery, SearchResponse, SearchResult } from './engine.js';
import type { EngineResources } from './engine-resources.js';
import { assertModel } from './open-collection.js';
import { searchFilter } from './search-filter.js';

/** What a search needs of an engine. */
export type SearchResources = Pick<
  EngineResources,
  'config' | 'collection' | 'embedder' | 'reranker' | 'readingLedger'
> &
  Partial<Pick<EngineResources, 'chatModel' | 'adaptationNotice'>>;

/** Question to ranked passages, through the scope of the asker and no other way. */
export async function runSearch(
  query: SearchQuery,
  scope: Scope,
  resources: SearchResources,
): Promise<SearchResponse> {
  const start = performance.now();
  const { config } = resources;
  if (!config.rag.enabled) return disabledResponse(query);
  const { result, notices } = await runRetrieval(query, scope, { resources });
  const originOf = originsOf(resources.config);
  const toResult = (candidate: RankedCandidate): SearchResult => ({
    ...toSearchResult(candidate, query.options),
    origin: originOf(candidate.chunk.source, textOf(candidate.chunk.metadata.source)),
  });
  return {
    query: query.text,
    results: passagesOf(result.candidates, query, config)
      .slice(0, shownAfter(result, query, config))
      .map(toResult),
    understanding: result.understanding,
    lanes: result.lanes,
    degradationLevel: result.degradationLevel,
    notices: [...notices, ...unfinishedRunNotice(resources), ...result.notices],
    tookMs: Math.round((performance.now() - start) * 100) / 100,
  };
}

/** Small chunks that follow each other become one passage. */
const passagesOf = (
  candidates: readonly RankedCandidate[],
  { options }: SearchQuery,
  config: ResolvedConfig,
): readonly RankedCandidate[] =>
  cutsSmall(config) ? joinAdjacent(candidates, options?.topK ?? config.rag.retrieval.topK) : candidates;

/** Some source is cut to small chunks that are joined when they are found. */
const cutsSmall = ({ rag }: ResolvedConfig): boolean =>
  [rag.chunking, ...rag.sources.map(({ chunking }) => chunking)].some(
    (chunking) => chunking?.strategy === 'adaptive',
  );

/** The retrieval of a search, before it becomes a response; `onStage` is told what each step left. */
export async function runRetrieval(
  query: SearchQuery,
  scope: Scope,
  { resources, onStage }: { resources: SearchResources; onStage?: StageTrace },
): Promise<{ result: RetrievalResult; notices: readonly string[] }> {
  const { config } = resources;
  const request = retrievalRequest(query, config);
  const { collection, facts, store } = await resources.collection();
  const notices: string[] = [];
  if (request.mode !== 'lexical') {
    const loaded = await resources.embedder();
    assertModel(facts, loaded.embedder);
    notices.push(...loaded.notices, ...(resources.adaptationNotice?.() ?? []));
  }
  const scoped = scopeCollection(collection, scope);
  const retriever = createRetriever({
    collection: scoped,
    capabilities: store.capabilities,
    embedQuery: (text, signal) => embedQuery(text, { resources, facts }, signal),
    embedPassage: (text, signal) => embedPassage(text, resources, signal),
    modelKey: facts.embedder,
    loadReranker: () => resources.reranker(),
    loadChatModel: async () => resources.chatModel?.(),
    settings: retrievalSettings(config),
    ...(onStage === undefined ? {} : { onStage }),
  });
  const result = await retriever.retrieve(request);
  if (isEmptied(result, query) && (await scoped.count(request.filter, query.signal)) === 0)
    notices.push('No indexed passage passes the filters: check their values, or leave some out.');
  return { result, notices };
}

/** Nothing was found, and the filters may be why. */
const isEmptied = ({ lanes, candidates, removed }: RetrievalResult, { filters, filter }: SearchQuery) =>
  candidates.length + removed.length === 0 &&
  (Object.keys(filters ?? {}).length > 0 || filter !== undefined) &&
  lanes.every(({ status }) => status !== 'failed');

/** `rerank.topK` holds where reranking took place and the query itself does not say how many it wants. */
function shownAfter(
  { lanes }: RetrievalResult,
  { options = {} }: SearchQuery,
  { rag }: ResolvedConfig,
): number | undefined {
  const isReranked = lanes.some(({ lane, status }) => lane === 'rerank' && status === 'ran');
  return isReranked && options.topK === undefined ? rag.retrieval.rerank.topK : undefined;
}

async function embedQuery(
  text: string,
  { resources, facts }: { readonly resources: SearchResources; readonly facts: IndexFacts },
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  const { forQueries } = await resources.embedder();
  const [vector] = await forQueries(facts).doEmbed([text], 'query', signal);
  if (vector === undefined)
    throw new RAGError('EMBEDDING_FAILED', 'The embedding model gave no vector for the query.');
  return vector;
}

async function embedPassage(
  text: string,
  resources: SearchResources,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  const { embedder } = await resources.embedder();
  const [vector] = await embedder.doEmbed([text], 'document', signal);
  if (vector === undefined)
    throw new RAGError('EMBEDDING_FAILED', 'The embedding model gave no vector for a passage.');
  return vector;
}

function disabledResponse(query: SearchQuery): SearchResponse {
  return {
    query: query.text,
    results: [],
    lanes: [],
    degradationLevel: DegradationLevel.DISABLED,
    notices: ['Retrieval is switched off by `rag.enabled: false`.'],
    tookMs: 0,
  };
}

const MODES: readonly SearchMode[] = ['hybrid', 'dense', 'lexical'];

function retrievalRequest(query: SearchQuery, config: ResolvedConfig): RetrievalRequest {
  const { rag } = config;
  const { options = {} } = query;
  const { nearDuplicates, mmr, recency, adaptiveTopK } = rag.retrieval;
  const mode = options.mode ?? 'hybrid';
  const topK = options.topK ?? rag.retrieval.topK;
  if (!MODES.includes(mode)) {
    throw new RAGError('QUERY_INVALID', `There is no search mode "${mode}"; use one of ${MODES.join(', ')}.`);
  }
  const removes =
    options.nearDuplicates === undefined ? nearDuplicates.enabled : options.nearDuplicates === 'remove';
  return {
    text: query.text,
    mode,
    topK: cutsSmall(config) ? chunksFor(topK) : topK,
    filter: searchFilter(query),
    minSimilarity: options.minSimilarity ?? rag.retrieval.minSimilarity,
    ...(removes ? { nearDuplicateThreshold: nearDuplicates.threshold } : {}),
    mmrLambda: options.mmrLambda ?? (mmr.enabled ? mmr.lambda : 1),
    recencyHalfLifeDays: options.recencyHalfLifeDays ?? (recency.enabled ? recency.halfLifeDays : 0),
    ...(adaptiveTopK.enabled ? { scoreFall: adaptiveTopK.ratio } : {}),
    ...(options.rerank === undefined ? {} : { rerank: options.rerank }),
    ...(query.signal === undefined ? {} : { signal: query.signal }),
  };
}

const FUSION_METHODS = {
  adaptive: 'adaptive',
  convex: 'convex-combination',
  rrf: 'reciprocal-rank',
} as const;

function retrievalSettings({ rag }: ResolvedConfig): RetrievalSettings {
  const { hybrid, fusion, expansion, rerank } = rag.retrieval;
  const { weights } = hybrid;
  return {
    fusion: {
      method: FUSION_METHODS[fusion.method],
      rankConstant: fusion.k,
      ...(weights === undefined ? {} : { weights: { dense: weights.semantic, lexical: weights.keyword } }),
    },
    candidatesPerLane: fusion.candidates,
    expansion,
    rerank: {
      enabled: rerank.enabled,
      maxCandidates: rerank.candidates,
      deadlineMs: rerank.deadlineMs,
    },
  };
}

/** Says that passages may be missing, where an index run has not ended. */
export function unfinishedRunNotice(resources: Pick<SearchResources, 'readingLedger'>): string[] {
  const run = resources.readingLedger()?.lastRun();
  if (run === undefined || run.finishedAt !== undefined) return [];
  return [
    'An index run is under way or was interrupted, so passages may be missing. `ragstone index` completes it.',
  ];
}

const DATES = ['createdAt', 'updatedAt'] as const;

function toSearchResult(
  { chunk, score, explanation }: RankedCandidate,
  { includeMetadata = true, explainScore = false }: NonNullable<SearchQuery['options']> = {},
): Omit<SearchResult, 'origin'> {
  return {
    id: chunk.id,
    content: chunk.content,
    score,
    metadata: resultMetadata(chunk, includeMetadata),
    ...(explainScore ? { explanation } : {}),
  };
}

function resultMetadata(chunk: StoredChunk, includeAll: boolean): SearchResult['metadata'] {
  const { metadata } = chunk;
  const required = {
    source: textOf(metadata.source),
    sourceType: textOf(metadata.sourceType),
    lines: linesOf(chunk) ?? FIRST_LINE,
    headingPath: headingPathOf(chunk),
  };
  if (!includeAll) return required;
  const dates = DATES.flatMap((key) => {
    const value = metadata[key];
    return typeof value === 'string' ? [[key, new Date(value)] as const] : [];
  });
  return { ...metadata, ...required, ...Object.fromEntries(dates), documentId: chunk.documentId };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
