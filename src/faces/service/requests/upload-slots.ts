import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { contextOf } from './request-context.js';
import { type Place, SharedPlaces } from './shared-places.js';

/** How many forms may be under way, which are held in memory whole; 0 for any number. */
export interface UploadLimits {
  readonly maxUploads: number;
  readonly maxUploadsPerTenant: number;
}

interface Held {
  isWorkedOn: boolean;
  readonly place: Place;
}

/** Seconds after which another try is worth it. */
const RETRY_AFTER_S = '5';

/**
 * Refuses a form before its body is read, where too many are under way. What is returned does the work of a request that was let in:
 * its place is free when the work is done, also where the caller went before.
 */
export function limitUploads(
  app: FastifyInstance,
  { maxUploads, maxUploadsPerTenant }: UploadLimits,
): <Outcome>(request: FastifyRequest, work: () => Promise<Outcome>) => Promise<Outcome> {
  const forms = new SharedPlaces({ most: maxUploads, mostOfTenant: maxUploadsPerTenant });
  const heldBy = new WeakMap<FastifyRequest, Held>();
  const takeFor = (request: FastifyRequest, reply: FastifyReply): Place => {
    try {
      const place = forms.take();
      place.giveTo(contextOf(request).principal.scope.tenant);
      return place;
    } catch (error) {
      reply.header('retry-after', RETRY_AFTER_S);
      throw error;
    }
  };
  app.addHook('preParsing', async (request, reply) => {
    const held = { isWorkedOn: false, place: takeFor(request, reply) };
    heldBy.set(request, held);
    // A form that was not read to its end, or that the schema refused.
    reply.raw.once('close', () => {
      if (!held.isWorkedOn) held.place.leave();
    });
  });
  return async (request, work) => {
    const held = heldBy.get(request);
    if (held !== undefined) held.isWorkedOn = true;
    try {
      return await work();
    } finally {
      held?.place.leave();
    }
  };
}
