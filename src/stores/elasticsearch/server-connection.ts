import type * as z from 'zod';
import { type CalledServer, type Passing, type ServerCall, sendAgain, withinTime } from '../server-calls.js';
import type { ServerAnswer, ServerDriver, ServerRequest } from './server-driver.js';
import { answerError, isConnectionFailure, isRetryableStatus, transportError } from './server-errors.js';

export interface CallOptions extends ServerCall {
  /** Sending it twice is as good as once, so it may be tried again. @default true */
  readonly isIdempotent?: boolean;
  /** @default the connection's */
  readonly timeoutMs?: number;
}

/** Requests to one server: limited in time, cancellable, tried again where that is safe, with checked answers. */
export class ServerConnection {
  readonly name: CalledServer;
  readonly #driver: ServerDriver;
  readonly #timeoutMs: number;

  constructor(name: CalledServer, driver: ServerDriver, timeoutMs: number) {
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
    const limited = { ...call, timeoutMs: call.timeoutMs ?? this.#timeoutMs };
    try {
      return await withinTime(this.name, limited, (signal) =>
        sendAgain(() => this.#driver.send(request, signal), {
          signal,
          attempts: call.isIdempotent === false ? 1 : undefined,
          passing: passingOf,
        }),
      );
    } catch (error) {
      throw transportError(this.name, call.action, error);
    }
  }
}

function passingOf(sent: PromiseSettledResult<ServerAnswer>): Passing | undefined {
  const isPassing =
    sent.status === 'fulfilled' ? isRetryableStatus(sent.value.status) : isConnectionFailure(sent.reason);
  return isPassing ? {} : undefined;
}

const isSuccess = ({ status }: ServerAnswer): boolean => status >= 200 && status < 300;
