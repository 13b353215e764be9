import { once } from 'node:events';
import { createMcpServer } from './create-server.js';
import type { McpOptions } from './mcp-options.js';
import type { ReadableIndex } from './readable-index.js';
import { WebStandardStreamableHTTPServerTransport } from './sdk.js';

/** How a request over HTTP is answered. */
export interface McpRequestOptions extends McpOptions {
  /** The parsed body, where it was read before. Without it at most 4 MiB are read. */
  readonly body?: unknown;
}

/** As some servers write down that a client went away. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Answers one request of the Model Context Protocol over Streamable HTTP, without sessions. Whoever mounts it has checked
 * Host, Origin and who asks, and hands in the index as that scope sees it (`engine.as(scope)`); the tools read it and do
 * nothing else. Work stops when the request is aborted.
 */
export async function handleMcpRequest(
  request: Request,
  index: ReadableIndex,
  { body, ...options }: McpRequestOptions,
): Promise<Response> {
  // Nothing comes by itself from the server, so there is no stream to open and no session to end.
  if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
  const { signal } = request;
  const answered = new AbortController();
  const server = createMcpServer(index, options);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  try {
    await server.connect(transport);
    const aborted = once(signal, 'abort', { signal: answered.signal }).then(
      () => new Response(null, { status: CLIENT_CLOSED_REQUEST }),
    );
    aborted.catch(() => undefined);
    return await Promise.race([transport.handleRequest(request, { parsedBody: body }), aborted]);
  } finally {
    answered.abort();
    await server.close();
  }
}
