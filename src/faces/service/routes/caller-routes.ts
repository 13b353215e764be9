import type { FastifyPluginAsync } from 'fastify';
import type * as z from 'zod';
import { ROUTES } from '../../client/routes.js';
import { callerResponse, keysResponse } from '../schemas/callers.js';
import { jsonOf } from '../schemas/common.js';
import { serve } from './serve.js';

const tags = ['Callers'];

export type Offers = z.output<typeof callerResponse>['offers'];

export interface CallerRouteOptions {
  readonly offers: Offers;
  /** Of all tenants. @default there is no route for them */
  readonly keys?: (() => Promise<z.output<typeof keysResponse>['keys']>) | undefined;
}

/** Who calls and what they may do, so that a page shows no more; all keys, for operators. */
export const callerRoutes: FastifyPluginAsync<CallerRouteOptions> = async (app, { offers, keys }) => {
  serve(app, {
    route: ROUTES.caller,
    access: 'known',
    tags,
    summary: 'Who calls, and what the key or token may do',
    response: jsonOf('The caller, and what the service offers.', callerResponse),
    answer: async ({ context, view }) => {
      const { name, permissions, isLocal = false } = context.principal;
      return { name, ...view.scope, permissions, isLocal, offers };
    },
  });
  if (keys === undefined) return;
  serve(app, {
    route: ROUTES.keys,
    access: 'admin',
    tags,
    summary: 'Keys of all tenants, without their secrets',
    response: jsonOf('What each allows, and until when.', keysResponse),
    answer: async () => ({ keys: await keys() }),
  });
};
