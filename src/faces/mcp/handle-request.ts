import { once } from 'node:events';
import type { RAGError } from '../../index.js';
import { createMcpServer } from './create-server.js';
import type { McpOptions } from './mcp-options.js';
import { PARSE_ERROR, type Refusal, refusalOfMessage } from './message-lines.js';
import type { ReadableIndex } from './readable-index.js';
import { ErrorCode, WebStandardStreamableHTTPServerTransport } from './sdk.js';

/** How a request over HTTP is answered. */
export interface McpRequestOptions extends McpOptions {
  /** The parsed body, where it was read before. Without it at most 4 MiB are read. */
  readonly body?: unknown;
}

/** What else fails names stores, models and settings. */
const isOfAsker = ({ category }: RAGError): boolean => category === 'user';

/** The protocol has none since its version 2025-06-18. */
const NO_BATCHES: Refusal = {
  id: null,
  error: { code: ErrorCode.InvalidRequest, message: 'Send one message in each request.' },
};

const refused = (refusal: Refusal): Response =>
  Response.json({ jsonrpc: '2.0', ...refusal }, { status: 400 });

/** The answer to a body that is no JSON. */
export const notJson = (): Response => refused(PARSE_ERROR);

/** As some servers write down that a client went away. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Answers one request of the Model Context Protocol over Streamable HTTP, without sessions. The caller has checked
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
  if (Array.isArray(body)) return refused(NO_BATCHES);
  const refusal = body === undefined ? undefined : refusalOfMessage(body);
  if (refusal !== undefined) return refused(refusal);
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
