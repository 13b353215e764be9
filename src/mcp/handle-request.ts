import { once } from 'node:events';
import type { RAGError } from '../index.js';
import { createMcpServer } from './create-server.js';
import type { McpOptions } from './mcp-options.js';
import type { ReadableIndex } from './readable-index.js';
import { WebStandardStreamableHTTPServerTransport } from './sdk.js';

/** How a request over HTTP is answered. */
export interface McpRequestOptions extends McpOptions {
  /** The parsed body, where it was read before. Without it at most 4 MiB are read. */
  readonly body?: unknown;
}

/** What else fails names stores, models and settings. */
const isOfAsker = ({ category }: RAGError): boolean => category === 'user';

/** The protocol has none since its version 2025-06-18. */
const noBatches = (): Response =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'Send one message in each request.' } },
    { status: 400 },
  );

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
  // Its calls would count as one, and one of them could cancel another that then never answers.
  if (Array.isArray(body)) return noBatches();
  const { signal } = request;
  const answered = new AbortController();
  const server = createMcpServer(index, { tells: isOfAsker, ...options });
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
