import type { FastifyPluginAsync } from 'fastify';
import * as z from 'zod';
import { OPERATIONS } from '../../../operations/engine.js';
import type { OperationRoute } from '../../../operations/operation.js';
import { OPERATION_ROUTES, type OperationName } from '../../client/routes.js';
import { jsonOf, noticesSchemas, requestIdSchema, tenantText } from '../schemas/common.js';
import { serve } from './serve.js';

/** Operations that are served as they are, by what their files say of their routes. */
export const operationRoutes: FastifyPluginAsync = async (app) => {
  for (const [key, route] of Object.entries(OPERATION_ROUTES)) {
    const name = key as OperationName;
    const { route: stated, ...operation } = OPERATIONS[name];
    const {
      access = operation.access,
      tag,
      summary,
      request,
      gives,
      outcome,
      ...limited
    } = (stated as () => OperationRoute)();
    const { signal: ends, ...fields } = request.shape;
    const hasBody = route.sends === 'body';
    serve(app, {
      ...{ route, access, tags: [tag], summary, ...limited },
      ...(hasBody
        ? { body: z.strictObject({ ...fields, tenantId: tenantText }) }
        : { query: z.strictObject(fields) }),
      response: jsonOf(
        gives,
        hasBody ? z.object({ requestId: requestIdSchema, ...outcome.shape, ...noticesSchemas }) : outcome,
      ),
      answer: async ({ body, query, view, signal, request: { id: requestId } }) => {
        const ask = view[name] as (request: object) => Promise<object>;
        const found = await ask({ ...body, ...query, ...(ends && { signal }) });
        return { ...found, ...(hasBody && { requestId }) };
      },
    });
  }
};
