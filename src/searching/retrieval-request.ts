import type { ResolvedConfig } from '../config/resolved-config.js';
import { RAGError } from '../core/errors.js';
import type { SearchMode, SearchQuery } from '../operations/engine.js';
import type { RetrievalRequest, RetrievalSettings } from '../retrieval/retriever.js';
import { resultsFor } from './question-complexity.js';
import { searchFilter } from './search-filter.js';

const MODES: readonly SearchMode[] = ['hybrid', 'dense', 'lexical', 'graph'];

/** What a query asks of the retriever: its options, over those of the configuration. Throws `QUERY_INVALID`. */
export function retrievalRequest(query: SearchQuery, config: ResolvedConfig): RetrievalRequest {
  const { rag } = config;
  const { options = {} } = query;
  const { nearDuplicates, mmr, recency, adaptiveTopK } = rag.retrieval;
  const mode = options.mode ?? 'hybrid';
  if (!MODES.includes(mode)) {
    throw new RAGError('QUERY_INVALID', `There is no search mode "${mode}"; use one of ${MODES.join(', ')}.`);
  }
  const removes =
    options.nearDuplicates === undefined ? nearDuplicates.enabled : options.nearDuplicates === 'remove';
  return {
    text: query.text,
    mode,
    topK: options.topK ?? resultsFor(query.text, rag.retrieval.topK, config),
    filter: searchFilter(query),
    minSimilarity: options.minSimilarity ?? options.minScore ?? rag.retrieval.minSimilarity,
    nearDuplicateThreshold: removes ? nearDuplicates.threshold : undefined,
    mmrLambda: options.mmrLambda ?? (mmr.enabled ? mmr.lambda : 1),
    recencyHalfLifeDays: options.recencyHalfLifeDays ?? (recency.enabled ? recency.halfLifeDays : 0),
    scoreFall: adaptiveTopK.enabled ? adaptiveTopK.ratio : undefined,
    collapse: options.collapse ?? rag.retrieval.collapse,
    hops: options.hops,
    connectedFirst: options.connectedFirst,
    rerank: options.rerank,
    signal: query.signal,
  };
}

const FUSION_METHODS = {
  adaptive: 'adaptive',
  convex: 'convex-combination',
  rrf: 'reciprocal-rank',
} as const;

/** What holds for every query of a configuration. */
export function retrievalSettings({ rag }: ResolvedConfig): RetrievalSettings {
  const { hybrid, fusion, expansion, rerank, laneDeadlineMs } = rag.retrieval;
  const { weights } = hybrid;
  return {
    fusion: {
      method: FUSION_METHODS[fusion.method],
      rankConstant: fusion.k,
      weights: weights === undefined ? undefined : { dense: weights.semantic, lexical: weights.keyword },
    },
    candidatesPerLane: fusion.candidates,
    laneDeadlineMs,
    expansion,
    rerank: {
      enabled: rerank.enabled,
      maxCandidates: rerank.candidates,
      deadlineMs: rerank.deadlineMs,
      weight: rerank.weight,
    },
  };
}
