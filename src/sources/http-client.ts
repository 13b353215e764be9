import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { type BulkheadPolicy, bulkhead } from 'cockatiel';
import { Agent, type Dispatcher, Pool, request } from 'undici';
import type * as z from 'zod';
import { RAGError, throwIfAborted } from '../core/errors.js';
import { retry } from '../core/retry.js';
import { runtime, sleep, timeoutSignal } from '../core/runtime.js';
import { withoutUndefined } from '../core/without-undefined.js';
import { createUrlGuard, type UrlGuard } from '../platform/security/url-guard.js';
import { connectionError, statusError } from './http-errors.js';

export interface HttpClientOptions extends Partial<PacingOptions> {
  /** Name of the source, for messages. */
  readonly source: string;
  /** Requests are made below this address: `https://example.atlassian.net/wiki`. */
  readonly baseUrl: string;
  /** Value of the `Authorization` header. Sent to the origin of `baseUrl` and to no other. */
  readonly authorization?: string;
  /** The base address may lie in a private network. Redirects to any other private address are refused in any case. @default false */
  readonly allowPrivateNetwork?: boolean;
  /** Of one request, in milliseconds. @default 30,000 */
  readonly timeoutMs?: number;
  /** How often a request is tried again that failed for a while. @default 6 */
  readonly retries?: number;
  /** Wait before the second try, in milliseconds; it doubles. @default 500 */
  readonly firstDelayMs?: number;
  /** Largest answer, in bytes. @default 32 MiB */
  readonly maxBytes?: number;
  /** @default the system's */
  readonly resolve?: ResolveName;
}

export interface HttpRequest {
  /** Below the base address, with a leading `/`; or a complete address. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON by POST. Only queries are sent so: a request that is tried again changes nothing. */
  readonly body?: unknown;
  /** Media type that is asked for. @default application/json */
  readonly accept?: string;
  /** Largest answer, in bytes. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  /** Lower case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** Where the answer came from, redirects followed. */
  readonly url: URL;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Reads from a service: waits and tries again as the service asks, in limits of size, time, number and rate, and opens no
 * address that the guard refuses.
 *
 * @throws RAGError `SOURCE_UNREADABLE`, `SOURCE_DENIED`, `SOURCE_REJECTED`, `SOURCE_ADDRESS_REFUSED`, `DOCUMENT_VANISHED` (404),
 *   `DOCUMENT_TOO_LARGE`, `ABORTED`; `details.status` where a status is the cause.
 */
export class HttpClient {
  /** Requests sent so far, repeated ones included. */
  requests = 0;
  readonly #options: HttpClientOptions;
  readonly #base: URL;
  readonly #guard: UrlGuard;
  readonly #connections: Agent;
  readonly #pacing: Pacing;

  constructor(options: HttpClientOptions) {
    const { allowPrivateNetwork = false, concurrency = 4, timeoutMs = 30_000, requestsPerSecond } = options;
    this.#options = options;
    this.#base = baseUrlOf(options);
    this.#guard = createUrlGuard(allowPrivateNetwork ? { privateOrigin: this.#base.origin } : {});
    this.#guard.assertAllowed(this.#base);
    this.#pacing = new Pacing({
      concurrency,
      ...withoutUndefined({ requestsPerSecond }),
    });
    this.#connections = openConnections({
      guard: this.#guard,
      timeoutMs,
      connections: concurrency,
      ...withoutUndefined({ resolve: options.resolve }),
    });
  }

  /** An answer in JSON of the shape that the service documents. */
  async json<T>(query: HttpRequest, schema: z.ZodType<T>): Promise<T> {
    return this.parse(await this.fetch(query), schema);
  }

  /** Reads the JSON of an answer. */
  parse<T>(answer: HttpAnswer, schema: z.ZodType<T>): T {
    let value: unknown;
    try {
      value = JSON.parse(answer.body.toString('utf8'));
    } catch {
      throw this.#unexpected(
        answer,
        'did not answer with JSON. Is the address right, and does the sign-in hold?',
      );
    }
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const at = result.error.issues[0]?.path.join('.') ?? '';
    throw this.#unexpected(answer, `did not answer as its documentation says (at "${at}").`);
  }

  /** An answer as it came. */
  async fetch(query: HttpRequest): Promise<HttpAnswer> {
    const { retries = 6, firstDelayMs = 500 } = this.#options;
    return retry(() => this.#pacing.run(() => this.#follow(query), query.signal), {
      retries,
      firstDelayMs,
      maxDelayMs: 5 * 60_000,
      isWorthRetrying: (error) => RAGError.isInstance(error) && error.reason === 'SOURCE_UNREADABLE',
      signal: query.signal,
    });
  }

  /** The complete address of a path below the base address, for people. */
  addressOf(path: string): string {
    return this.#urlOf({ path }).href;
  }

  /** Frees the connections. */
  close(): Promise<void> {
    return this.#connections.close();
  }

  #unexpected({ url }: HttpAnswer, text: string): RAGError {
    const address = url.origin + url.pathname;
    return new RAGError('SOURCE_REJECTED', `Source "${this.#options.source}": ${address} ${text}`, {
      details: { address },
    });
  }

  async #follow(query: HttpRequest): Promise<HttpAnswer> {
    let url = this.#urlOf(query);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      this.#guard.assertAllowed(url);
      const address = url.origin + url.pathname;
      try {
        const answer = await this.#send(url, query);
        if (answer.status < 300) return { ...answer, url };
        const { location } = answer.headers;
        if (!REDIRECTS.has(answer.status) || location === undefined || !URL.canParse(location, url.href))
          throw this.#statusError(answer, address);
        url = new URL(location, url.href);
      } catch (error) {
        throwIfAborted(query.signal);
        throw connectionError(error, { source: this.#options.source, address });
      }
    }
    throw new RAGError(
      'SOURCE_REJECTED',
      `Source "${this.#options.source}": ${url.origin} redirects without end.`,
    );
  }

  #statusError({ status, headers }: Pick<SentAnswer, 'status' | 'headers'>, address: string): RAGError {
    const wait = retryAfterMs(headers['retry-after'], runtime().now());
    return statusError(status, wait, { source: this.#options.source, address });
  }

  async #send(
    url: URL,
    { body, accept = 'application/json', maxBytes, signal }: HttpRequest,
  ): Promise<SentAnswer> {
    this.requests++;
    const { authorization, timeoutMs = 30_000 } = this.#options;
    const deadline = timeoutSignal(timeoutMs);
    const isHome = url.origin === this.#base.origin;
    const answer = await request(url, {
      dispatcher: this.#connections,
      method: body === undefined || !isHome ? 'GET' : 'POST',
      headers: {
        accept,
        'user-agent': 'ragstone',
        // A redirect to another place gets no credentials and no question.
        ...(authorization === undefined || !isHome ? {} : { authorization }),
        ...(body === undefined || !isHome ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined || !isHome ? {} : { body: JSON.stringify(body) }),
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
    const headers = plainHeaders(answer.headers);
    // Services ask for a pause on good answers too (Azure DevOps), and on refused ones for everybody.
    const pauseMs = retryAfterMs(headers['retry-after'], runtime().now());
    if (pauseMs !== undefined) this.#pacing.pause(Math.min(pauseMs, 60_000));
    const limit = maxBytes ?? this.#options.maxBytes ?? 32 * 1024 * 1024;
    return { status: answer.statusCode, headers, body: await this.#readBody(answer.body, limit, url) };
  }

  async #readBody(body: Dispatcher.ResponseData['body'], limit: number, url: URL): Promise<Buffer> {
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of body) {
      // Bodies of undici are read in buffers.
      const buffer = Buffer.from(part as Uint8Array);
      bytes += buffer.length;
      if (bytes > limit) {
        body.destroy();
        throw new RAGError(
          'DOCUMENT_TOO_LARGE',
          `Source "${this.#options.source}": the answer of ${url.origin + url.pathname} is larger than the ${limit} bytes that are read.`,
          { details: { maxBytes: limit } },
        );
      }
      parts.push(buffer);
    }
    return Buffer.concat(parts, bytes);
  }

  #urlOf({ path, query = {} }: HttpRequest): URL {
    const url = path.startsWith('/')
      ? new URL(this.#base.href.replace(/\/$/, '') + path)
      : new URL(path, this.#base);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.append(name, String(value));
    return url;
  }
}

/**
 * How long an answer asks to wait (`Retry-After`, RFC 9110 section 10.2.3: seconds, or a date), in milliseconds; undefined
 * where it does not ask.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

interface SentAnswer extends Omit<HttpAnswer, 'url'> {
  readonly status: number;
}

function plainHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): HttpAnswer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
}

function baseUrlOf({ baseUrl, source }: HttpClientOptions): URL {
  if (URL.canParse(baseUrl)) return new URL(baseUrl);
  throw new RAGError(
    'CONFIG_INVALID',
    `Source "${source}": its address is no URL. It begins with https:// and names the site, such as https://example.atlassian.net.`,
  );
}

interface PacingOptions {
  /** Requests under way at once. */
  readonly concurrency: number;
  /** Most requests begun in a second; absent means no limit. */
  readonly requestsPerSecond?: number;
}

/** Lets requests through a few at a time, at a steady rate, and none while the service asks for a pause. */
class Pacing {
  readonly #gate: BulkheadPolicy;
  readonly #intervalMs: number;
  #nextStart = 0;

  constructor({ concurrency, requestsPerSecond }: PacingOptions) {
    this.#gate = bulkhead(concurrency, Number.POSITIVE_INFINITY);
    this.#intervalMs = requestsPerSecond === undefined ? 0 : 1000 / requestsPerSecond;
  }

  /** Nothing is begun for this long. */
  pause(milliseconds: number): void {
    this.#nextStart = Math.max(this.#nextStart, runtime().now() + milliseconds);
  }

  run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return this.#gate.execute(async () => {
      await this.#turn(signal);
      return work();
    });
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    throwIfAborted(signal);
    const start = Math.max(runtime().now(), this.#nextStart);
    if (this.#intervalMs > 0) this.#nextStart = start + this.#intervalMs;
    const waitMs = start - runtime().now();
    if (waitMs <= 0) return;
    await sleep(waitMs, signal);
  }
}

/** Every address of a name. */
type ResolveName = (hostname: string) => Promise<LookupAddress[]>;

interface ConnectionOptions {
  readonly guard: UrlGuard;
  /** In milliseconds, for connecting, for the answer to begin, and between its parts. */
  readonly timeoutMs: number;
  /** Connections to one origin. */
  readonly connections: number;
  readonly resolve?: ResolveName;
}

/** Connections that go only where the guard allows: names are looked up here and nowhere else. */
function openConnections(options: ConnectionOptions): Agent {
  const { timeoutMs, connections } = options;
  return new Agent({
    factory: (origin) =>
      new Pool(origin, {
        connections,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        connect: { timeout: timeoutMs, lookup: guardedLookup(new URL(origin).origin, options) },
      }),
  });
}

function guardedLookup(origin: string, { guard, resolve = resolveAll }: ConnectionOptions): LookupFunction {
  return (hostname, options, callback) => {
    const answer = async (): Promise<void> => {
      const addresses = guard.allowedAddresses(origin, await resolve(hostname));
      const [first] = addresses;
      if (options.all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    };
    answer().catch((error: unknown) =>
      callback(error instanceof Error ? error : new Error(String(error)), ''),
    );
  };
}

const resolveAll: ResolveName = (hostname) => lookup(hostname, { all: true });
