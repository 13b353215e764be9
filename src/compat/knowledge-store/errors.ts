import { type ErrorReason, RAGError, RAGErrorCode, type RAGErrorOptions } from '../../core/errors.js';

/** Base of the errors of a system of agents, of which a knowledge store is one part; a `RAGError` with its reasons (`docs/errors.md`). */
export class ASDLCError extends RAGError {
  constructor(reason: ErrorReason, message: string, options: RAGErrorOptions = {}) {
    super(reason, message, options);
    this.name = new.target.name;
  }
}

/** Base of the errors of a knowledge store. */
export class KnowledgeStoreError extends ASDLCError {}

/** A document that must be there is not (`requireById`). */
export class DocumentNotFoundError extends KnowledgeStoreError {}

/** A document could not be indexed or deleted. */
export class IndexingError extends KnowledgeStoreError {}

/** A search could not be answered. */
export class SearchError extends KnowledgeStoreError {}

/** The embedding model is missing or failed. */
export class EmbeddingError extends KnowledgeStoreError {}

/** The backend does not answer, cannot be written or is damaged. */
export class BackendConnectionError extends KnowledgeStoreError {}

type ErrorClass = new (
  reason: ErrorReason,
  message: string,
  options?: RAGErrorOptions,
) => KnowledgeStoreError;

const CLASS_OF_CODE: Readonly<Partial<Record<RAGErrorCode, ErrorClass>>> = {
  [RAGErrorCode.VECTOR_STORE_UNAVAILABLE]: BackendConnectionError,
  [RAGErrorCode.EMBEDDING_FAILURE]: EmbeddingError,
  [RAGErrorCode.CONFIGURATION_ERROR]: KnowledgeStoreError,
};

/** Another model than the collection's: what to do differs from the engine's advice. */
const MODEL_MISMATCHES: readonly ErrorReason[] = ['STORE_DIMENSION_MISMATCH', 'STORE_FINGERPRINT_MISMATCH'];

/**
 * Runs work of one kind. What it throws becomes the class that fits its reason: backend, embedding, configuration, else
 * the class of the work.
 */
export async function asErrorsOf<T>(fallback: ErrorClass, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toKnowledgeStoreError(error, fallback);
  }
}

function toKnowledgeStoreError(error: unknown, fallback: ErrorClass): KnowledgeStoreError {
  if (error instanceof KnowledgeStoreError) return error;
  if (!RAGError.isInstance(error))
    return new fallback('INTERNAL', 'The knowledge store failed in a way it should not. Please report it.', {
      cause: error,
    });
  const { code, reason, message, details } = error;
  const Class = CLASS_OF_CODE[code] ?? fallback;
  const advice = MODEL_MISMATCHES.includes(reason)
    ? 'This collection was made with another embedding model. Set the model back, or index the documents into another collection.'
    : message;
  return new Class(reason, advice, { cause: error, details });
}
