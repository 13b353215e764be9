import type { ResolvedConfig } from '../config/resolved-config.js';
import { collapse } from '../retrieval/refining/collapse.js';
import { chunksFor, joinAdjacent } from '../retrieval/refining/join-adjacent.js';
import type { CollapseMode, RankedCandidate } from '../retrieval/retriever.js';
import { resultsFor } from './question-complexity.js';

/**
 * Most passages that are shown: what was asked for, else `rag.retrieval.topK`, of which `rag.retrieval.rerank.topK` are left
 * where a reranker put them in order; more for a question that asks several things, where that is set.
 */
export function passageLimit(
  asked: number | undefined,
  config: ResolvedConfig,
  { text, isReranked }: { readonly text: string; readonly isReranked: boolean },
): number {
  const { topK, rerank } = config.rag.retrieval;
  if (asked !== undefined) return asked;
  return resultsFor(text, isReranked ? Math.min(topK, rerank.topK ?? topK) : topK, config);
}

/** How many chunks to find for so many passages: more where small ones are joined, as far as the store goes. */
export const chunkLimit = (passages: number, config: ResolvedConfig, maxTopK: number): number =>
  cutsSmall(config) ? Math.max(passages, Math.min(chunksFor(passages), maxTopK)) : passages;

/** What the retriever shows once: nothing yet where small chunks are still to be joined. */
export const collapseOfChunks = (mode: CollapseMode, config: ResolvedConfig): CollapseMode =>
  cutsSmall(config) ? 'none' : mode;

/**
 * Chunks to the passages that are shown: small chunks that follow each other become one, of them each document is shown once where
 * that is asked for, and the list is cut.
 */
export function shownPassages(
  chunks: readonly RankedCandidate[],
  { limit, mode }: { readonly limit: number; readonly mode: CollapseMode },
  config: ResolvedConfig,
): readonly RankedCandidate[] {
  if (!cutsSmall(config)) return chunks.slice(0, limit);
  // More are joined until enough of them stand for different documents.
  for (let wanted = limit; ; wanted *= 2) {
    const joined = joinAdjacent(chunks, wanted);
    const { kept } = collapse(joined, mode);
    if (kept.length >= limit || joined.length < wanted) return kept.slice(0, limit);
  }
}

/** Some source is cut to small chunks that are joined when they are found. */
const cutsSmall = ({ rag }: ResolvedConfig): boolean =>
  [rag.chunking, ...rag.sources.map(({ chunking }) => chunking)].some(
    (chunking) => chunking?.strategy === 'adaptive',
  );
