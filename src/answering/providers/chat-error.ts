import { type ErrorReason, RAGError } from '../../core/errors.js';
import { type CallFailureKind, describeFailure } from '../../providers/call-failure.js';
import type { ProviderConnection } from '../../providers/provider-connection.js';
import { factsOf } from '../../providers/provider-table.js';
import { remedyFor } from '../../providers/remedy.js';

const REASONS: Readonly<Record<CallFailureKind, ErrorReason>> = {
  rejected: 'CHAT_REJECTED',
  busy: 'CHAT_UNAVAILABLE',
  unavailable: 'CHAT_UNAVAILABLE',
  late: 'CHAT_TIMEOUT',
  cancelled: 'ABORTED',
  unreadable: 'CHAT_OUTPUT_INVALID',
};

const PROBLEMS: Readonly<Record<CallFailureKind, string>> = {
  rejected: 'refused the request',
  busy: 'has no capacity for the request',
  unavailable: 'cannot be reached or failed',
  late: 'did not answer in time',
  cancelled: 'was not waited for: the operation was cancelled',
  unreadable: 'sent an answer that is not in its format',
};

/** Whatever a provider's package threw, as the error that leaves a chat model. Nothing of the request is in it. */
export function toChatError(error: unknown, connection: ProviderConnection, model: string): RAGError {
  if (RAGError.isInstance(error)) return error;
  const failure = describeFailure(error, connection.apiKey === undefined ? [] : [connection.apiKey]);
  const { kind, status, retryAfterMs, detail } = failure;
  const { label } = factsOf(connection.provider);
  const said = status === undefined ? detail : `${status}: ${detail}`;
  return new RAGError(
    REASONS[kind],
    `${label} ${PROBLEMS[kind]} (${connection.provider}:${model}; ${said}).${remedyFor(failure, connection)}`,
    {
      details: {
        model: `${connection.provider}:${model}`,
        ...(status === undefined ? {} : { status }),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      },
    },
  );
}
