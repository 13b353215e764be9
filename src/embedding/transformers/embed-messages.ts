import type { ErrorReason } from '../../core/errors.js';
import type { EmbeddingKind } from '../embedder.js';
import type { TransformersEmbedderOptions } from './transformers-embedder.js';

/** What the thread is started with. */
export interface EmbedThreadData {
  readonly options: TransformersEmbedderOptions;
}

/** Texts to embed; calls are answered in their order. */
export interface EmbedCall {
  readonly id: number;
  readonly texts: readonly string[];
  readonly kind: EmbeddingKind;
}

export type EmbedAnswer =
  | { readonly id: number; readonly vectors: readonly Float32Array[] }
  | { readonly id: number; readonly reason: ErrorReason; readonly message: string };
