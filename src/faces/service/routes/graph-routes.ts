import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { assertTenant, contextOf } from '../requests/request-context.js';
import { jsonOf, problemResponses } from '../schemas/common.js';
import { relatedRequest, relatedResponse } from '../schemas/graph.js';

/** What is connected with what, as far as the caller may read it. */
export const graphRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post(
    '/related',
    {
      config: { access: 'read', limit: 'ai-search' },
      schema: {
        tags: ['Documents'],
        summary: 'Documents that are connected with one, and how',
        body: relatedRequest,
        response: {
          200: jsonOf('Connected documents, each with the way that leads to it.', relatedResponse),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const context = contextOf(request);
      const { tenantId, ...asked } = request.body;
      assertTenant(tenantId, context);
      const found = await context.view.related({ ...asked, signal: context.signal });
      return { ...found, requestId: request.id };
    },
  );
};
