import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf, HttpFake } from '../http-fake.js';

/**
 * What goes wrong with one request: `busy` and `busy-date` are 429 with a wait in seconds and as a date, `error` 500, `conflict`
 * 409, `cut` ends the connection before the answer and `cut-body` within it, `slow` answers late.
 */
export const FAULTS = ['none', 'busy', 'busy-date', 'error', 'conflict', 'cut', 'cut-body', 'slow'] as const;
export type Fault = (typeof FAULTS)[number];

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly headers: IncomingMessage['headers'];
}

export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is where it is bytes. */
  readonly body?: unknown;
}

export interface FakeRoute {
  readonly method: 'GET' | 'POST';
  /** Matches the whole path; its groups are handed over. */
  readonly path: RegExp;
  /** Parameters that the API documents; any other is refused with 400. */
  readonly query: readonly string[];
  /** Members that the body may have. */
  readonly body?: readonly string[];
  readonly answer: (request: FakeRequest, groups: readonly string[]) => FakeAnswer;
}

export interface FakeApiOptions {
  readonly routes: readonly FakeRoute[];
  /** The only accepted `Authorization` header. */
  readonly authorization: string;
}

const SLOW_MS = 20;

/** An HTTP API that refuses what its documentation does not name, and fails as its script says, one fault a request. */
export class FakeApi extends HttpFake {
  /** What was asked, refused requests included. */
  readonly requests: FakeRequest[] = [];
  /** Faults of the next requests, in order; afterwards nothing goes wrong. */
  faults: Fault[] = [];
  readonly #options: FakeApiOptions;

  private constructor(options: FakeApiOptions) {
    super();
    this.#options = options;
  }

  static start(options: FakeApiOptions): Promise<FakeApi> {
    return new FakeApi(options).listening();
  }

  async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    this.requests.push(request);
    const fault = this.faults.shift() ?? 'none';
    if (fault === 'cut') incoming.socket.destroy();
    else if (fault === 'busy') send(response, { status: 429, headers: { 'retry-after': '0' } });
    else if (fault === 'busy-date')
      send(response, { status: 429, headers: { 'retry-after': new Date().toUTCString() } });
    else if (fault === 'error') send(response, { status: 500, body: { message: 'Internal error' } });
    else if (fault === 'conflict') send(response, { status: 409, body: { message: 'Conflict' } });
    else {
      if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
      send(response, this.#answer(request), fault === 'cut-body');
    }
  }

  #answer(request: FakeRequest): FakeAnswer {
    const { authorization, routes } = this.#options;
    if (request.headers.authorization !== authorization) return refuse(401, 'Sign in');
    if (request.headers.accept === undefined) return refuse(406, 'The header Accept is missing');
    if (request.method === 'POST' && request.headers['content-type'] !== 'application/json')
      return refuse(415, 'The header Content-Type is missing');
    for (const route of routes) {
      const groups = route.method === request.method ? route.path.exec(request.path) : null;
      if (groups === null || groups[0] !== request.path) continue;
      const unknown = [
        ...Object.keys(request.query).filter((name) => !route.query.includes(name)),
        ...Object.keys(request.body ?? {}).filter((name) => !(route.body ?? []).includes(name)),
      ];
      if (unknown.length > 0) return refuse(400, `Unknown parameters: ${unknown.join(', ')}`);
      return route.answer(request, groups.slice(1));
    }
    return refuse(404, 'No such resource');
  }
}

/** An answer that says what is wrong. */
export const refuse = (status: number, message: string): FakeAnswer => ({ status, body: { message } });

async function readRequest(incoming: IncomingMessage): Promise<FakeRequest> {
  const url = new URL(incoming.url ?? '/', 'http://localhost');
  const text = await bodyOf(incoming);
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  return {
    method: incoming.method ?? 'GET',
    path: decodeURIComponent(url.pathname),
    query: Object.fromEntries(url.searchParams),
    body,
    headers: incoming.headers,
  };
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: FakeAnswer, cut = false): void {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body ?? {}));
  const type = Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json';
  response.writeHead(status, { 'content-type': type, 'content-length': String(bytes.length), ...headers });
  if (!cut) response.end(bytes);
  else response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
}
