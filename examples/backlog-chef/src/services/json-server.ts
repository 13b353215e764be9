import { createServer, type IncomingMessage } from 'node:http';

/** A request, as the routes see it. */
export interface ServiceRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly authorization: string | undefined;
}

/** An answer's JSON, or the status of a refusal. */
export type Respond = (request: ServiceRequest) => object | number;

/** A server of JSON on this machine. */
export interface JsonServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens on 127.0.0.1; port 0 is a free one. */
export async function startJsonServer(respond: Respond, port = 0): Promise<JsonServer> {
  const server = createServer((incoming, response) => {
    readBody(incoming)
      .then((body) => {
        const url = new URL(incoming.url ?? '/', 'http://localhost');
        const path = decodeURIComponent(url.pathname);
        const { authorization } = incoming.headers;
        const answer = respond({ path, query: url.searchParams, body, authorization });
        const [status, content] =
          typeof answer === 'number' ? [answer, { message: 'Refused' }] : [200, answer];
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
      })
      .catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(incoming: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const part of incoming) text += String(part);
  return text === '' ? undefined : JSON.parse(text);
}

/** HTTP Basic authentication. */
export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
