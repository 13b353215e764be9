import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { testDeployments } from '../../fleet/deployments/test-deployments.js';
import { AuditLog } from '../../operations/audit/audit-log.js';
import { testService } from '../service/test-service.js';
import { RagstoneClient } from './ragstone-client.js';
import { ROUTES } from './routes.js';

/** For operators; `health` tells programs the same. */
const PROBES = ['GET /health/rag/live', 'GET /health/rag/ready'];
const named = Object.values(ROUTES).map(({ method, path }) => `${method} ${path}`);

test('the client has each route of the OpenAPI document, and no other', async () => {
  const { app } = await testService({
    deployments: await testDeployments(),
    feedback: true,
    keys: async () => [],
    audit: new AuditLog({
      ...{ dataDir: temporaryFolder(), required: false, text: false, maxFileBytes: 9_999, keepFiles: 0 },
      onFailure: () => undefined,
    }),
  });
  const { paths } = (await app.inject('/openapi.json')).json<{ paths: Record<string, object> }>();
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect([...named, ...PROBES].sort()).toEqual(served.sort());
});

test('each route is called by the method of its name', () => {
  for (const name of Object.keys(ROUTES))
    expect(Object.getOwnPropertyNames(RagstoneClient.prototype)).toContain(name);
});

test('whatever changes something is sent with an idempotency key', () => {
  const asking = [
    'search',
    'answer',
    'context',
    'related',
    'conflicts',
    'explain',
    'explain-miss',
    'compare',
    'facets',
    'embedding',
    'chat',
    'validate',
  ];
  for (const route of Object.values(ROUTES)) {
    const isQuestion = route.method === 'GET' || asking.some((end) => route.path.endsWith(`/${end}`));
    expect([route.path, 'isWrite' in route]).toEqual([route.path, !isQuestion]);
  }
});
