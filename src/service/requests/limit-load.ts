import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RAGError } from '../../index.js';
import { underPressure } from '../packages.js';

export interface LoadLimits {
  /** Requests under way at once; 0 for any number. */
  readonly maxRequests: number;
  /** How late the event loop may be, in milliseconds; 0 for any. */
  readonly maxDelayMs: number;
}

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

const isForEveryone = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.access === 'everyone';

/** It is the service's answer to what is asked of it, and no failure. */
export class OverloadError extends RAGError {
  constructor() {
    super('SERVICE_UNAVAILABLE', 'The service has more to do than it can. Try again shortly.');
  }
}
