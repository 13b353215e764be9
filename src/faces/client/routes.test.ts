import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { testDeployments } from '../../fleet/deployments/test-deployments.js';
import { AuditLog } from '../../operations/audit/audit-log.js';
import { testService } from '../service/test-service.js';
import { RagstoneClient } from './ragstone-client.js';
import { ROUTES, type Route } from './routes.js';

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

test('the method of each route sends its arguments where the route has them', async () => {
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    if (name === 'runEvents') continue;
    let sent: { readonly url: URL; readonly init: RequestInit } | undefined;
    const send = (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
      sent = { url: new URL(String(url)), init };
      const type = name === 'documentOriginal' ? 'application/octet-stream' : 'application/json';
      return Promise.resolve(new Response('{}', { headers: { 'content-type': type } }));
    };
    const client = new RagstoneClient({
      url: 'http://service',
      tenant: 'acme',
      healthEndpoint: '/ok',
      fetch: send,
    });
    const methods = client as unknown as Record<string, (...given: readonly unknown[]) => Promise<unknown>>;
    const place = /\{\w+\}/.test(route.path) ? ['a/b'] : [];
    const asked = { files: [], cursor: 'c' };
    await methods[name]?.(...place, ...(route.sends === undefined ? [] : [asked]), { requestId: 'r' });
    const path = route.path.replace(/\{\w+\}/, 'a%2Fb').replace('/health/rag', '/ok');
    expect([name, sent?.init.method, sent?.url.pathname]).toEqual([name, route.method, path]);
    expect(new Headers(sent?.init.headers).get('x-request-id')).toBe('r');
    const { body } = sent?.init ?? {};
    const fields = body instanceof FormData ? Object.fromEntries(body) : JSON.parse(String(body ?? '{}'));
    const query = Object.fromEntries(sent?.url.searchParams ?? []);
    const isInBody = route.sends === 'body' || route.sends === 'form';
    expect([name, body !== undefined]).toEqual([name, isInBody]);
    const stated = isInBody ? (fields as object) : query;
    expect([name, stated]).toMatchObject([
      name,
      { ...(route.sends && { cursor: 'c' }), ...(route.ofTenant && { tenantId: 'acme' }) },
    ]);
    expect([name, 'tenantId' in stated]).toEqual([name, route.ofTenant === true]);
  }
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
