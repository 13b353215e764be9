import { setImmediate as nextTurn } from 'node:timers/promises';
import { withoutUndefined } from '../../core/without-undefined.js';
import type { Embedder } from '../../embedding/embedder.js';
import type { ActiveQueries } from '../../resources/active-queries.js';

/** A batch waits for searches no longer than this, in milliseconds. */
const PATIENCE_MS = 250;
/** Texts of a model on this thread between two looks at what waits. */
const CHEAP_AT_ONCE = 16;

/** The same model, asked only while nobody searches, as far as that comes about. */
export function givingWay(embedder: Embedder, activeQueries: ActiveQueries): Embedder {
  const { isCheap } = embedder;
  const maxBatch = isCheap ? Math.min(CHEAP_AT_ONCE, embedder.maxBatch) : embedder.maxBatch;
  const { maxBatchTokens, retry } = embedder;
  return {
    identity: embedder.identity,
    dimensions: embedder.dimensions,
    maxInputTokens: embedder.maxInputTokens,
    maxBatch,
    isCheap,
    ...withoutUndefined({ maxBatchTokens, retry }),
    countTokens: (text) => embedder.countTokens(text),
    doEmbed: async (texts, kind, signal) => {
      if (isCheap) await nextTurn();
      await activeQueries.quiet(PATIENCE_MS, signal);
      return embedder.doEmbed(texts, kind, signal);
    },
    close: () => embedder.close(),
  };
}
