import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RAGError } from '../../../index.js';
import { underPressure } from '../packages.js';
import { OverloadError, type Place, type SharedPlaces } from './shared-places.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What it holds of the service now; null for what is not counted. */
    place: Place | null;
  }
  interface FastifyContextConfig {
    /** However much is under way. */
    isAlwaysAnswered?: boolean;
  }
}

/**
 * Refuses at once what the service could answer late only: callers that wait behind a queue without an end give up, and their
 * work is done in vain. The health can always be asked for.
 *
 * @param maxDelayMs how late the event loop may be; 0 for any
 */
export async function limitLoad(
  app: FastifyInstance,
  requests: SharedPlaces,
  maxDelayMs: number,
): Promise<void> {
  app.decorateRequest('place', null);
  app.addHook('onRequest', async (request, reply) => {
    if (isAlwaysAnswered(request)) return;
    request.place = requests.take();
    // At the end of the answer, or when the caller goes.
    reply.raw.once('close', () => request.place?.leave());
  });
  if (maxDelayMs > 0)
    await app.register(underPressure, {
      maxEventLoopDelay: maxDelayMs,
      pressureHandler: async (request) => {
        if (!isAlwaysAnswered(request)) throw new OverloadError();
      },
    });
}

/**
 * Refuses more requests of one tenant than its share of those that may be under way: who holds many open keeps none of the other tenants
 * out. The user of this machine alone has no others beside him.
 */
export function limitTenants(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => giveToTenant(request, request.place));
}

/**
 * Bodies that have not come whole hold places of their own, so that a caller that sends many slowly keeps no other request out; a body that came is counted as
 * a request again.
 */
export function limitUnfinishedBodies(
  app: FastifyInstance,
  { requests, bodies }: { readonly requests: SharedPlaces; readonly bodies: SharedPlaces },
): void {
  const change = (request: FastifyRequest, reply: FastifyReply, places: SharedPlaces): void => {
    request.place?.leave();
    // Its places are free already.
    if (reply.raw.destroyed) throw new RAGError('ABORTED', 'The caller went away.');
    request.place = places.take();
    giveToTenant(request, request.place);
  };
  app.addHook('preParsing', async (request, reply) => {
    if (request.place !== null && hasBody(request)) change(request, reply, bodies);
  });
  app.addHook('preValidation', async (request, reply) => {
    if (request.place !== null && hasBody(request)) change(request, reply, requests);
  });
}

/** The user of this machine alone has no others beside him, and no share. */
export function giveToTenant({ ragstone }: FastifyRequest, place: Place | null): void {
  if (ragstone === null || ragstone.principal.isLocal === true) return;
  place?.giveTo(ragstone.principal.scope.tenant);
}

/** Whether a body was announced. */
export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const isAlwaysAnswered = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.isAlwaysAnswered === true;
