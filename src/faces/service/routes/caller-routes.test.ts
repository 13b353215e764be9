import { expect, test } from 'vitest';
import { testService, withDocuments } from '../test-service.js';

const RAG = '/api/ai/rag';

test('every caller is told who it is and what it may do, also one that may read nothing', async () => {
  const { call } = await testService({ feedback: true });
  const ask = async (caller: string) => (await call(caller, 'GET', `${RAG}/caller`)).json();
  expect(await ask('acme-hr')).toEqual({
    name: 'c',
    tenant: 'acme',
    groups: ['hr'],
    clearance: 2,
    permissions: ['read', 'write', 'maintain'],
    isLocal: false,
    offers: { feedback: true, deployments: false, keys: false, queries: false, queryTexts: false },
  });
  expect(await ask('operator')).toMatchObject({ tenant: 'operator', permissions: ['admin'] });
});

test('operators list keys without anything that admits, and nobody else does', async () => {
  const key = {
    ...{ id: '0123456789abcdef', tenant: 'acme', groups: [], clearance: 0, permissions: ['read' as const] },
    createdAt: '2026-01-01T00:00:00.000Z',
    hash: 'beef',
  };
  const { call } = await testService({ keys: async () => [key] });
  const { hash: _, ...told } = key;
  expect((await call('operator', 'GET', `${RAG}/keys`)).json()).toEqual({ keys: [told] });
  expect((await call('acme', 'GET', `${RAG}/keys`)).status).toBe(403);
});

test('operators are told what each part says, and nobody else is', async () => {
  const { call } = await testService();
  expect((await call('operator', 'GET', '/health/rag/parts')).json()).toMatchObject({
    ok: true,
    parts: expect.arrayContaining([{ part: 'store', ok: true, detail: expect.any(String) }]),
  });
  expect((await call('acme', 'GET', '/health/rag/parts')).status).toBe(403);
});

test('a search is ranked as it states', async () => {
  const service = await testService();
  await withDocuments(service);
  const ask = (body: object) =>
    service.call('acme', 'POST', `${RAG}/explain`, { query: 'retries of payments', minScore: 0, ...body });
  const lanes = async (body: object) =>
    (await ask(body)).json().lanes as { readonly lane: string; readonly status: string }[];
  expect((await lanes({ rerank: false })).find(({ lane }) => lane === 'rerank')?.status).toBe('off');
  expect((await lanes({ rerank: true })).find(({ lane }) => lane === 'rerank')?.status).toBe('ran');
  expect((await ask({ mmrLambda: 0 })).status).toBe(400);
});
