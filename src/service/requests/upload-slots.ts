import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RAGError } from '../../index.js';
import { OverloadError } from './limit-load.js';
import { contextOf } from './request-context.js';

/** How many forms may be under way, which are held in memory whole; 0 for any number. */
export interface UploadLimits {
  readonly maxUploads: number;
  readonly maxUploadsPerTenant: number;
}

interface Held {
  isWorkedOn: boolean;
  readonly release: () => void;
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
  const underWay = new Map<string, number>();
  const held = new WeakMap<FastifyRequest, Held>();
  const refusalOf = ({ own, all }: { readonly own: number; readonly all: number }): RAGError | undefined => {
    if (maxUploadsPerTenant > 0 && own >= maxUploadsPerTenant)
      return new RAGError('RATE_LIMITED', 'Too many files of this tenant are being read. Try again shortly.');
    return maxUploads > 0 && all >= maxUploads ? new OverloadError() : undefined;
  };
  app.addHook('preParsing', async (request, reply) => {
    const { tenant } = contextOf(request).principal.scope;
    const own = underWay.get(tenant) ?? 0;
    const all = [...underWay.values()].reduce((sum, count) => sum + count, 0);
    const refusal = refusalOf({ own, all });
    if (refusal !== undefined) {
      reply.header('retry-after', RETRY_AFTER_S);
      throw refusal;
    }
    underWay.set(tenant, own + 1);
    let isReleased = false;
    const place: Held = {
      isWorkedOn: false,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        const left = (underWay.get(tenant) ?? 1) - 1;
        if (left > 0) underWay.set(tenant, left);
        else underWay.delete(tenant);
      },
    };
    held.set(request, place);
    // A form that was not read to its end, or that the schema refused.
    reply.raw.once('close', () => {
      if (!place.isWorkedOn) place.release();
    });
  });
  return async (request, work) => {
    const place = held.get(request);
    if (place !== undefined) place.isWorkedOn = true;
    try {
      return await work();
    } finally {
      place?.release();
    }
  };
}
