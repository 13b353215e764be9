import type { QdrantClient } from '@qdrant/js-client-rest';
import type * as z from 'zod';
import { loadDriver } from '../../core/load-driver.js';
import { noAnswerError, type Passing, type ServerCall, sendAgain, withinTime } from '../server-calls.js';
import { StoreConnection } from '../store-connection.js';
import { isRetryableStatus, type Refusal, refusalError } from './qdrant-errors.js';
import type { ResolvedQdrantOptions } from './qdrant-options.js';

export const QDRANT_PACKAGE = '@qdrant/js-client-rest@1.18.0';

const CHECK = 'Check that it runs, and the address of the store.';

/** The interface of the client that takes a signal for each call. */
export type QdrantApi = ReturnType<QdrantClient['api']>;

export interface CallOptions extends ServerCall {
  /** Sending it twice is as good as once, so it may be tried again. @default true */
  readonly isIdempotent?: boolean;
}

type Send = (api: QdrantApi, init: { readonly signal: AbortSignal }) => Promise<{ readonly data: unknown }>;

/** An answer, or why there is none. */
type Outcome = { readonly data: unknown } | { readonly refusal: Refusal };

/** Requests to one server: limited in time, cancellable, tried again where that is safe, with checked answers. */
export class QdrantConnection extends StoreConnection {
  readonly #options: ResolvedQdrantOptions;
  #api: Promise<QdrantApi> | undefined;

  constructor(options: ResolvedQdrantOptions) {
    super('Qdrant', `${options.origin}${options.prefix}`);
    this.#options = options;
  }

  /** The answer, which must be a success and have this shape. */
  async request<T>(schema: z.ZodType<T>, call: CallOptions, send: Send): Promise<T> {
    const found = await this.find(schema, { ...call, missing: 'fails' }, send);
    // `find` has thrown where there is none.
    return found as T;
  }

  /** The same; undefined where the server has no such thing. */
  async find<T>(
    schema: z.ZodType<T>,
    call: CallOptions & { readonly missing?: 'fails' },
    send: Send,
  ): Promise<T | undefined> {
    const outcome = await this.#ask(call, send);
    if ('refusal' in outcome) {
      if (outcome.refusal.status === 404 && call.missing !== 'fails') return undefined;
      throw refusalError(this.address, call.action, outcome.refusal);
    }
    const parsed = schema.safeParse(outcome.data);
    if (parsed.success) return parsed.data;
    throw noAnswerError(this, call.action, CHECK, parsed.error);
  }

  async #ask(call: CallOptions, send: Send): Promise<Outcome> {
    this.begin(call.signal);
    const api = await this.#load();
    const limited = { ...call, timeoutMs: this.#options.timeoutMs };
    try {
      return await withinTime(this, limited, (signal) =>
        sendAgain(() => outcomeOf(send(api, { signal })), {
          signal,
          attempts: call.isIdempotent === false ? 1 : undefined,
          passing: passingOf,
        }),
      );
    } catch (error) {
      throw noAnswerError(this, call.action, CHECK, error);
    }
  }

  #load(): Promise<QdrantApi> {
    this.#api ??= loadDriver(() => import('@qdrant/js-client-rest'), {
      store: 'Qdrant',
      install: QDRANT_PACKAGE,
    })
      .then((driver) => this.#apiOf(new driver.QdrantClient(this.#clientOptions())))
      .catch((error: unknown) => {
        this.#api = undefined;
        throw error;
      });
    return this.#api;
  }

  #apiOf(client: QdrantClient): QdrantApi {
    return client.api();
  }

  #clientOptions() {
    const { origin, prefix, apiKey } = this.#options;
    return {
      url: origin,
      prefix,
      // As a header, for the client writes a warning to the console where it is given a key and the address is `http`.
      headers: apiKey === undefined ? {} : { 'api-key': apiKey },
      // A limit of the client would take the place of the signal of a call.
      timeout: Number.POSITIVE_INFINITY,
      checkCompatibility: false,
    };
  }
}

/** Refusals as values; what broke before an answer came is thrown on. */
async function outcomeOf(sending: Promise<{ readonly data: unknown }>): Promise<Outcome> {
  try {
    return { data: (await sending).data };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return { refusal };
  }
}

/** A connection that broke passes; an answer does where its status says so. */
function passingOf(sent: PromiseSettledResult<Outcome>): Passing | undefined {
  if (sent.status === 'rejected') return {};
  if ('data' in sent.value) return undefined;
  const { status, retryAfterMs } = sent.value.refusal;
  return isRetryableStatus(status) ? { retryAfterMs } : undefined;
}

/** What the client throws for an answer that is no success. By their form, for two copies of the package have two classes. */
function refusalOf(error: unknown): Refusal | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('retry_after' in error) {
    const seconds = Number(error.retry_after);
    const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : undefined;
    return { status: 429, explanation: 'rate limit', retryAfterMs };
  }
  if (!('status' in error) || typeof error.status !== 'number') return undefined;
  const said = 'data' in error ? error.data : undefined;
  return {
    status: error.status,
    explanation: typeof said === 'string' ? said : (JSON.stringify(said) ?? ''),
  };
}
