import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
} from 'fastify';
import type * as z from 'zod';
import { withoutUndefined } from '../../../core/without-undefined.js';
import type { Route } from '../../client/routes.js';
import { assertTenant, contextOf, type RequestContext } from '../requests/request-context.js';
import { problemResponses } from '../schemas/common.js';

/** A request whose caller is known, and whose tenant is the caller's. */
export interface CallOf<Params, Body = unknown, Query = unknown> {
  /** Without `tenantId`, which was held against the caller. */
  readonly body: Omit<Body, 'tenantId'>;
  readonly query: Omit<Query, 'tenantId'>;
  readonly params: Params;
  readonly context: RequestContext;
  readonly view: RequestContext['view'];
  readonly signal: AbortSignal;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

interface Described<Response extends z.ZodType> {
  readonly description: string;
  readonly content: { readonly 'application/json'?: { readonly schema: Response } } & Readonly<
    Record<string, { readonly schema: z.ZodType }>
  >;
}

/** A route of the service. */
interface ServedRoute<
  Body extends z.ZodType,
  Query extends z.ZodType,
  Params extends z.ZodType,
  Response extends z.ZodType,
> extends Pick<FastifyContextConfig, 'limit'> {
  readonly route: Route;
  readonly access: NonNullable<FastifyContextConfig['access']>;
  /** Bytes. @default of the service */
  readonly bodyLimit?: number;
  readonly tags: string[];
  readonly summary: string;
  readonly consumes?: string[];
  readonly body?: Body;
  readonly query?: Query;
  readonly params?: Params;
  /** Of a success. @default 200 */
  readonly status?: 200 | 202 | 204;
  /** Of a success; of another kind than JSON where `answer` sends it. */
  readonly response: Described<Response> | z.ZodNull;
  readonly answer: (
    call: CallOf<z.output<Params>, z.output<Body>, z.output<Query>>,
  ) => Promise<z.input<Response> | FastifyReply>;
}

/** Serves a route: its body, query and path are checked, described in OpenAPI, and held against the tenant of the caller. */
export function serve<
  Body extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Params extends z.ZodType = z.ZodUndefined,
  Response extends z.ZodType = z.ZodNever,
>(app: FastifyInstance, served: ServedRoute<Body, Query, Params, Response>): void {
  const { route, access, limit, bodyLimit, tags, summary, consumes, body, query, params } = served;
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...withoutUndefined({ bodyLimit }),
    config: { access, ...withoutUndefined({ limit }), isLong: route.isLong === true },
    schema: withoutUndefined({
      ...{ tags, summary, consumes, body, params, querystring: query },
      response: { [served.status ?? 200]: served.response, ...problemResponses },
    }) satisfies FastifySchema,
    handler: async (request, reply) => {
      const context = contextOf(request);
      const { view, signal } = context;
      return served.answer({
        body: ofCaller<z.output<Body>>(request.body, context),
        query: ofCaller<z.output<Query>>(request.query, context),
        params: request.params as z.output<Params>,
        ...{ context, view, signal, request, reply },
      });
    },
  });
}

/** What was stated, without the tenant. Throws `FORBIDDEN` for another one than the caller's. */
function ofCaller<Stated>(stated: unknown, context: RequestContext): Omit<Stated, 'tenantId'> {
  if (typeof stated !== 'object' || stated === null) return stated as Omit<Stated, 'tenantId'>;
  const { tenantId, ...rest } = stated as { readonly tenantId?: string };
  assertTenant(tenantId, context);
  return rest as unknown as Omit<Stated, 'tenantId'>;
}
