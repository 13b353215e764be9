import { expect, test } from 'vitest';
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
