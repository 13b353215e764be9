import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { createEngine, RAGError, startMonitoring } from '../../../index.js';
import type { Permission } from '../authentication/principal.js';
import { testService } from '../test-service.js';

/** A service whose callers have the one permission that they send as their key. */
async function watchedService() {
  const engine = await createEngine({ config: { provider: 'memory' }, cwd: temporaryFolder() });
  const monitoring = await startMonitoring(engine);
  onTestFinished(() => monitoring.stop());
  return testService({
    engine,
    monitoring,
    authenticate: async ({ headers }) => {
      const permission = headers.authorization?.replace('Bearer ', '');
      if (permission === 'undefined') throw new RAGError('UNAUTHENTICATED', 'Nobody knows you.');
      return { name: 'k', scope: { tenant: 'acme' }, permissions: [permission as Permission] };
    },
  });
}

test.each(['read', 'write', 'maintain', 'admin'])(
  'the permission %s reads no metrics',
  async (permission) => {
    const { call } = await watchedService();
    const { status, text } = await call(permission, 'GET', '/metrics');
    expect(status).toBe(403);
    expect(text).not.toContain('rag_');
  },
);

test('who may monitor reads metrics and nothing else', async () => {
  const { call, engine } = await watchedService();
  await engine.push([{ id: 'a', text: 'Audit logs are kept.' }], { tenant: 'acme' });
  const { status, headers, text } = await call('monitor', 'GET', '/metrics');
  expect(status).toBe(200);
  expect(headers['content-type']).toContain('text/plain');
  expect(text).toContain('rag_indexing_documents_processed_total 1\n');
  expect((await call('monitor', 'GET', '/api/ai/rag/documents')).status).toBe(403);
  expect(
    (await call('monitor', 'POST', '/api/ai/rag/search', { query: 'audit', tenantId: 'acme' })).status,
  ).toBe(403);
  expect((await call('undefined', 'GET', '/metrics')).status).toBe(401);
});

test('requests are counted by their route, method and class of status, and nothing that a caller chooses is a label', async () => {
  const { call } = await watchedService();
  for (const id of ['a', 'b', 'c']) await call('read', 'GET', `/api/ai/rag/documents/${id}`);
  await call('read', 'POST', '/api/ai/rag/search', { query: 'audit', tenantId: 'acme' });
  await call('read', 'DELETE', '/api/ai/rag/documents/a');
  const { text } = await call('monitor', 'GET', '/metrics');
  const counts = text.split('\n').filter((line) => line.startsWith('rag_http_requests_total{'));
  expect(counts.sort()).toEqual([
    'rag_http_requests_total{route="/api/ai/rag/documents/:id",method="DELETE",status="4xx"} 1',
    'rag_http_requests_total{route="/api/ai/rag/documents/:id",method="GET",status="4xx"} 3',
    'rag_http_requests_total{route="/api/ai/rag/search",method="POST",status="4xx"} 1',
  ]);
  expect(text).toContain(
    'rag_http_request_duration_seconds_count{route="/api/ai/rag/documents/:id",method="GET"} 3\n',
  );
});

test('the health answers where the configuration puts it, and where those ask who do not know of that', async () => {
  const { call } = await testService({ healthEndpoint: '/healthz' });
  for (const path of ['/healthz', '/healthz/ready', '/healthz/live', '/health/rag', '/health/rag/live'])
    expect([path, (await call('', 'GET', path)).status]).toEqual([path, 200]);
});

test('the health tells what is for whom', async () => {
  const { call } = await watchedService();
  const health = await call('undefined', 'GET', '/health/rag');
  expect(health.json()).toEqual({
    status: 'healthy',
    live: true,
    ready: true,
    degradationLevel: 0,
    checks: { ledger: 'ok', store: 'ok' },
  });
  expect((await call('undefined', 'GET', '/health/rag/ready')).status).toBe(200);
  expect((await call('undefined', 'GET', '/health/rag/live')).json()).toEqual({ live: true });
});
