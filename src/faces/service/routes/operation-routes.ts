import type { FastifyPluginAsync } from 'fastify';
import * as z from 'zod';
import type { ToldNotices } from '../../../index.js';
import { OPERATIONS } from '../../../operations/engine.js';
import type { OperationRoute } from '../../../operations/operation.js';
import { OPERATION_ROUTES, type OperationName } from '../../client/routes.js';
import { jsonOf, noticesSchemas, requestIdSchema, tenantText } from '../schemas/common.js';
import { serve } from './serve.js';

/** Operations that are served as they are: each takes its request, with the tenant, and gives its outcome. */
export const operationRoutes: FastifyPluginAsync = async (app) => {
  for (const [key, route] of Object.entries(OPERATION_ROUTES)) {
    const name = key as OperationName;
    const { access, route: stated } = OPERATIONS[name];
    const { limit, tag, summary, request, gives, outcome } = (stated as () => OperationRoute)();
    serve(app, {
      route,
      access,
      limit,
      tags: [tag],
      summary,
      body: request.omit({ signal: true }).extend({ tenantId: tenantText() }),
      response: jsonOf(gives, z.object({ requestId: requestIdSchema, ...outcome.shape, ...noticesSchemas })),
      answer: async ({ body, view, signal, request: { id: requestId } }) => {
        const ask = view[name] as (request: object) => Promise<ToldNotices>;
        return { ...(await ask({ ...body, signal })), requestId };
      },
    });
  }
};
