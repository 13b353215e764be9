import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import * as z from 'zod';
import type { Monitoring } from '../../../index.js';
import { problemResponses } from '../schemas/common.js';

/** The metrics of the service, for Prometheus. They are over all tenants, so a permission of its own lets them be read. */
export const metricsRoute: FastifyPluginAsyncZod<NonNullable<Monitoring['metrics']>> = async (
  app,
  metrics,
) => {
  app.get(
    '/metrics',
    {
      config: { access: 'monitor' },
      schema: {
        tags: ['Health'],
        summary: 'What the service has counted and measured, over all tenants, as Prometheus reads it',
        response: {
          200: {
            description: 'In the text format of Prometheus.',
            content: { 'text/plain': { schema: z.string() } },
          },
          ...problemResponses,
        },
      },
    },
    async (_, reply) => {
      const text = await metrics.text();
      return reply.type(metrics.contentType).serializer(String).send(text);
    },
  );
};
