import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { LimitGroup } from '../../../config/schema/server.js';
import { RAGError } from '../../../index.js';
import type { RedisConnection } from '../../../platform/redis/open-redis.js';
import type { Authenticate, Principal } from '../authentication/principal.js';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from '../packages.js';

/** How often a tenant may call. */
export interface CallLimits {
  /** Calls of one route in a minute; 0 for any number. */
  readonly requestsPerMinute: number;
  /** Calls of all routes of a group in a minute; 0 for any number. */
  readonly groups?: { readonly [Group in LimitGroup]?: number | undefined } | undefined;
  /** Tells who calls a route that is for everyone, where a key is sent. */
  readonly authenticate: Authenticate;
  /** Where processes count together. While it does not answer each counts for itself. @default this process alone */
  readonly redis?: RedisConnection | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The limit that it shares with others, where one is set. */
    limit?: LimitGroup;
  }
}

const MINUTE_S = 60;

/** Each tenant has its own counts, and all who show no key have one. What is left is not told, so that equal answers stay equal. */
export function limitCalls(
  app: FastifyInstance,
  { requestsPerMinute, groups = {}, authenticate, redis }: CallLimits,
): void {
  const limiters = new Map<number, RateLimiterMemory | RateLimiterRedis>();
  const limiterOf = (points: number): RateLimiterMemory | RateLimiterRedis => {
    const limiter = limiters.get(points) ?? openLimiter(points, redis);
    limiters.set(points, limiter);
    return limiter;
  };
  app.addHook('preParsing', async (request, reply) => {
    const { routeOptions } = request;
    if (routeOptions.config.isAlwaysAnswered === true) return;
    const caller = await callerOf(request, authenticate);
    if (caller?.isLocal === true) return;
    const group = routeOptions.config.limit;
    const ofGroup = group && groups[group];
    const points = ofGroup ?? requestsPerMinute;
    if (points === 0) return;
    const counted = ofGroup === undefined ? `${request.method} ${routeOptions.url}` : group;
    try {
      await limiterOf(points).consume(JSON.stringify([caller?.scope.tenant ?? null, counted]));
    } catch (refused) {
      throw refused instanceof RateLimiterRes ? tooOften(refused, reply) : refused;
    }
  });
}

/** Undefined without a valid key, at a route that is for everyone. */
async function callerOf(
  { ragstone, headers }: FastifyRequest,
  authenticate: Authenticate,
): Promise<Principal | undefined> {
  if (ragstone !== null) return ragstone.principal;
  return authenticate({ headers }).catch(() => undefined);
}

function openLimiter(
  points: number,
  redis: RedisConnection | undefined,
): RateLimiterMemory | RateLimiterRedis {
  const memory = new RateLimiterMemory({ points, duration: MINUTE_S });
  if (redis === undefined) return memory;
  return new RateLimiterRedis({
    storeClient: redis.client,
    points,
    duration: MINUTE_S,
    keyPrefix: `ragstone:calls:${points}`,
    insuranceLimiter: memory,
    // A connection that is lost is known at once.
    rejectIfRedisNotReady: true,
  });
}

function tooOften({ msBeforeNext }: RateLimiterRes, reply: FastifyReply): RAGError {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  reply.header('retry-after', String(seconds));
  return new RAGError('RATE_LIMITED', `Too many calls of this route. Try again in ${seconds} seconds.`);
}
