import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** A request as a provider's server sees it. */
export interface WireRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What a server does with one request. */
export type WireReply =
  | {
      readonly kind: 'body';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body: string;
    }
  | {
      readonly kind: 'stream';
      readonly pieces: readonly string[];
      /** `end`: closed as it should be. `cut`: the socket is destroyed. `silence`: open, and nothing more comes. */
      readonly then: 'end' | 'cut' | 'silence';
    }
  | { readonly kind: 'silence' };

/** A local server that speaks a provider's public format, and remembers what it was asked. */
export interface WireServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly requests: readonly WireRequest[];
  /** What was wrong with requests, by the documentation of the format. Empty after a test that passes. */
  readonly violations: readonly string[];
  close(): Promise<void>;
}

/** How a format is checked and answered. */
export interface WireFormat {
  /** Page of the provider's documentation that the checks follow. */
  readonly documentation: string;
  /** What breaks the documentation: wrong path, missing or wrong headers, unknown or wrong fields. */
  violationsOf(request: WireRequest): string[];
  /** The provider's body of an error. */
  errorBody(status: number, message: string): unknown;
}

/** JSON with a status, as most answers are. */
export const jsonReply = (
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): WireReply => ({
  kind: 'body',
  status,
  headers,
  body: JSON.stringify(value),
});

/**
 * Starts a server on a free port of this machine. A request that breaks the format is answered with 400 and the provider's error
 * body, as the provider would; all others go to `answer`, with the number of requests before them.
 */
export async function startWireServer(
  format: WireFormat,
  answer: (request: WireRequest, index: number) => WireReply,
): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const violations: string[] = [];
  const server = createServer((incoming, response) => {
    void readRequest(incoming).then((request) => {
      const problems = format.violationsOf(request);
      requests.push(request);
      violations.push(...problems);
      const problem = problems[0];
      send(
        problem === undefined
          ? answer(request, requests.length - 1)
          : jsonReply(400, format.errorBody(400, `${problem} (${format.documentation})`)),
        response,
      );
    });
  });
  const url = await listen(server);
  return {
    url,
    requests,
    violations,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`);
    });
  });
}

async function readRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString('utf8');
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: Object.fromEntries(headers),
    body: parsed(text),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function send(reply: WireReply, response: ServerResponse): void {
  if (reply.kind === 'silence') return;
  if (reply.kind === 'body') {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(reply.body);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  // Before the first event, so that an answer that never begins has headers all the same.
  response.flushHeaders();
  for (const piece of reply.pieces) response.write(piece);
  if (reply.then === 'end') response.end();
  // What was written must leave before the socket goes.
  if (reply.then === 'cut') setTimeout(() => response.destroy(), 20);
}

/** Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export const sseEvent = (data: unknown, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
