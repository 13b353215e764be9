import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { API_VERSION } from '../api-version.js';
import { jsonSchemaTransform, jsonSchemaTransformObject, swagger } from '../packages.js';
import { cachedAnswer } from '../requests/cached-answer.js';
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
    cachedAnswer('application/json; charset=utf-8', () => JSON.stringify(app.ragstoneOpenApi())),
  );
  app.get(
    '/docs',
    hidden,
    cachedAnswer('text/html; charset=utf-8', () => openApiPage(app.ragstoneOpenApi())),
  );
}
