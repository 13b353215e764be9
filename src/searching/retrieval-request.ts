import type { ResolvedConfig } from '../config/resolved-config.js';
import { questionParts } from '../core/analysis/question-parts.js';
import { RAGError } from '../core/errors.js';
import type { QueryReading, SearchMode, SearchQuery } from '../operations/engine.js';
import type { RetrievalRequest, RetrievalSettings } from '../retrieval/retriever.js';
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

/** What a question asks, one text a thing, in its order; the question itself where that is one thing. */
export function askedThings(question: string): readonly string[] {
  const parts = questionParts(question).map(({ text }) => text);
  // A sentence of two questions is among the parts beside both of them.
  const things = parts.filter((part) => !parts.some((other) => other !== part && part.includes(other)));
  return things.length > 1 ? things : [question];
}

/** How many results a question gets that does not say it itself: `usual`, and more where it asks several things. */
export function resultsFor(question: string, usual: number, { rag }: ResolvedConfig): number {
  const { byComplexity, most } = rag.retrieval.adaptiveTopK;
  if (!byComplexity) return usual;
  return Math.max(usual, Math.min(most, usual * askedThings(question).length));
}

/** What a query asks, where that decided how many results it gets. */
export function decisiveParts(
  { text, options }: Pick<SearchQuery, 'text' | 'options'>,
  { rag }: ResolvedConfig,
): Pick<QueryReading, 'parts'> {
  const isDecisive = options?.topK === undefined && rag.retrieval.adaptiveTopK.byComplexity;
  const parts = isDecisive ? askedThings(text) : [];
  return parts.length < 2 ? {} : { parts };
}
