import type * as z from 'zod';
import { noAnswerError, type Passing, type ServerCall, sendAgain, withinTime } from '../server-calls.js';
import { StoreConnection } from '../store-connection.js';
import { answerError, isRetryableStatus, type ServerAnswer } from './weaviate-errors.js';
import type { ResolvedWeaviateOptions } from './weaviate-options.js';

const CHECK = 'Check that it runs, and the address of the store.';

/** One request to the REST interface. */
export interface ServerRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** After `/v1`. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface CallOptions extends ServerCall {
  /** Sending it twice is as good as once, so it may be tried again. @default true */
  readonly isIdempotent?: boolean;
}

/**
 * Requests to one server: limited in time, cancellable, tried again where that is safe, with checked answers. By plain HTTP:
 * the official client takes no `AbortSignal`, and connects to two ports where this needs one.
 */
export class WeaviateConnection extends StoreConnection {
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;

  constructor({ url, apiKey, timeoutMs }: ResolvedWeaviateOptions) {
    super('Weaviate', url);
    this.#headers = {
      'content-type': 'application/json',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    };
    this.#timeoutMs = timeoutMs;
  }

  /** The answer, which must be a success and have this shape. */
  async request<T>(schema: z.ZodType<T>, request: ServerRequest, call: CallOptions): Promise<T> {
    return this.parse(schema, await this.ask(request, call), call);
  }

  /** Checks an answer. */
  parse<T>(schema: z.ZodType<T>, answer: ServerAnswer, call: CallOptions): T {
    if (!isSuccess(answer)) throw answerError(this.address, call.action, answer);
    const parsed = schema.safeParse(answer.body);
    if (parsed.success) return parsed.data;
    throw noAnswerError(this, call.action, CHECK, parsed.error);
  }

  /** The answer, whatever it is. */
  async ask(request: ServerRequest, call: CallOptions): Promise<ServerAnswer> {
    this.begin(call.signal);
    const limited = { ...call, timeoutMs: this.#timeoutMs };
    try {
      return await withinTime(this, limited, (signal) =>
        sendAgain(() => this.#send(request, signal), {
          signal,
          attempts: call.isIdempotent === false ? 1 : undefined,
          passing: passingOf,
        }),
      );
    } catch (error) {
      throw noAnswerError(this, call.action, CHECK, error);
    }
  }

  async #send({ method, path, body }: ServerRequest, signal: AbortSignal): Promise<ServerAnswer> {
    const response = await fetch(`${this.address}/v1${path}`, {
      method,
      headers: this.#headers,
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: response.ok ? parseBody(text) : text };
  }
}

/** A connection that broke passes; an answer does where its status says so. */
const passingOf = (sent: PromiseSettledResult<ServerAnswer>): Passing | undefined =>
  sent.status === 'rejected' || isRetryableStatus(sent.value.status) ? {} : undefined;

const parseBody = (text: string): unknown => (text === '' ? undefined : JSON.parse(text));

const isSuccess = ({ status }: ServerAnswer): boolean => status >= 200 && status < 300;
