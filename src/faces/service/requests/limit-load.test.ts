import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { createEngine, indexesOf } from '../../../index.js';
import { testService } from '../test-service.js';

const PRINCIPAL = { name: 'a', scope: { tenant: 'acme' }, permissions: ['read'] } as const;
const search = { query: 'quokka', tenantId: 'acme' };

test('more requests under way than may be are refused at once, the health never', async () => {
  const gates: (() => void)[] = [];
  const { call } = await testService({
    maxRequests: 2,
    authenticate: async () => {
      await new Promise<void>((open) => gates.push(open));
      return PRINCIPAL;
    },
  });
  const ask = () => call('acme', 'POST', '/api/ai/rag/search', search);
  const held = [ask(), ask()];
  while (gates.length < 2) await new Promise(setImmediate);
  const refused = await ask();
  expect(refused.status).toBe(503);
  expect(refused.headers['retry-after']).toBe('1');
  expect(refused.json()).toMatchObject({ reason: 'SERVICE_UNAVAILABLE', retryable: true });
  expect((await call('acme', 'GET', '/health/rag')).json()).not.toHaveProperty('reason');
  expect(gates).toHaveLength(2);
  for (const open of gates) open();
  // Nothing is indexed.
  for (const { status } of await Promise.all(held)) expect(status).toBe(409);
  const next = ask();
  while (gates.length < 3) await new Promise(setImmediate);
  gates[2]?.();
  expect((await next).status).toBe(409);
});

test('while the event loop is held up callers are refused, the health never', async () => {
  const { call } = await testService({ maxDelayMs: 1 });
  let refused = await call('acme', 'POST', '/api/ai/rag/search', search);
  while (refused.status !== 503) {
    const end = performance.now() + 50;
    while (performance.now() < end);
    await new Promise((done) => setTimeout(done, 1));
    refused = await call('acme', 'POST', '/api/ai/rag/search', search);
  }
  expect(refused.json()).toMatchObject({ reason: 'SERVICE_UNAVAILABLE' });
  expect((await call('acme', 'GET', '/health/rag')).json()).not.toHaveProperty('reason');
});

test('a tenant that holds its share gets no more, and keeps no other out', async () => {
  const gates: (() => void)[] = [];
  const engine = await createEngine({ config: { provider: 'memory' }, cwd: temporaryFolder() });
  onTestFinished(() => engine.close());
  const indexes = indexesOf(engine);
  const { call } = await testService({
    maxRequests: 4,
    maxRequestsPerTenant: 2,
    indexes: {
      health: () => indexes.health(),
      of: async (scope) => {
        const { view, deployment } = await indexes.of(scope);
        const search: typeof view.search = async (query) => {
          await new Promise<void>((open) => gates.push(open));
          return view.search(query);
        };
        return { deployment, view: { ...view, search } };
      },
    },
  });
  const ask = (tenantId: string) =>
    call(tenantId, 'POST', '/api/ai/rag/search', { query: 'quokka', tenantId });
  const held = [ask('acme'), ask('acme')];
  while (gates.length < 2) await new Promise(setImmediate);
  const refused = await ask('acme');
  expect(refused.status).toBe(429);
  expect(refused.headers['retry-after']).toBe('1');
  expect(refused.json()).toMatchObject({ reason: 'RATE_LIMITED' });
  const other = ask('globex');
  while (gates.length < 3) await new Promise(setImmediate);
  for (const open of gates) open();
  await Promise.all([...held, other]);
  const next = ask('acme');
  while (gates.length < 4) await new Promise(setImmediate);
  gates[3]?.();
  expect((await next).status).toBe((await other).status);
});
