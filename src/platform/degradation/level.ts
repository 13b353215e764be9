import { DegradationLevel } from '../../core/degradation.js';
import type { PartState } from './breaker.js';

/** Parts of a search that may be out while the others answer. */
export const PARTS = ['ledger', 'store', 'embedder', 'reranker'] as const;
export type PartName = (typeof PARTS)[number];

export type PartStates = Readonly<Record<PartName, PartState>>;

const LEVEL_WITHOUT: Readonly<Record<PartName, DegradationLevel>> = {
  // Who may read what can be found out nowhere else.
  ledger: DegradationLevel.STATIC_ONLY,
  store: DegradationLevel.KEYWORD_ONLY,
  embedder: DegradationLevel.CACHED_ONLY,
  reranker: DegradationLevel.NO_RERANKING,
};

/** The least level that searches have with parts in these states. A response may have a higher one: nothing may be cached. */
export const levelOf = (states: PartStates): DegradationLevel =>
  Math.max(
    DegradationLevel.FULL_RAG,
    ...PARTS.filter((part) => states[part] !== 'well').map((part) => LEVEL_WITHOUT[part]),
  );

/** What else decides what a search can be answered with. */
export interface Answerable {
  readonly isUp: (part: PartName) => boolean;
  /** `rag.enabled` */
  readonly isEnabled: boolean;
  /** Results of searches are kept. */
  readonly isCached: boolean;
  /** Words can be found without the store. */
  readonly hasWordsHere: boolean;
  /** There are texts for times in which nothing can be searched. */
  readonly hasStatic: boolean;
}

/** The least level that a search can have now; undefined where none is answered. */
export function answerableLevel(now: Answerable): DegradationLevel | undefined {
  const { isUp, isEnabled, isCached, hasWordsHere, hasStatic } = now;
  if (!isEnabled) return DegradationLevel.DISABLED;
  if (isUp('ledger')) {
    if (isUp('store') && isUp('embedder'))
      return isUp('reranker') ? DegradationLevel.FULL_RAG : DegradationLevel.NO_RERANKING;
    if (isCached) return DegradationLevel.CACHED_ONLY;
    if (isUp('store') || hasWordsHere) return DegradationLevel.KEYWORD_ONLY;
  }
  return hasStatic ? DegradationLevel.STATIC_ONLY : undefined;
}
