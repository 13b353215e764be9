import type { FastifyRequest } from 'fastify';
import { type DeploymentReference, type EngineView, RAGError } from '../../../index.js';
import type { Permission, Principal } from '../authentication/principal.js';
import type { IdempotentWrites } from './idempotent-writes.js';

/** What every route works with: it never sees the engine, only what the caller's scope sees of it. */
export interface RequestContext {
  readonly view: EngineView;
  /** The caller's tenant's. */
  readonly deployment: DeploymentReference;
  readonly principal: Principal;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Fires `signal` where the time of the request is over and its timer had no turn yet. */
  readonly checkDeadline: () => void;
  readonly writes: IdempotentWrites;
  /** Parts that did not answer when they were checked last, or while the request waited. */
  readonly knownOut: () => readonly string[];
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the routes of Ragstone. */
    ragstone: RequestContext | null;
  }
  interface FastifyContextConfig {
    /** Who may call a route of Ragstone; `known`: every key and token, whatever it may do. Nobody may call a route without it. */
    access?: Permission | 'everyone' | 'known';
    /** It may take longer than other requests. */
    isLong?: boolean;
  }
}

/** The context of a request that was authenticated. */
export function contextOf(request: FastifyRequest): RequestContext {
  if (request.ragstone !== null) return request.ragstone;
  throw new RAGError('INTERNAL', 'A route that everyone may call asked who calls.');
}

/**
 * Holds the tenant that a body states against that of the caller, which it is without one.
 *
 * @throws RAGError `FORBIDDEN` for another one
 */
export function assertTenant(stated: string | undefined, { principal }: RequestContext): void {
  if (stated === undefined || stated === principal.scope.tenant) return;
  throw new RAGError('FORBIDDEN', 'The key or token is not of the tenant that `tenantId` names.');
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,200}$/;

/** Does a write once for each `idempotency-key` of a tenant. What `work` gives is kept, so it repeats nothing of the body. */
export async function writeOnce<Outcome>(
  request: FastifyRequest,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  const { principal, deployment, signal, writes } = contextOf(request);
  const stated = request.headers['idempotency-key'];
  if (stated !== undefined && (typeof stated !== 'string' || !IDEMPOTENCY_KEY.test(stated)))
    throw new RAGError('REQUEST_INVALID', 'The header idempotency-key must be 1 to 200 visible characters.');
  const { method, url, body } = request;
  return writes.run({
    tenant: principal.scope.tenant,
    deployment,
    // Who has other rights may have been answered otherwise.
    key: stated === undefined ? undefined : JSON.stringify([principal.scope, principal.name, stated]),
    content: [method, url, body ?? null],
    signal,
    work,
  });
}
