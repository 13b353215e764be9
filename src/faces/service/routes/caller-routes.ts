import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type * as z from 'zod';
import { contextOf } from '../requests/request-context.js';
import { callerResponse, keysResponse } from '../schemas/callers.js';
import { jsonOf, problemResponses } from '../schemas/common.js';

const tags = ['Callers'];

export type Offers = z.output<typeof callerResponse>['offers'];

export interface CallerRouteOptions {
  readonly offers: Offers;
  /** Of all tenants. @default there is no route for them */
  readonly keys?: (() => Promise<z.output<typeof keysResponse>['keys']>) | undefined;
}

/** Who calls and what they may do, so that a page shows no more; all keys, for whoever runs the service. */
export const callerRoutes: FastifyPluginAsyncZod<CallerRouteOptions> = async (app, { offers, keys }) => {
  app.get(
    '/caller',
    {
      config: { access: 'known' },
      schema: {
        tags,
        summary: 'Who calls, and what the key or token may do',
        response: {
          200: jsonOf('The caller, and what the service offers.', callerResponse),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const { principal, view } = contextOf(request);
      const { name, permissions, isLocal = false } = principal;
      return { name, ...view.scope, permissions, isLocal, offers };
    },
  );
  if (keys === undefined) return;
  app.get(
    '/keys',
    {
      config: { access: 'admin' },
      schema: {
        tags,
        summary: 'Keys of all tenants, without their secrets',
        response: { 200: jsonOf('What each allows, and until when.', keysResponse), ...problemResponses },
      },
    },
    async () => ({ keys: await keys() }),
  );
};
