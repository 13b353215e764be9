import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { contextOf } from '../requests/request-context.js';
import { logFailure } from '../requests/request-signal.js';

export interface McpRouteOptions {
  /** Answers what went wrong as every other route does. */
  readonly sendProblem: (
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => Promise<FastifyReply>;
}

/** As Fastify says it of a body. */
const isNoJson = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_INVALID_JSON_BODY';

/** The tools of `ragstone mcp` for assistants that ask over HTTP, as the caller's scope sees the index. */
export const mcpRoutes: FastifyPluginAsync<McpRouteOptions> = async (app, { sendProblem }) => {
  app.setErrorHandler(async (error, request, reply) => {
    if (!isNoJson(error)) return sendProblem(error, request, reply);
    if (request.audit) request.audit.reason = 'REQUEST_INVALID';
    const { notJson } = await import('../../mcp/handle-request.js');
    return reply.send(notJson());
  });
  app.route({
    // The protocol asks whether there is a stream by GET, and is told that there is none.
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    exposeHeadRoute: false,
    config: { access: 'read' },
    schema: { hide: true },
    handler: async (request, reply) => {
      const { view, signal } = contextOf(request);
      const { method, headers, body } = request;
      const stated = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' ? [[name, value]] : [],
      );
      const call = new Request('http://localhost/mcp', { method, headers: stated, signal });
      const { handleMcpRequest } = await import('../../mcp/handle-request.js');
      const answer = await handleMcpRequest(call, view, {
        version: '1',
        body,
        onError: (error) => logFailure(request, error, 'a tool failed'),
      });
      return reply.send(answer);
    },
  });
};
