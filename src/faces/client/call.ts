import type { ServiceError } from './service-error.js';

/** What every call may state. */
export interface CallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
  /** Longest time of the call with its repetitions, in milliseconds; the service is told, and stops too. @default that of the client */
  readonly timeoutMs?: number | undefined;
  /** How often a failure that may pass is tried again. @default that of the client */
  readonly retries?: number | undefined;
  /** Under which the service logs the call and remembers what it showed: 1 to 100 of `A-Z a-z 0-9 _ . : -`. @default made by the service */
  readonly requestId?: string | undefined;
}

/** What a call that follows something may state. */
export interface FollowOptions extends CallOptions {
  /** Told each time that the connection is lost or cannot be made again; the next state says that it is back. @default nobody */
  readonly onLost?: ((error: ServiceError) => void) | undefined;
}

/** What a call that changes something may state. */
export interface WriteOptions extends CallOptions {
  /** The same key with the same body changes it once. @default a new one for each call, the same for its repetitions */
  readonly idempotencyKey?: string | undefined;
}
