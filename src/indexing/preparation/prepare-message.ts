import type { RawDocument } from '../../core/document.js';
import type { SentError } from '../../core/sent-error.js';
import type { ChunkSketch, DocumentSummary, PreparationOrigin, PreparedChunk } from '../prepare-document.js';
import type { PreparationRecipe } from './preparer.js';

/** Asks a thread to prepare a document; plain data, as everything here. */
export interface PrepareRequest {
  readonly kind: 'prepare';
  readonly job: number;
  readonly document: RawDocument;
  readonly origin: PreparationOrigin;
  readonly recipe: PreparationRecipe;
  readonly modelFolder: string | undefined;
}

export type ToThread =
  | PrepareRequest
  /** So many more batches may be sent. */
  | { readonly kind: 'more'; readonly job: number; readonly batches: number }
  /** Nobody reads the rest. */
  | { readonly kind: 'drop'; readonly job: number };

export type FromThread =
  | {
      readonly kind: 'document';
      readonly job: number;
      readonly summary: Omit<DocumentSummary, 'shortcoming'>;
      readonly sketches: readonly ChunkSketch[];
    }
  | { readonly kind: 'batch'; readonly job: number; readonly chunks: readonly PreparedChunk[] }
  /** The thread waits for the reader of this document, and can prepare another one meanwhile. */
  | { readonly kind: 'waiting'; readonly job: number }
  | { readonly kind: 'end'; readonly job: number; readonly times: Readonly<Record<string, number>> }
  | { readonly kind: 'failed'; readonly job: number; readonly failure: SentError };

/** Batches that a thread may send before anyone has read one: all of most documents, and a bound on memory for the others. */
export const FREE_BATCHES = 16;
