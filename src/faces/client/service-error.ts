import type { ErrorCategory, ErrorReason } from '../../core/errors.js';
import type { Problem } from '../service/requests/problem.js';

/** A stable reason of `docs/errors.md`; a younger service may know more. */
export type ServiceErrorReason = ErrorReason | (string & {});

/** What is known of a failed call. */
export interface ServiceErrorFacts {
  readonly reason: ServiceErrorReason;
  readonly message: string;
  readonly code: string;
  readonly category: ErrorCategory;
  readonly retryable: boolean;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

const BRAND = Symbol.for('ragstone.ServiceError');

/**
 * The one error that a client throws: what the service answered as a problem, or that no answer came. Its message says what is
 * wrong and holds no key.
 */
export class ServiceError extends Error {
  readonly reason: ServiceErrorReason;
  /** `E001` to `E005`. */
  readonly code: string;
  readonly category: ErrorCategory;
  /** The same call may succeed later without any change. */
  readonly retryable: boolean;
  /** Status of the answer; undefined where none came. */
  readonly status: number | undefined;
  /** Under which the log of the service tells of the call; undefined where no answer came. */
  readonly requestId: string | undefined;
  /** How long the service asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** @internal */
  readonly [BRAND] = true;

  constructor({ message, cause, ...facts }: ServiceErrorFacts) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ServiceError';
    this.reason = facts.reason;
    this.code = facts.code;
    this.category = facts.category;
    this.retryable = facts.retryable;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
  }

  /** Recognises errors across duplicate copies of the package. */
  static isInstance(value: unknown): value is ServiceError {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
  }
}

/** No answer came: nobody listens there, or the connection broke. */
export const unreachable = (message: string, cause?: unknown): ServiceError =>
  new ServiceError({
    reason: 'SERVER_UNREACHABLE',
    message,
    code: 'E001',
    category: 'provider',
    retryable: true,
    cause,
  });

/** The platform's `fetch` gave up, whatever limit the call has: that of Node.js waits five minutes for an answer to begin. */
export const givenUp = (cause: unknown): ServiceError =>
  new ServiceError({
    reason: 'REQUEST_TIMEOUT',
    message:
      '`fetch` waited no longer for the answer. Hand the client a `fetch` that waits longer for long calls.',
    code: 'E004',
    category: 'provider',
    retryable: true,
    cause,
  });

/** An answer came that is none of the service that this client was made for. */
export const incompatible = (message: string, status?: number): ServiceError =>
  new ServiceError({
    reason: 'SERVER_INCOMPATIBLE',
    message,
    code: 'E005',
    category: 'config',
    retryable: false,
    status,
  });

/** An answer that goes on longer than any of the service. */
export const tooLong = (most: number): ServiceError =>
  incompatible(
    `What answers there sends more than ${most / 1_048_576} MiB, and no Ragstone service does. Check the address.`,
  );

/** Nobody waits for the answer any more. */
export const aborted = (cause: unknown): ServiceError =>
  new ServiceError({
    reason: 'ABORTED',
    message: 'The call was cancelled.',
    code: 'E004',
    category: 'user',
    retryable: false,
    cause,
  });

/** The time that the caller gave is over. */
export const timedOut = (milliseconds: number, cause?: unknown): ServiceError =>
  new ServiceError({
    reason: 'REQUEST_TIMEOUT',
    message: `No answer came within ${milliseconds} ms.`,
    code: 'E004',
    category: 'provider',
    retryable: true,
    cause,
  });

/** What a service answered in place of a result. */
export const ofProblem = (
  { reason, detail, code, retryable, status, requestId }: Problem,
  retryAfterMs?: number,
): ServiceError =>
  new ServiceError({
    reason,
    message: detail,
    code,
    category: status < 500 ? 'user' : 'provider',
    retryable,
    status,
    requestId,
    retryAfterMs,
  });
