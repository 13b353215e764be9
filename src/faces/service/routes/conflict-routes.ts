import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { assertTenant, contextOf } from '../requests/request-context.js';
import { jsonOf, problemResponses } from '../schemas/common.js';
import { conflictsRequest, conflictsResponse } from '../schemas/conflicts.js';

/** What documents say alike, and where they contradict each other, as far as the caller may read both. */
export const conflictRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post(
    '/conflicts',
    {
      // It compares all that may be read, which is work as that of an answer.
      config: { access: 'read', limit: 'ai-answer' },
      schema: {
        tags: ['Documents'],
        summary: 'Duplicates and conflicts between documents',
        body: conflictsRequest,
        response: {
          200: jsonOf('Findings, the newer document of each first.', conflictsResponse),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const context = contextOf(request);
      const { tenantId, ...asked } = request.body;
      assertTenant(tenantId, context);
      const found = await context.view.conflicts({ ...asked, signal: context.signal });
      return { ...found, requestId: request.id };
    },
  );
};
