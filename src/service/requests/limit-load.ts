import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RAGError } from '../../index.js';
import { underPressure } from '../packages.js';

export interface LoadLimits {
  /** Requests under way at once; 0 for any number. */
  readonly maxRequests: number;
  /** How late the event loop may be, in milliseconds; 0 for any. */
  readonly maxDelayMs: number;
}

export interface TenantLimits {
  /** Requests of one tenant under way at once; 0 for any number. */
  readonly maxRequestsPerTenant: number;
}

/** Seconds after which another try is worth it. */
const RETRY_AFTER_S = '1';

/**
 * Refuses at once what the service could answer late only: callers that wait behind a queue without an end give up, and their
 * work is done for nobody. Routes that everyone may call are answered always, so that the health can be asked for.
 */
export async function limitLoad(
  app: FastifyInstance,
  { maxRequests, maxDelayMs }: LoadLimits,
): Promise<void> {
  let underWay = 0;
  if (maxRequests > 0)
    app.addHook('onRequest', async (request, reply) => {
      if (isForEveryone(request)) return;
      if (underWay >= maxRequests) throw new OverloadError();
      underWay += 1;
      // At the end of the answer, or when the caller goes.
      reply.raw.once('close', () => {
        underWay -= 1;
      });
    });
  if (maxDelayMs > 0)
    await app.register(underPressure, {
      maxEventLoopDelay: maxDelayMs,
      pressureHandler: async (request) => {
        if (!isForEveryone(request)) throw new OverloadError();
      },
    });
}

/**
 * Refuses more requests of one tenant than its share of those that may be under way: who holds many open, or sends their bodies slowly, keeps
 * none of the other tenants out. The user of this machine alone has no others beside him.
 */
export function limitTenants(app: FastifyInstance, { maxRequestsPerTenant: most }: TenantLimits): void {
  if (most === 0) return;
  const underWay = new Map<string, number>();
  app.addHook('onRequest', async ({ ragstone }, reply) => {
    if (ragstone === null || ragstone.principal.isLocal === true) return;
    const { tenant } = ragstone.principal.scope;
    const own = underWay.get(tenant) ?? 0;
    if (own >= most) {
      reply.header('retry-after', RETRY_AFTER_S);
      throw new RAGError(
        'RATE_LIMITED',
        'Too many requests of this tenant are under way. Try again shortly.',
      );
    }
    underWay.set(tenant, own + 1);
    reply.raw.once('close', () => {
      const left = (underWay.get(tenant) ?? 1) - 1;
      if (left > 0) underWay.set(tenant, left);
      else underWay.delete(tenant);
    });
  });
}

const isForEveryone = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.access === 'everyone';

/** It is the service's answer to what is asked of it, and no failure. */
export class OverloadError extends RAGError {
  constructor() {
    super('SERVICE_UNAVAILABLE', 'The service has more to do than it can. Try again shortly.');
  }
}
