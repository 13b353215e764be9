import type * as z from 'zod';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { runtime, sleep, timeoutSignal } from '../../core/runtime.js';
import type { ServerAnswer, ServerDriver, ServerRequest } from './server-driver.js';
import {
  answerError,
  isConnectionFailure,
  isRetryableStatus,
  type ServerName,
  transportError,
} from './server-errors.js';

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 100;

export interface CallOptions {
  /** What is under way, for messages: `write chunks in collection "notes"`. */
  readonly action: string;
  readonly signal?: AbortSignal | undefined;
  /** Sending it twice is as good as once, so it may be tried again. @default true */
  readonly isIdempotent?: boolean;
  /** @default the connection's */
  readonly timeoutMs?: number;
}

/** Requests to one server: limited in time, cancellable, tried again where that is safe, with checked answers. */
export class ServerConnection {
  readonly name: ServerName;
  readonly #driver: ServerDriver;
  readonly #timeoutMs: number;

  constructor(name: ServerName, driver: ServerDriver, timeoutMs: number) {
    this.name = name;
    this.#driver = driver;
    this.#timeoutMs = timeoutMs;
  }

  /** The answer, which must be a success and have this shape. */
  async request<T>(schema: z.ZodType<T>, request: ServerRequest, call: CallOptions): Promise<T> {
    const answer = await this.#send(request, call);
    if (!isSuccess(answer)) throw answerError(this.name, call.action, answer);
    return this.#parse(schema, answer, call);
  }

  /** The same, or undefined where the server says that there is no such thing. */
  async find<T>(schema: z.ZodType<T>, request: ServerRequest, call: CallOptions): Promise<T | undefined> {
    const answer = await this.#send(request, call);
    if (answer.status === 404) return undefined;
    if (!isSuccess(answer)) throw answerError(this.name, call.action, answer);
    return this.#parse(schema, answer, call);
  }

  /** The answer, whatever it is. */
  ask(request: ServerRequest, call: CallOptions): Promise<ServerAnswer> {
    return this.#send(request, call);
  }

  close(): Promise<void> {
    return this.#driver.close();
  }

  #parse<T>(schema: z.ZodType<T>, { body }: ServerAnswer, { action }: CallOptions): T {
    const parsed = schema.safeParse(body);
    if (parsed.success) return parsed.data;
    throw transportError(this.name, action, parsed.error);
  }

  async #send(request: ServerRequest, call: CallOptions): Promise<ServerAnswer> {
    throwIfAborted(call.signal);
    const timeoutMs = call.timeoutMs ?? this.#timeoutMs;
    const deadline = timeoutSignal(timeoutMs);
    const signal = call.signal === undefined ? deadline : AbortSignal.any([call.signal, deadline]);
    try {
      return await this.#attempt(request, signal, call.isIdempotent === false ? 1 : ATTEMPTS);
    } catch (error) {
      throwIfAborted(call.signal);
      if (deadline.aborted) throw this.#timedOut(call.action, timeoutMs);
      throw transportError(this.name, call.action, error);
    }
  }

  async #attempt(request: ServerRequest, signal: AbortSignal, attempts: number): Promise<ServerAnswer> {
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await this.#driver.send(request, signal);
        if (!isRetryableStatus(answer.status) || attempt >= attempts) return answer;
      } catch (error) {
        if (!isConnectionFailure(error) || attempt >= attempts) throw error;
      }
      // Random, so that clients of a server that comes back do not all call at once.
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + runtime().random()), signal);
    }
  }

  #timedOut(action: string, timeoutMs: number): RAGError {
    const { title, address } = this.name;
    return new RAGError(
      'STORE_TIMEOUT',
      `${title} at ${address} could not ${action} within ${timeoutMs} ms. Look whether it is overloaded, or raise the timeout of the store.`,
      { details: { timeoutMs } },
    );
  }
}

const isSuccess = ({ status }: ServerAnswer): boolean => status >= 200 && status < 300;
