import type * as z from 'zod';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { runtime, sleep, timeoutSignal } from '../../core/runtime.js';
import {
  answerError,
  isRetryableStatus,
  type ServerAnswer,
  timeoutError,
  transportError,
} from './weaviate-errors.js';
import type { ResolvedWeaviateOptions } from './weaviate-options.js';

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 100;

/** One request to the REST interface. */
export interface ServerRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** After `/v1`. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  /** What is under way, for messages: `write chunks in collection "notes"`. */
  readonly action: string;
  readonly signal?: AbortSignal | undefined;
  /** Sending it twice is as good as once, so it may be tried again. @default true */
  readonly isIdempotent?: boolean;
}

/**
 * Requests to one server: limited in time, cancellable, tried again where that is safe, with checked answers. By plain HTTP:
 * the official client takes no `AbortSignal`, and connects to two ports where this needs one.
 */
export class WeaviateConnection {
  /** Without credentials. */
  readonly address: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  #isClosed = false;

  constructor({ url, apiKey, timeoutMs }: ResolvedWeaviateOptions) {
    this.address = url;
    this.#headers = {
      'content-type': 'application/json',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    };
    this.#timeoutMs = timeoutMs;
  }

  /** Throws `ABORTED` where the call is cancelled and `STORE_UNAVAILABLE` where the store is closed. */
  begin(signal?: AbortSignal): void {
    throwIfAborted(signal);
    if (this.#isClosed)
      throw new RAGError('STORE_UNAVAILABLE', 'The Weaviate store is closed; create a new one.');
  }

  /** Every later call is refused. Idle connections of the platform close by themselves. */
  close(): void {
    this.#isClosed = true;
  }

  /** The answer, which must be a success and have this shape. */
  async request<T>(schema: z.ZodType<T>, request: ServerRequest, call: CallOptions): Promise<T> {
    return this.parse(schema, await this.ask(request, call), call);
  }

  /** Checks an answer. */
  parse<T>(schema: z.ZodType<T>, answer: ServerAnswer, { action }: CallOptions): T {
    if (!isSuccess(answer)) throw answerError(this.address, action, answer);
    const parsed = schema.safeParse(answer.body);
    if (parsed.success) return parsed.data;
    throw transportError(this.address, action, parsed.error);
  }

  /** The answer, whatever it is. */
  async ask(request: ServerRequest, call: CallOptions): Promise<ServerAnswer> {
    this.begin(call.signal);
    const deadline = timeoutSignal(this.#timeoutMs);
    const signal = call.signal === undefined ? deadline : AbortSignal.any([call.signal, deadline]);
    try {
      return await this.#attempt(request, signal, call.isIdempotent === false ? 1 : ATTEMPTS);
    } catch (error) {
      throwIfAborted(call.signal);
      if (deadline.aborted) throw timeoutError(this.address, call.action, this.#timeoutMs);
      throw transportError(this.address, call.action, error);
    }
  }

  async #attempt(request: ServerRequest, signal: AbortSignal, attempts: number): Promise<ServerAnswer> {
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await this.#send(request, signal);
        if (!isRetryableStatus(answer.status) || attempt >= attempts) return answer;
      } catch (error) {
        if (signal.aborted || attempt >= attempts) throw error;
      }
      // Random, so that clients of a server that comes back do not all call at once.
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + runtime().random()), signal);
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

const parseBody = (text: string): unknown => (text === '' ? undefined : JSON.parse(text));

const isSuccess = ({ status }: ServerAnswer): boolean => status >= 200 && status < 300;
