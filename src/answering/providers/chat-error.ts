import { type ErrorReason, RAGError } from '../../core/errors.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import {
  type CallFailure,
  type CallFailureKind,
  describeFailure,
} from '../../platform/providers/call-failure.js';
import type { ProviderConnection } from '../../platform/providers/provider-connection.js';
import { factsOf } from '../../platform/providers/provider-table.js';
import { remedyFor } from '../../platform/providers/remedy.js';

/** A model that is called, as errors speak of it. */
export interface CalledModel {
  /** `openai:gpt-5` */
  readonly id: string;
  /** Who runs it, for people. */
  readonly label: string;
  /** Texts that must not appear in an error. */
  readonly secrets: readonly string[];
  /** The next step after a failure, as a sentence that begins with a blank; empty where there is none. */
  readonly remedyFor: (failure: CallFailure) => string;
}

/** A model behind one of the providers that a configuration can name. */
export const calledModel = (connection: ProviderConnection, model: string): CalledModel => ({
  id: `${connection.provider}:${model}`,
  label: factsOf(connection.provider).label,
  secrets: connection.apiKey === undefined ? [] : [connection.apiKey],
  remedyFor: (failure) => remedyFor(failure, connection),
});

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
export function toChatError(error: unknown, model: CalledModel): RAGError {
  if (RAGError.isInstance(error)) return error;
  const failure = describeFailure(error, model.secrets);
  const { kind, status, retryAfterMs, detail } = failure;
  const said = status === undefined ? detail : `${status}: ${detail}`;
  return new RAGError(
    REASONS[kind],
    `${model.label} ${PROBLEMS[kind]} (${model.id}; ${said}).${model.remedyFor(failure)}`,
    {
      details: {
        model: model.id,
        ...withoutUndefined({ status, retryAfterMs }),
      },
    },
  );
}
