import type * as z from 'zod';
import { type CalledServer, type Passing, type ServerCall, sendAgain, withinTime } from '../server-calls.js';
import { StoreConnection } from '../store-connection.js';
import type { ServerAnswer, ServerDriver, ServerRequest } from './server-driver.js';
import { answerError, isConnectionFailure, isRetryableStatus, transportError } from './server-errors.js';

export interface CallOptions extends ServerCall {
  /** Sending it twice is as good as once, so it may be tried again. @default true */
  readonly isIdempotent?: boolean;
  /** @default the connection's */
  readonly timeoutMs?: number;
}

/** Requests to one server: limited in time, cancellable, tried again where that is safe, with checked answers. */
export class ServerConnection extends StoreConnection {
  readonly #connect: () => Promise<ServerDriver>;
  readonly #timeoutMs: number;
  #driver: Promise<ServerDriver> | undefined;

  constructor(
    { title, address }: CalledServer,
    { connect, timeoutMs }: { readonly connect: () => Promise<ServerDriver>; readonly timeoutMs: number },
  ) {
    super(title, address);
    this.#connect = connect;
    this.#timeoutMs = timeoutMs;
  }

  /** The answer, which must be a success and have this shape. */
  async request<T>(schema: z.ZodType<T>, request: ServerRequest, call: CallOptions): Promise<T> {
    const answer = await this.#send(request, call);
    if (!isSuccess(answer)) throw answerError(this, call.action, answer);
    return this.#parse(schema, answer, call);
  }

  /** The same, or undefined where the server says that there is no such thing. */
  async find<T>(schema: z.ZodType<T>, request: ServerRequest, call: CallOptions): Promise<T | undefined> {
    const answer = await this.#send(request, call);
    if (answer.status === 404) return undefined;
    if (!isSuccess(answer)) throw answerError(this, call.action, answer);
    return this.#parse(schema, answer, call);
  }

  /** The answer, whatever it is. */
  ask(request: ServerRequest, call: CallOptions): Promise<ServerAnswer> {
    return this.#send(request, call);
  }

  override async close(): Promise<void> {
    await super.close();
    const loading = this.#driver;
    // A client that is closed a second time may never say that it is.
    this.#driver = undefined;
    const driver = await loading?.catch(() => undefined);
    await driver?.close();
  }

  #parse<T>(schema: z.ZodType<T>, { body }: ServerAnswer, { action }: CallOptions): T {
    const parsed = schema.safeParse(body);
    if (parsed.success) return parsed.data;
    throw transportError(this, action, parsed.error);
  }

  #load(): Promise<ServerDriver> {
    this.#driver ??= this.#connect().catch((error: unknown) => {
      this.#driver = undefined;
      throw error;
    });
    return this.#driver;
  }

  async #send(request: ServerRequest, call: CallOptions): Promise<ServerAnswer> {
    this.begin(call.signal);
    const driver = await this.#load();
    const limited = { ...call, timeoutMs: call.timeoutMs ?? this.#timeoutMs };
    try {
      return await withinTime(this, limited, (signal) =>
        sendAgain(() => driver.send(request, signal), {
          signal,
          attempts: call.isIdempotent === false ? 1 : undefined,
          passing: passingOf,
        }),
      );
    } catch (error) {
      throw transportError(this, call.action, error);
    }
  }
}

function passingOf(sent: PromiseSettledResult<ServerAnswer>): Passing | undefined {
  const isPassing =
    sent.status === 'fulfilled' ? isRetryableStatus(sent.value.status) : isConnectionFailure(sent.reason);
  return isPassing ? {} : undefined;
}

const isSuccess = ({ status }: ServerAnswer): boolean => status >= 200 && status < 300;
