import type { Problem } from '../service/requests/problem.js';
import type { CallOptions, FollowOptions, WriteOptions } from './call.js';
import { type ClientRuntime, PLATFORM } from './client-runtime.js';
import { readEvents, type StreamEvent } from './event-stream.js';
import { assertAnswered, JSON_TYPE, readJson } from './read-answer.js';
import type { Route } from './routes.js';
import { aborted, givenUp, ofProblem, ServiceError, timedOut, unreachable } from './service-error.js';

/** Gives the key of the moment. */
export type KeyProvider = () => string | Promise<string>;

/** How a service is reached. */
export interface ConnectionOptions {
  /** Address of the service, with the prefix under which its routes are mounted: `https://search.example.com/knowledge`. */
  readonly url: string | URL;
  /**
   * Key or token. A function is asked before every request, and once more where the service refuses what it gave, so keys can change
   * while the client is in use. @default none, for a service without keys on this machine
   */
  readonly key?: string | KeyProvider | undefined;
  /** Longest time of a call with its repetitions, in milliseconds; runs of all sources have none. @default 30,000 */
  readonly timeoutMs?: number | undefined;
  /** How often a failure that may pass (`retryable`) is tried again. @default 2 */
  readonly retries?: number | undefined;
  /** @default that of the platform */
  readonly fetch?: typeof fetch | undefined;
  /** @default that of the platform */
  readonly runtime?: ClientRuntime | undefined;
}

/** One call of a route. */
export interface Call {
  readonly route: Route;
  /** Its path, with its parameters. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

const TIMEOUT_MS = 30_000;
const RETRIES = 2;
const FIRST_WAIT_MS = 250;
const MOST_WAIT_MS = 30_000;
/** Short, for a person watches. */
const MOST_FOLLOW_WAIT_MS = 5_000;
/** The longest that the header takes. */
const MOST_TIMEOUT_MS = 3_600_000;
const EVENT_STREAM = 'text/event-stream';
const BYTES = 'application/octet-stream';

/** Sends calls to one service, tries again what may pass, and gives up in time. */
export class Connection {
  readonly #base: string;
  readonly #options: ConnectionOptions;
  readonly #runtime: ClientRuntime;

  /** Throws a `TypeError` for an address that is none of a service. */
  constructor(options: ConnectionOptions) {
    this.#base = baseOf(options.url);
    this.#options = options;
    this.#runtime = options.runtime ?? PLATFORM;
  }

  /** The result of a call. @throws ServiceError */
  async json<Result>(call: Call, options: WriteOptions = {}): Promise<Result> {
    const deadline = this.#deadline(call, options);
    try {
      return await this.#withRetries(
        async (headers) => {
          const response = await this.#send(call, { headers, accept: JSON_TYPE, deadline });
          await assertAnswered(response, { type: JSON_TYPE, alsoGood: call.route.alsoGood });
          return readJson<Result>(response);
        },
        { call, options, deadline },
      );
    } finally {
      deadline.end();
    }
  }

  /** What a call gives as bytes, and its headers. @throws ServiceError */
  async bytes(
    call: Call,
    options: CallOptions = {},
  ): Promise<{ readonly headers: Headers; readonly content: Blob }> {
    const deadline = this.#deadline(call, options);
    try {
      return await this.#withRetries(
        async (own) => {
          const response = await this.#send(call, { headers: own, accept: BYTES, deadline });
          await assertAnswered(response, { type: BYTES });
          return { headers: response.headers, content: await response.blob() };
        },
        { call, options, deadline },
      );
    } finally {
      deadline.end();
    }
  }

  /** The events of a call, as they come. Once the first has come, nothing is tried again. @throws ServiceError */
  async *events(call: Call, options: CallOptions = {}): AsyncGenerator<StreamEvent> {
    const deadline = this.#deadline(call, options);
    try {
      const body = await this.#withRetries(
        async (headers) => {
          const response = await this.#send(call, { headers, accept: EVENT_STREAM, deadline });
          await assertAnswered(response, { type: EVENT_STREAM });
          if (response.body === null) throw unreachable('The stream had no content.');
          return response.body;
        },
        { call, options, deadline },
      );
      yield* readEvents(body);
    } catch (error) {
      throw this.#failure(error, deadline);
    } finally {
      deadline.end();
    }
  }

  /**
   * What the events of a call hold that goes on for ever. Where the connection is lost, or the service is away, it is made again; it ends
   * by the caller's signal. @throws ServiceError what is not `retryable`
   */
  async *follow(call: Call, options: FollowOptions = {}): AsyncGenerator<string> {
    const deadline = startDeadline({ signal: options.signal, timeoutMs: undefined }, this.#runtime);
    try {
      for (let failures = 0; !deadline.signal.aborted; failures++) {
        let failure: ServiceError | undefined;
        try {
          for await (const { name, data } of this.events(call, { ...options, retries: 0 })) {
            if (name === 'error') throw ofProblem(JSON.parse(data) as Problem);
            failures = 0;
            yield data;
          }
        } catch (error) {
          failure = this.#failure(error, deadline);
          if (deadline.signal.aborted) return;
          if (!failure.retryable) throw failure;
          options.onLost?.(failure);
        }
        await deadline.wait(Math.min(MOST_FOLLOW_WAIT_MS, this.#waitAfter(failure ?? {}, failures)));
      }
    } finally {
      deadline.end();
    }
  }

  #deadline({ route }: Call, { signal, timeoutMs }: CallOptions): Deadline {
    const usual = route.isLong === true ? undefined : (this.#options.timeoutMs ?? TIMEOUT_MS);
    return startDeadline({ signal, timeoutMs: timeoutMs ?? usual }, this.#runtime);
  }

  async #withRetries<Result>(
    work: (headers: Headers) => Promise<Result>,
    { call, options, deadline }: { call: Call; options: WriteOptions; deadline: Deadline },
  ): Promise<Result> {
    const headers = this.#headersOf(call, options);
    const retries = options.retries ?? this.#options.retries ?? RETRIES;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#withKey(headers, work);
      } catch (cause) {
        const error = this.#failure(cause, deadline);
        if (!error.retryable || attempt >= retries) throw error;
        const waitMs = this.#waitAfter(error, attempt);
        // The answer would come too late.
        if (waitMs >= (deadline.left() ?? Number.POSITIVE_INFINITY)) throw error;
        await deadline.wait(waitMs);
      }
    }
  }

  /** Once more with another key, where the service refuses what a function gave and it has another by now. */
  async #withKey<Result>(headers: Headers, work: (headers: Headers) => Promise<Result>): Promise<Result> {
    const key = await this.#key();
    try {
      return await work(await asGiven(() => withKey(headers, key)));
    } catch (error) {
      if (!ServiceError.isInstance(error) || error.reason !== 'UNAUTHENTICATED') throw error;
      const next = await this.#key();
      if (next === key) throw error;
      return work(await asGiven(() => withKey(headers, next)));
    }
  }

  async #key(): Promise<string | undefined> {
    const { key } = this.#options;
    return asGiven(() => (typeof key === 'function' ? key() : key));
  }

  /** They are the same for every repetition, the idempotency key above all. */
  #headersOf({ route, body }: Call, { requestId, idempotencyKey }: WriteOptions): Headers {
    const headers = new Headers();
    // A form says its own type, with the boundary that it chose.
    if (body !== undefined && !(body instanceof FormData)) headers.set('content-type', JSON_TYPE);
    if (requestId !== undefined) headers.set('x-request-id', requestId);
    if (route.isWrite === true) headers.set('idempotency-key', idempotencyKey ?? this.#runtime.uniqueName());
    return headers;
  }

  async #send(
    call: Call,
    { headers, accept, deadline }: { headers: Headers; accept: string; deadline: Deadline },
  ): Promise<Response> {
    headers.set('accept', accept);
    const left = deadline.left();
    if (left !== undefined)
      headers.set('x-timeout-ms', String(Math.min(MOST_TIMEOUT_MS, Math.max(1, Math.ceil(left)))));
    const send = this.#options.fetch ?? fetch;
    const body = call.body === undefined ? undefined : await asGiven(() => payloadOf(call.body));
    return send(this.#base + addressOf(call), {
      method: call.route.method,
      headers,
      signal: deadline.signal,
      // A key is for the address that was given and no other.
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    });
  }

  /** Every failure of the way to the service as the one kind that a caller knows. @throws what the caller's own part threw */
  #failure(cause: unknown, deadline: Deadline): ServiceError {
    if (cause instanceof FaultOfCaller) throw cause.cause;
    const over = deadline.over();
    if (over !== undefined) return over;
    if (ServiceError.isInstance(cause)) return cause;
    if (isPlatformTimeout(cause)) return givenUp(cause);
    return unreachable(`No answer came from ${this.#base}. Is the service running there?`, cause);
  }

  /** Doubling, and by chance shorter, so that callers which failed together do not come back together. */
  #waitAfter({ retryAfterMs = 0 }: { readonly retryAfterMs?: number | undefined }, attempt: number): number {
    const most = Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
    return retryAfterMs + most * (0.5 + 0.5 * this.#runtime.random());
  }
}

/** The time limit of a call. */
interface Deadline {
  /** Fires when the caller cancels or the time is over. */
  readonly signal: AbortSignal;
  /** Milliseconds; undefined without a limit. */
  readonly left: () => number | undefined;
  /** Why the call is given up; undefined while it goes on. */
  readonly over: () => ServiceError | undefined;
  /** Waits between two tries; ends early when the signal fires. */
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly end: () => void;
}

/** Begins to wait for a call. The caller that begins it ends it. */
function startDeadline(
  { signal: callers, timeoutMs }: Pick<CallOptions, 'signal' | 'timeoutMs'>,
  { elapsed, setTimer }: ClientRuntime,
): Deadline {
  const controller = new AbortController();
  const start = elapsed();
  let reason: ServiceError | undefined;
  const stop = (why: ServiceError): void => {
    reason ??= why;
    controller.abort(why);
  };
  const onCancel = (): void => stop(aborted(callers?.reason));
  if (callers?.aborted === true) onCancel();
  callers?.addEventListener('abort', onCancel, { once: true });
  const cancelTimer =
    timeoutMs === undefined ? () => undefined : setTimer(() => stop(timedOut(timeoutMs)), timeoutMs);
  const { signal } = controller;
  return {
    signal,
    left: () => (timeoutMs === undefined ? undefined : Math.max(0, timeoutMs - (elapsed() - start))),
    over: () => reason,
    wait: (milliseconds) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const done = (): void => {
          cancel();
          signal.removeEventListener('abort', done);
          resolve();
        };
        const cancel = setTimer(done, milliseconds);
        signal.addEventListener('abort', done, { once: true });
      }),
    end: () => {
      cancelTimer();
      callers?.removeEventListener('abort', onCancel);
    },
  };
}

/** A key that could not be given, or a body that is no JSON: nothing of the way to the service, and not tried again. */
class FaultOfCaller extends Error {}

async function asGiven<Given>(give: () => Given | Promise<Given>): Promise<Given> {
  try {
    return await give();
  } catch (cause) {
    throw new FaultOfCaller('What the caller gave cannot be sent.', { cause });
  }
}

/** As the `fetch` of Node.js names its own limits, which no call states. */
const PLATFORM_TIMEOUTS = new Set<unknown>(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

const isPlatformTimeout = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && PLATFORM_TIMEOUTS.has(error.code)) || isPlatformTimeout(error.cause));

const payloadOf = (body: unknown): string | FormData =>
  body instanceof FormData ? body : JSON.stringify(body);

function baseOf(url: string | URL): string {
  const { protocol, origin, pathname, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new TypeError('The address of a service begins with http:// or https://.');
  if (username !== '' || password !== '')
    throw new TypeError('The address of a service holds no password: state it as `key`.');
  return origin + pathname.replace(/\/+$/, '');
}

function withKey(headers: Headers, key: string | undefined): Headers {
  const own = new Headers(headers);
  if (key !== undefined) own.set('authorization', `Bearer ${key}`);
  return own;
}

function addressOf({ path, query = {} }: Call): string {
  const stated = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return stated.length === 0 ? path : `${path}?${new URLSearchParams(stated).toString()}`;
}
