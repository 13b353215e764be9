import type { RetrievalSettings } from './retriever.js';

/** Jaccard similarity of word triples above which two passages say the same: a copy with a few words changed. */
export const DEFAULT_NEAR_DUPLICATE_THRESHOLD = 0.85;

/** What holds where nothing is configured. */
export const DEFAULT_RETRIEVAL_SETTINGS: RetrievalSettings = Object.freeze({
  fusion: Object.freeze({ method: 'adaptive', rankConstant: 60 } as const),
  candidatesPerLane: 100,
  laneDeadlineMs: 5_000,
  expansion: Object.freeze({ kinds: Object.freeze([]), weight: 0.1, deadlineMs: 2_000 }),
  rerank: Object.freeze({ enabled: true, maxCandidates: 100, deadlineMs: 2_000 }),
});
