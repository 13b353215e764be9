import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { TestServers, testDeployments } from '../../../fleet/deployments/test-deployments.js';
import { testService } from '../test-service.js';

const RAG = '/api/ai/rag';
const CUSTOMER = {
  model: 'CustomerOwned',
  provider: 'test',
  searchEndpoint: 'https://search.acme.example',
  indexName: 'acme-index',
};

async function service() {
  const servers = new TestServers();
  const deployments = await testDeployments(temporaryFolder(), servers);
  return { servers, ...(await testService({ deployments })) };
}

describe('routes of deployments', () => {
  test('are for operators alone', async () => {
    const { call } = await service();
    for (const caller of ['acme', 'acme-reader'])
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '/acme'],
        ['PUT', '/acme'],
        ['POST', '/acme/validate'],
        ['POST', '/acme/move'],
      ] as const) {
        const body = method === 'GET' ? undefined : { model: 'Shared' };
        expect((await call(caller, method, `${RAG}/deployments${path}`, body)).status).toBe(403);
      }
    expect((await call('acme', 'GET', '/health/rag/deployments')).status).toBe(403);
  });

  test('an operator may not read what tenants have', async () => {
    const { call } = await service();
    expect(
      (await call('operator', 'POST', `${RAG}/search`, { query: 'lamp', tenantId: 'operator' })).status,
    ).toBe(403);
  });

  test('a broken index of a tenant is named to the operator, and to nobody else', async () => {
    const { call, servers } = await service();
    await call('operator', 'PUT', `${RAG}/deployments/acme`, CUSTOMER);
    servers.isDown = true;
    const health = await call('operator', 'GET', '/health/rag/deployments');
    expect(health.json()).toMatchObject({
      status: 'unhealthy',
      deployments: [{ tenantId: 'acme', ok: false, detail: expect.stringContaining('down') }],
    });
    const open = await call('acme', 'GET', '/health/rag');
    expect([open.status, JSON.stringify(open.json())]).toEqual([200, expect.not.stringContaining('acme')]);
  });

  test('save, validate, move and list; documents and results say where they are', async () => {
    const { call, servers } = await service();
    const one = `${RAG}/deployments/acme`;
    expect((await call('operator', 'GET', one)).json()).toMatchObject({ model: 'Shared', isActive: true });
    const document = { tenantId: 'acme', id: 'lamp', content: 'The lamp on the roof is blue.' };
    expect((await call('acme', 'POST', `${RAG}/index`, document)).json()).toMatchObject({
      deploymentModel: 'Shared',
    });
    expect((await call('operator', 'PUT', one, { model: 'Dedicated' })).json()).toMatchObject({
      status: 409,
      reason: 'DEPLOYMENT_CONFLICT',
    });
    const moved = await call('operator', 'POST', `${one}/move`, { model: 'Dedicated' });
    expect(moved.json()).toEqual({ tenantId: 'acme', model: 'Dedicated', copied: 1, left: {} });
    const search = { query: 'blue lamp', tenantId: 'acme', minScore: 0 };
    expect((await call('acme', 'POST', `${RAG}/search`, search)).json()).toMatchObject({
      results: [{ id: 'lamp', deploymentModel: 'Dedicated' }],
    });

    servers.isDown = true;
    expect((await call('operator', 'POST', `${one}/validate`, CUSTOMER)).json()).toMatchObject({
      isValid: false,
    });
    expect((await call('operator', 'POST', `${one}/move`, CUSTOMER)).json()).toMatchObject({
      status: 422,
      reason: 'DEPLOYMENT_INVALID',
    });
    servers.isDown = false;
    expect((await call('operator', 'POST', `${one}/move`, CUSTOMER)).status).toBe(200);
    expect((await call('operator', 'GET', `${RAG}/deployments`)).json()).toMatchObject({
      deployments: [{ tenantId: 'acme', model: 'CustomerOwned', provider: 'test', indexName: 'acme-index' }],
    });
    expect((await call('acme', 'POST', `${RAG}/search`, search)).json()).toMatchObject({
      results: [{ id: 'lamp', deploymentModel: 'CustomerOwned' }],
    });
    expect((await call('acme', 'DELETE', `${RAG}/lamp`)).status).toBe(204);

    const written = await call('globex', 'POST', `${RAG}/index`, { ...document, tenantId: 'globex' });
    expect(written.status).toBe(200);
    servers.isDown = true;
    const off = { ...CUSTOMER, isActive: false };
    expect((await call('operator', 'PUT', one, off)).status).toBe(200);
    const refused = await call('acme', 'POST', `${RAG}/search`, search);
    expect([refused.status, refused.json().reason]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    const others = await call('globex', 'POST', `${RAG}/search`, { ...search, tenantId: 'globex' });
    expect(others.json()).toMatchObject({ results: [{ id: 'lamp' }] });
  });

  test('a repetition with the same key does not undo what another operator saved meanwhile', async () => {
    const { call } = await service();
    const one = `${RAG}/deployments/acme`;
    const save = (body: object, key: string) =>
      call('operator', 'PUT', one, body, { 'idempotency-key': key });
    const first = await save({ model: 'Dedicated' }, 'first');
    expect((await save({ model: 'Shared' }, 'second')).json()).toMatchObject({ model: 'Shared' });
    expect((await save({ model: 'Dedicated' }, 'first')).json()).toEqual(first.json());
    expect((await call('operator', 'GET', one)).json()).toMatchObject({ model: 'Shared' });
    const move = (model: string) =>
      call('operator', 'POST', `${one}/move`, { model }, { 'idempotency-key': 'm' });
    const moved = (await move('Dedicated')).json();
    expect((await save({ model: 'Shared' }, 'third')).json()).toMatchObject({ model: 'Shared' });
    expect((await move('Dedicated')).json()).toEqual(moved);
    expect((await call('operator', 'GET', one)).json()).toMatchObject({ model: 'Shared' });
    expect(await move('Shared')).toMatchObject({ status: 422 });
  });

  test('bodies are strict, and a secret in them is not repeated', async () => {
    const { call } = await service();
    const refused = await call('operator', 'PUT', `${RAG}/deployments/acme`, {
      ...CUSTOMER,
      apiKeySecretName: 'hunter2',
    });
    expect(refused.status).toBe(422);
    expect(refused.text).not.toContain('hunter2');
    const unknown = await call('operator', 'PUT', `${RAG}/deployments/acme`, { ...CUSTOMER, apiKey: 'x' });
    expect(unknown.status).toBe(400);
    const other = { ...CUSTOMER, tenantId: 'globex' };
    expect((await call('operator', 'PUT', `${RAG}/deployments/acme`, other)).status).toBe(400);
  });
});
