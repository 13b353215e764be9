import type { DiversitySettings, RetrievalSettings } from '../retrieval/retriever.js';
import type { ResolvedConfig } from './resolved-config.js';

/** `rag.retrieval` in the retriever's own words: lanes, fusion, reranking. */
export function retrievalSettingsFor(config: ResolvedConfig): RetrievalSettings {
  const { fusion, hybrid, rerank } = config.rag.retrieval;
  const { weights } = hybrid;
  return {
    fusion: {
      method: fusion.method === 'convex' ? 'convex-combination' : 'reciprocal-rank',
      rankConstant: fusion.k,
      ...(weights === undefined ? {} : { weights: { dense: weights.semantic, lexical: weights.keyword } }),
    },
    candidatesPerLane: fusion.candidates,
    rerank: { enabled: rerank.enabled, maxCandidates: rerank.candidates, deadlineMs: rerank.deadlineMs },
  };
}

/** What one search does after ranking unless it asks for something else: repetitions, variety, recency. */
export function diversitySettingsFor(config: ResolvedConfig): DiversitySettings {
  const { nearDuplicates, mmr, recency } = config.rag.retrieval;
  return {
    ...(nearDuplicates.enabled ? { nearDuplicateThreshold: nearDuplicates.threshold } : {}),
    ...(mmr.enabled ? { mmrLambda: mmr.lambda } : {}),
    ...(recency.enabled ? { recencyHalfLifeDays: recency.halfLifeDays } : {}),
  };
}
