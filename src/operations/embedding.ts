import type { EmbeddingKind } from '../embedding/embedder.js';

/** Texts that want vectors. */
export interface EmbedRequest {
  readonly texts: readonly string[];
  /** As what they are read; models may tell the two apart. @default 'document' */
  readonly kind?: EmbeddingKind | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Vectors of texts. */
export interface EmbeddedTexts {
  /** Name of the model. */
  readonly model: string;
  readonly dimensions: number;
  /** One unit-length vector a text, in order; all zero for a text without any word that the model knows. */
  readonly vectors: readonly Float32Array[];
}
