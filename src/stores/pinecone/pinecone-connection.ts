import type * as PineconeModule from '@pinecone-database/pinecone';
import type { Index, Pinecone } from '@pinecone-database/pinecone';
import { loadDriver } from '../../core/load-driver.js';
import { type Passing, type ServerCall, sendAgain, withinTime } from '../server-calls.js';
import { StoreConnection } from '../store-connection.js';
import { isRetryableStatus, type Refusal, refusalError, transportError } from './pinecone-errors.js';
import type { ResolvedPineconeOptions } from './pinecone-options.js';

export const PINECONE_PACKAGE = '@pinecone-database/pinecone@8.2.0';

const LATE = 'Try again later, or raise the timeout of the store.';

type Driver = typeof PineconeModule;

export type CallOptions = ServerCall;

/** Where a namespace is. */
export interface NamespacePlace {
  /** Address of the index. */
  readonly host: string;
  readonly namespace: string;
}

/** What the last answer of a call was, beside its body. */
interface Answered {
  status?: number;
  explanation?: string;
  retryAfterMs?: number;
  headers?: Headers;
}

/** The value of a call; undefined where there is no such thing (404). */
export interface Outcome<T> {
  readonly value: T | undefined;
  readonly headers: Headers;
}

/** What came of sending something once. */
type Sent<T> =
  | Outcome<T>
  | { readonly refusal: Refusal & Passing }
  /** An answer that the client cannot read, which will not be another the next time: what it threw. */
  | { readonly unreadable: unknown };

/**
 * Calls of the official client: limited in time, cancellable, tried again where the service is busy or the connection broke. Every call has a
 * client of its own, a light object, because the client takes a signal, and shows headers, only by the `fetch` that it is made with.
 */
export class PineconeConnection extends StoreConnection {
  readonly #options: ResolvedPineconeOptions;
  #driver: Promise<Driver> | undefined;

  constructor(options: ResolvedPineconeOptions) {
    super('Pinecone', options.controllerHost);
    this.#options = options;
  }

  /** One call to the control plane. */
  control<T>(call: CallOptions, run: (client: Pinecone) => Promise<T>): Promise<Outcome<T>> {
    return this.#call(this.address, call, run);
  }

  /** One call to a namespace of an index. */
  data<T>(
    { host, namespace }: NamespacePlace,
    call: CallOptions,
    run: (index: Index) => Promise<T>,
  ): Promise<Outcome<T>> {
    return this.#call(host, call, (client) => run(client.index({ host, namespace })));
  }

  async #call<T>(
    address: string,
    { action, signal }: CallOptions,
    run: (client: Pinecone) => Promise<T>,
  ): Promise<Outcome<T>> {
    this.begin(signal);
    const driver = await this.#load();
    const ends = AbortSignal.any([this.closing, ...(signal === undefined ? [] : [signal])]);
    const limited = { action, signal: ends, timeoutMs: this.#options.timeoutMs };
    try {
      const sent = await withinTime(
        { title: this.title, address },
        limited,
        (end) => sendAgain(() => this.#send(driver, end, run), { signal: end, passing: passingOf }),
        LATE,
      );
      if ('refusal' in sent) throw refusalError(address, action, sent.refusal);
      if ('unreadable' in sent) throw sent.unreadable;
      return sent;
    } catch (error) {
      this.begin(signal);
      throw transportError(address, action, error);
    }
  }

  async #send<T>(
    driver: Driver,
    signal: AbortSignal,
    run: (client: Pinecone) => Promise<T>,
  ): Promise<Sent<T>> {
    const answered: Answered = {};
    try {
      const value = await run(this.#clientFor(driver, signal, answered));
      return { value, headers: answered.headers ?? new Headers() };
    } catch (error) {
      const { status, explanation = '', retryAfterMs, headers } = answered;
      if (status === undefined || headers === undefined) throw error;
      if (status === 404) return { value: undefined, headers };
      return status >= 400 ? { refusal: { status, explanation, retryAfterMs } } : { unreadable: error };
    }
  }

  #load(): Promise<Driver> {
    this.#driver ??= loadDriver(() => import('@pinecone-database/pinecone'), {
      store: 'Pinecone',
      install: PINECONE_PACKAGE,
    }).catch((error: unknown) => {
      this.#driver = undefined;
      throw error;
    });
    return this.#driver;
  }

  #clientFor({ Pinecone: Client }: Driver, signal: AbortSignal, answered: Answered): Pinecone {
    return new Client({
      apiKey: this.#options.apiKey,
      controllerHostUrl: this.address,
      sourceTag: 'ragstone',
      // Retries of the client wait without a signal, and not where the rate is limited.
      maxRetries: 0,
      fetchApi: async (url: string | URL | Request, init?: RequestInit) => {
        const response = await fetch(url, { ...init, signal });
        answered.status = response.status;
        answered.headers = response.headers;
        if (response.ok) return response;
        answered.retryAfterMs = 1_000 * (Number(response.headers.get('retry-after')) || 0);
        answered.explanation = await response.clone().text();
        return response;
      },
    });
  }
}

/** A connection that broke passes; an answer does where its status says so. */
function passingOf(sent: PromiseSettledResult<Sent<unknown>>): Passing | undefined {
  if (sent.status === 'rejected') return {};
  if (!('refusal' in sent.value)) return undefined;
  return isRetryableStatus(sent.value.refusal.status) ? sent.value.refusal : undefined;
}
