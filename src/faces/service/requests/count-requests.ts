import type { FastifyInstance } from 'fastify';
import type { Monitoring } from '../../../index.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** It was counted when it was answered. */
    isCounted: boolean;
  }
}

/** What of a monitoring a service uses. */
export type ServiceMonitoring = Pick<Monitoring, 'metrics' | 'lastHealth'> &
  Partial<Pick<Monitoring, 'countRequest'>>;

/** Counts each request of an application and of those inside of it once, when it is answered. */
export function countRequests(app: FastifyInstance, { countRequest }: Partial<ServiceMonitoring> = {}): void {
  if (countRequest === undefined) return;
  if (!app.hasRequestDecorator('isCounted')) app.decorateRequest('isCounted', false);
  app.addHook('onResponse', async (request, reply) => {
    if (request.isCounted) return;
    request.isCounted = true;
    const { method, routeOptions } = request;
    countRequest({
      method,
      route: routeOptions.url,
      status: reply.statusCode,
      tookMs: reply.elapsedTime,
    });
  });
}
