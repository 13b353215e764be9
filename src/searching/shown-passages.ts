import type { ResolvedConfig } from '../config/resolved-config.js';
import { chunksFor, joinAdjacent } from '../retrieval/refining/join-adjacent.js';
import type { RankedCandidate } from '../retrieval/retriever.js';

/**
 * Most passages that are shown: what was asked for, else `rag.retrieval.topK`, of which `rag.retrieval.rerank.topK` are left
 * where a reranker put them in order.
 */
export function passageLimit(
  asked: number | undefined,
  { rag }: ResolvedConfig,
  { isReranked }: { readonly isReranked: boolean },
): number {
  const { topK, rerank } = rag.retrieval;
  if (asked !== undefined) return asked;
  return isReranked ? Math.min(topK, rerank.topK ?? topK) : topK;
}

/** How many chunks to find for so many passages: more where small ones are joined, as far as the store goes. */
export const chunkLimit = (passages: number, config: ResolvedConfig, maxTopK: number): number =>
  cutsSmall(config) ? Math.max(passages, Math.min(chunksFor(passages), maxTopK)) : passages;

/** Chunks to the passages that are shown: small chunks that follow each other become one, and the list is cut. */
export const shownPassages = (
  chunks: readonly RankedCandidate[],
  limit: number,
  config: ResolvedConfig,
): readonly RankedCandidate[] => (cutsSmall(config) ? joinAdjacent(chunks, limit) : chunks).slice(0, limit);

/** Some source is cut to small chunks that are joined when they are found. */
const cutsSmall = ({ rag }: ResolvedConfig): boolean =>
  [rag.chunking, ...rag.sources.map(({ chunking }) => chunking)].some(
    (chunking) => chunking?.strategy === 'adaptive',
  );
