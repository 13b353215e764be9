import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { KnowledgeDeploymentService } from '../../../index.js';
import type { RedisConnection } from '../../../platform/redis/open-redis.js';
import type { IndexPlace } from '../index-place.js';
import type { PartChecks } from '../requests/part-checks.js';
import { jsonOf, problemResponses } from '../schemas/common.js';
import {
  deploymentsHealthResponse,
  healthResponse,
  liveResponse,
  partsHealthResponse,
} from '../schemas/index-state.js';

export interface HealthOptions {
  readonly checks: Pick<PartChecks, 'health'>;
  /** Counts calls, where several processes do that together. Without it the service answers, and each counts for itself. */
  readonly redis?: RedisConnection | undefined;
  /** Indexes that tenants have of their own, for operators. @default there are none */
  readonly deployments?: Pick<KnowledgeDeploymentService, 'deploymentHealth'> | undefined;
  /** How sources are followed, where this process does it. Without one of them the service answers, from what is indexed of it. */
  readonly syncHealth?: (() => boolean | undefined) | undefined;
  /** Where the index is kept; the service does not answer without it. @default it is not looked at */
  readonly place?: Pick<IndexPlace, 'isThere'> | undefined;
  /** Such as `/health/rag`. */
  readonly endpoint: string;
}

/** @default of `rag.monitoring.healthCheck.endpoint` */
export const USUAL_ENDPOINT = '/health/rag';

/** Whether the service can answer, for load balancers: it tells nothing else. */
export const healthRoutes: FastifyPluginAsyncZod<HealthOptions> = async (
  app,
  { checks: partChecks, redis, deployments, syncHealth, place, endpoint },
) => {
  const look = async () => {
    const { ok: doAllAnswer, parts, degradationLevel } = await partChecks.health();
    const isThere = place?.isThere() ?? true;
    const ready = degradationLevel !== undefined && isThere;
    const status = !ready ? 'unhealthy' : doAllAnswer ? 'healthy' : 'degraded';
    const isInStep = syncHealth?.();
    const all = [
      ...parts,
      ...(isThere ? [] : [{ part: 'data folder', ok: false }]),
      ...(redis === undefined ? [] : [{ part: 'redis', ok: redis.isUp }]),
      ...(isInStep === undefined ? [] : [{ part: 'sync', ok: isInStep }]),
    ];
    const checks = Object.fromEntries(all.map((part) => [part.part, part.ok ? 'ok' : 'failed'] as const));
    return { status, live: true, ready, ...(isThere ? { degradationLevel } : {}), checks } as const;
  };
  // Who knows nothing of the configuration (`ragstone health --server`, a probe) asks at the usual path.
  const endpoints = [...new Set([endpoint, USUAL_ENDPOINT])];
  for (const path of endpoints.flatMap((one) => [one, `${one}/ready`]))
    app.get(
      path,
      {
        config: { access: 'everyone', isAlwaysAnswered: true },
        schema: {
          tags: ['Health'],
          summary: 'Whether the service can answer, and at which level',
          security: [],
          response: {
            200: jsonOf('It can, perhaps with less than all of its parts.', healthResponse),
            503: jsonOf('No search is answered.', healthResponse),
          },
        },
      },
      async (_, reply) => {
        const health = await look();
        return reply.code(health.ready ? 200 : 503).send(health);
      },
    );
  for (const path of endpoints)
    app.get(
      `${path}/live`,
      {
        config: { access: 'everyone', isAlwaysAnswered: true },
        schema: {
          tags: ['Health'],
          summary: 'Whether the process of the service answers, whatever its parts do',
          security: [],
          response: { 200: jsonOf('It does.', liveResponse) },
        },
      },
      async () => ({ live: true }),
    );
  for (const path of endpoints)
    app.get(
      `${path}/parts`,
      {
        config: { access: 'admin' },
        schema: {
          tags: ['Health'],
          summary: 'Each part of the index that all tenants share, what is wrong with it, and its stores',
          response: {
            200: jsonOf('Also where one does not answer.', partsHealthResponse),
            ...problemResponses,
          },
        },
      },
      () => partChecks.health(),
    );
  if (deployments === undefined) return;
  for (const path of endpoints)
    app.get(
      `${path}/deployments`,
      {
        config: { access: 'admin' },
        schema: {
          tags: ['Health'],
          summary: 'Whether each index that a tenant has of its own answers, and why not',
          response: {
            200: jsonOf(
              'Also where one does not: the service serves the other tenants.',
              deploymentsHealthResponse,
            ),
            ...problemResponses,
          },
        },
      },
      async () => {
        const all = await deployments.deploymentHealth();
        const status = all.every(({ ok }) => ok) ? ('healthy' as const) : ('unhealthy' as const);
        return { status, deployments: all };
      },
    );
};
