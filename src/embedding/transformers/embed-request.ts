import type { EmbeddingKind } from '../embedder.js';

/** What the thread that embeds is asked. */
export interface EmbedRequest {
  readonly texts: readonly string[];
  readonly kind: EmbeddingKind;
}
