import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { API_VERSION } from '../api-version.js';
import { jsonSchemaTransform, jsonSchemaTransformObject, swagger } from '../packages.js';
import { openApiPage } from './openapi-page.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Of the routes of Ragstone alone. */
    ragstoneOpenApi(): OpenAPIV3_1.Document;
  }
}

const DESCRIPTION =
  'Search, answers and documents of one index. Errors are `application/problem+json` with a stable `reason`. Every write takes an `idempotency-key`; every request takes `x-timeout-ms`.';

/**
 * Describes the routes that come after it, at `/openapi.json`, with a page at `/docs`.
 *
 * @param basePath where a proxy shows the service
 */
export async function registerOpenApi(app: FastifyInstance, basePath = ''): Promise<void> {
  await app.register(swagger, {
    // An application around may describe its own routes under the usual name.
    decorator: 'ragstoneOpenApi' as 'swagger',
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Ragstone', version: API_VERSION, description: DESCRIPTION },
      ...(basePath === '' ? {} : { servers: [{ url: basePath }] }),
      components: {
        securitySchemes: {
          key: { type: 'http', scheme: 'bearer' },
          keyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        },
      },
      security: [{ key: [] }, { keyHeader: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  const hidden = { config: { access: 'everyone' }, schema: { hide: true } } as const;
  app.get(
    '/openapi.json',
    hidden,
    keptAnswer('application/json; charset=utf-8', () => JSON.stringify(app.ragstoneOpenApi())),
  );
  app.get(
    '/docs',
    hidden,
    keptAnswer('text/html; charset=utf-8', () => openApiPage(app.ragstoneOpenApi())),
  );
}

/** A text as it is sent. */
interface Form {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly encoding?: 'gzip';
}

interface Forms {
  readonly plain: Form;
  readonly packed: Form;
}

/** Seconds; the version of the service may change. */
const MAX_AGE_S = 300;
/** Not with the weight 0 (RFC 9110, 12.5.3). */
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/** Answers with a text that is the same for everyone: it is made for the first who asks, and no request has a copy of it. */
function keptAnswer(
  type: string,
  makeText: () => string,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  let kept: Forms | undefined;
  return async ({ headers }, reply) => {
    kept ??= formsOf(makeText());
    const { bytes, etag, encoding } = TAKES_GZIP.test(headers['accept-encoding'] ?? '')
      ? kept.packed
      : kept.plain;
    reply
      .header('cache-control', `public, max-age=${MAX_AGE_S}`)
      .header('etag', etag)
      .header('vary', 'accept-encoding');
    if (knows(headers['if-none-match'], etag)) return reply.code(304).send();
    if (encoding !== undefined) reply.header('content-encoding', encoding);
    return reply.type(type).send(bytes);
  };
}

function formsOf(text: string): Forms {
  const bytes = Buffer.from(text);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return {
    plain: { bytes, etag: `"${hash}"` },
    packed: { bytes: gzipSync(bytes, { level: 9 }), etag: `"${hash}-gzip"`, encoding: 'gzip' },
  };
}

/** `If-None-Match` (RFC 9110, 13.1.2), compared weakly. */
const knows = (stated: string | undefined, etag: string): boolean =>
  stated?.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, ''))) === true;
