import { type ErrorReason, RAGError, type RAGErrorOptions } from './errors.js';

/** An error as it goes from a thread or a process to another; without a reason it is a fault of ours or of a library. */
export interface SentError {
  readonly reason?: ErrorReason | undefined;
  readonly message: string;
  readonly details?: RAGErrorOptions['details'] | undefined;
}

export function sentError(error: unknown): SentError {
  if (!RAGError.isInstance(error)) return { message: String(error) };
  const { reason, message, details } = error;
  return { reason, message, details };
}

/** The error again; undefined where it had no reason, for only the receiver knows what that means. */
export const receivedError = ({ reason, message, details }: SentError): RAGError | undefined =>
  reason === undefined ? undefined : new RAGError(reason, message, details === undefined ? {} : { details });
