import type { EmbeddingKind } from '../embedder.js';

/** One call of a provider's embedding service. */
export interface EmbeddingApi {
  /** How query and document are told apart in the call, for the model's identity; empty where they are not. */
  readonly inputTypes: string;
  embed(
    texts: readonly string[],
    kind: EmbeddingKind,
    signal: AbortSignal,
  ): Promise<{
    readonly vectors: readonly (readonly number[])[];
    /** Billed tokens, where the provider says. */
    readonly tokens?: number;
  }>;
}
