import { type ErrorReason, RAGError } from '../../core/errors.js';
import { type CallFailureKind, describeFailure } from '../../providers/call-failure.js';
import type { ProviderConnection } from '../../providers/provider-connection.js';
import { factsOf } from '../../providers/provider-table.js';
import { remedyFor } from '../../providers/remedy.js';

const REASONS: Readonly<Record<CallFailureKind, ErrorReason>> = {
  rejected: 'EMBEDDING_REJECTED',
  busy: 'EMBEDDING_FAILED',
  unavailable: 'EMBEDDING_FAILED',
  late: 'EMBEDDING_FAILED',
  cancelled: 'ABORTED',
  // Asking again would bring the same.
  unreadable: 'EMBEDDING_REJECTED',
};

const PROBLEMS: Readonly<Record<CallFailureKind, string>> = {
  rejected: 'refused to embed',
  busy: 'has no capacity to embed',
  unavailable: 'cannot be reached or failed',
  late: 'did not answer in time',
  cancelled: 'was not waited for: the operation was cancelled',
  unreadable: 'sent an answer that is not in its format',
};

/** Whatever a provider's package threw, as the error that leaves an embedder. No text of a document is in it. */
export function toEmbeddingError(error: unknown, connection: ProviderConnection, model: string): RAGError {
  if (RAGError.isInstance(error)) return error;
  const failure = describeFailure(error, connection.apiKey === undefined ? [] : [connection.apiKey]);
  const { kind, status, retryAfterMs, detail } = failure;
  const id = `${connection.provider}:${model}`;
  const said = status === undefined ? detail : `${status}: ${detail}`;
  const tooLong = kind === 'rejected' && /token|context length|too long/i.test(detail);
  const remedy = tooLong
    ? ' State how much the model reads: rag.embedding.maxInputTokens.'
    : remedyFor(failure, connection);
  return new RAGError(
    REASONS[kind],
    `${factsOf(connection.provider).label} ${PROBLEMS[kind]} (${id}; ${said}).${remedy}`,
    {
      details: {
        model: id,
        ...(status === undefined ? {} : { status }),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      },
    },
  );
}
