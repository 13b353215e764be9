import { sleep } from '../../core/runtime.js';
import { type Passing, type ServerCall, sendAgain, withinTime } from '../server-calls.js';
import { StoreConnection } from '../store-connection.js';
import { type Clients, clientsOf, withSignal } from './vertex-clients.js';
import { isRetryableStatus, refusalError, refusalOf, transportError } from './vertex-errors.js';
import type { ResolvedVertexOptions } from './vertex-options.js';

const LATE = 'What it began goes on; try again later, or raise the timeout of the store.';
/** Pauses while an operation of the service goes on. */
const FIRST_POLL_MS = 20;
const LAST_POLL_MS = 2_000;

export type CallOptions = ServerCall;

/** For every call of the client: retries are ours. */
export interface ClientCallOptions {
  readonly timeout: number;
  readonly retry: null;
}

type Send<T> = (clients: Clients, options: ClientCallOptions) => Promise<T>;

/** A long-running operation as the client gives it. */
export interface Operation<T> {
  readonly done?: boolean | null | undefined;
  getOperation(): Promise<unknown>;
  readonly result?: T | null | undefined;
}

/**
 * Calls of the official client: limited in time, cancellable, tried again. Whatever this store sends may be sent twice, so every call
 * is. A service that asks to wait (`Retry-After`) is waited for, within the limit.
 */
export class VertexSearchConnection extends StoreConnection {
  readonly #options: ResolvedVertexOptions;

  constructor(options: ResolvedVertexOptions) {
    super('Vertex AI Search', options.url.origin);
    this.#options = options;
  }

  /** What the call gives. */
  async call<T>(call: CallOptions, send: Send<T>): Promise<T> {
    return this.#limited(call, (clients, signal) => attempted(() => send(clients, this.#sending), signal));
  }

  /** The same; undefined where the service has no such thing. */
  find<T>(call: CallOptions, send: Send<T>): Promise<T | undefined> {
    return this.call<T | undefined>(call, async (clients, options) => {
      try {
        return await send(clients, options);
      } catch (error) {
        if (refusalOf(error)?.status === 404) return undefined;
        throw error;
      }
    });
  }

  /** What an operation of the service gives when it is done; undefined where there was nothing to do it with. */
  operate<T>(call: CallOptions, begin: Send<Operation<T> | undefined>): Promise<T | undefined> {
    return this.#limited(call, async (clients, signal) => {
      const operation = await attempted(() => begin(clients, this.#sending), signal);
      if (operation === undefined) return undefined;
      for (
        let pauseMs = FIRST_POLL_MS;
        operation.done !== true;
        pauseMs = Math.min(pauseMs * 2, LAST_POLL_MS)
      ) {
        await sleep(pauseMs, signal);
        // Throws what the operation failed of.
        await attempted(() => operation.getOperation(), signal);
      }
      return operation.result ?? undefined;
    });
  }

  async #limited<T>(
    call: CallOptions,
    work: (clients: Clients, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.begin(call.signal);
    const clients = await clientsOf(this.#options);
    const limited = { ...call, timeoutMs: this.#options.timeoutMs };
    try {
      return await withinTime(this, limited, (signal) => work(clients, signal), LATE);
    } catch (error) {
      const refusal = refusalOf(error);
      throw refusal === undefined
        ? transportError(this.address, call.action, error)
        : refusalError(this.address, call.action, refusal);
    }
  }

  get #sending(): ClientCallOptions {
    return { timeout: this.#options.timeoutMs, retry: null };
  }
}

const attempted = <T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> =>
  sendAgain(() => withSignal(signal, send), { signal, passing: passingOf });

/** A connection that broke passes; an answer does where its status says so. */
function passingOf(sent: PromiseSettledResult<unknown>): Passing | undefined {
  if (sent.status === 'fulfilled') return undefined;
  const refusal = refusalOf(sent.reason);
  if (refusal === undefined) return isTransport(sent.reason) ? {} : undefined;
  return isRetryableStatus(refusal.status) ? refusal : undefined;
}

/** Whether the connection broke. Errors of the client that are none are faults of ours, or of credentials. */
const isTransport = (error: unknown): boolean =>
  error instanceof Error &&
  /ECONN|EPIPE|socket hang up|network|fetch failed|ETIMEDOUT|EAI_AGAIN|Premature close/i.test(error.message);
