import { DegradationLevel } from '../core/degradation.js';
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
