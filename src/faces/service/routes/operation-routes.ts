import type { FastifyPluginAsync } from 'fastify';
import * as z from 'zod';
import type { ToldNotices } from '../../../index.js';
import { OPERATIONS } from '../../../operations/engine.js';
import type { OperationRoute } from '../../../operations/operation.js';
import { checked } from '../../../operations/requests/check-shape.js';
import { OPERATION_ROUTES, type OperationName } from '../../client/routes.js';
import { jsonOf, noticesSchemas, requestIdSchema, tenantText } from '../schemas/common.js';
import { serve } from './serve.js';

/** A body as the engine checks it: its errors name what was probably meant. */
const checkBody = ({ schema }: { readonly schema: unknown }) => {
  const refusal = { what: 'The body', reason: 'REQUEST_INVALID' } as const;
  return (body: unknown) => ({ value: checked(body, schema as z.ZodType, refusal) });
};

/** Operations that are served as they are: each takes its request, with the tenant, and gives its outcome. */
export const operationRoutes: FastifyPluginAsync = async (app) => {
  app.setValidatorCompiler(checkBody);
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
