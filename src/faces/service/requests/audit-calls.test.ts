import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { DATA_FOLDERS } from '../../../core/data-folder.js';
import { TestServers, testDeployments } from '../../../fleet/deployments/test-deployments.js';
import { createEngine, indexesOf, RagDeploymentModel, type TenantIndexes } from '../../../index.js';
import { AuditLog, type AuditLogOptions } from '../../../operations/audit/audit-log.js';
import type { AuditRecord } from '../../../operations/audit/audit-record.js';
import { readAudit } from '../../../operations/audit/read-audit.js';
import { testService, withDocuments } from '../test-service.js';

const RAG = '/api/ai/rag';
const QUESTION = 'How often are payments retried?';
const SEARCH = { tenantId: 'acme', query: QUESTION, minScore: 0 };

async function auditedService(
  options: Partial<AuditLogOptions> = {},
  more: Parameters<typeof testService>[0] = {},
) {
  const dataDir = temporaryFolder();
  const audit = new AuditLog({
    dataDir,
    required: true,
    text: false,
    maxFileBytes: 1_000_000,
    keepFiles: 0,
    onFailure: () => undefined,
    ...options,
  });
  const service = await testService({ audit, ...more });
  if (more.deployments === undefined && more.indexes === undefined) await withDocuments(service);
  const records = async (): Promise<AuditRecord[]> => {
    const all: AuditRecord[] = [];
    for await (const { record } of readAudit(dataDir)) if (record !== undefined) all.push(record);
    return all;
  };
  /** From now on nothing can be written. */
  const block = (): void => {
    rmSync(join(dataDir, DATA_FOLDERS.audit), { recursive: true, force: true });
    writeFileSync(join(dataDir, DATA_FOLDERS.audit), 'no folder');
  };
  return { ...service, records, block, dataDir };
}

test('filters of a tenant whose texts are with the customer are logged like questions, with `text` alone', async () => {
  const engine = await createEngine({ config: { provider: 'memory' }, cwd: temporaryFolder() });
  onTestFinished(() => engine.close());
  await engine.push([{ id: 'lamp', text: 'The lamp is blue.' }], { tenant: 'acme' });
  const deployment = { deploymentId: 'of-acme', deploymentModel: RagDeploymentModel.CustomerOwned };
  const indexes: TenantIndexes = {
    ...indexesOf(engine),
    of: async (scope) => ({ view: engine.as(scope), deployment }),
  };
  const asked = { ...SEARCH, metadata: { client: 'ombudsfact' } };
  for (const text of [false, true]) {
    const { call, records } = await auditedService({ text }, { indexes });
    expect((await call('acme', 'POST', `${RAG}/search`, asked)).status).toBe(200);
    const [line] = await records();
    expect(line).toMatchObject({ tenant: 'acme', filters: expect.anything() });
    expect([text, JSON.stringify(line).includes('ombudsfact')]).toEqual([text, text]);
  }
});

test('a search is logged: who, what, with which filters, what was given', async () => {
  const { call, records } = await auditedService();
  await call('acme', 'POST', `${RAG}/search`, { ...SEARCH, tags: ['x'] });
  const { json } = await call('acme', 'POST', `${RAG}/search`, SEARCH);
  const [first, second] = await records();
  expect(first).toMatchObject({ filters: { filters: { tags: ['x'] } }, results: 0 });
  expect(second).toMatchObject({
    face: 'http',
    action: `POST ${RAG}/search`,
    caller: 'a',
    tenant: 'acme',
    outcome: 'done',
    status: 200,
    request: expect.any(String),
    results: (json().results as unknown[]).length,
  });
  expect(second?.documents).toHaveLength(1);
  expect(JSON.stringify(await records())).not.toContain('payments');
});

test.each([
  { metadata: { salary: 'zirconflorin', state: 'New' } },
  { metadata: { 'metadata.salary': 'zirconflorin' } },
])('filters that name an encrypted field are not logged: $metadata', async ({ metadata }) => {
  const { call, records } = await auditedService({ encryptedFields: ['salary'] });
  await call('acme', 'POST', `${RAG}/search`, { ...SEARCH, metadata });
  await call('acme', 'POST', `${RAG}/answer`, { tenantId: 'acme', question: QUESTION, metadata });
  await call('acme', 'POST', `${RAG}/search`, { ...SEARCH, metadata: { state: 'New' } });
  const all = await records();
  expect(JSON.stringify(all)).not.toContain('zirconflorin');
  expect(all[0]?.filters).toEqual({ filters: '(encrypted field)' });
  expect(all.at(-1)?.filters).toEqual({ filters: { metadata: { state: 'New' } } });
});

test('questions are logged where that is set', async () => {
  const { call, records } = await auditedService({ text: true });
  await call('acme', 'POST', `${RAG}/search`, SEARCH);
  expect((await records())[0]?.text).toBe(QUESTION);
});

test('what is denied is logged, with its caller where that is known', async () => {
  const { call, records } = await auditedService();
  await call('nobody', 'POST', `${RAG}/search`, SEARCH);
  await call(`rsk_0123456789abcdef_${'x'.repeat(43)}`, 'POST', `${RAG}/search`, SEARCH);
  await call('acme', 'POST', `${RAG}/search`, { ...SEARCH, tenantId: 'globex' });
  await call('acme-reader', 'POST', `${RAG}/index`, { id: 'a', content: 'b', tenantId: 'acme' });
  const all = await records();
  expect(all.map(({ outcome, reason, caller, shownKey }) => [outcome, reason, caller, shownKey])).toEqual([
    ['denied', 'UNAUTHENTICATED', undefined, undefined],
    ['denied', 'UNAUTHENTICATED', undefined, '0123456789abcdef'],
    ['denied', 'FORBIDDEN', 'a', undefined],
    ['denied', 'FORBIDDEN', 'b', undefined],
  ]);
  expect(all[0]?.address).toBe('127.0.0.1');
});

test('who has no key cannot fill the log', async () => {
  const { call, records } = await auditedService();
  for (let n = 0; n < 70; n++) await call('nobody', 'GET', '/rag/stats');
  expect(await records()).toHaveLength(60);
  expect((await call('acme', 'GET', '/rag/stats')).status).toBe(200);
  expect(await records()).toHaveLength(61);
});

test('a change is logged before and after it is made', async () => {
  const { call, records } = await auditedService();
  await call('acme', 'POST', `${RAG}/index`, { id: 'new', content: 'A quokka.', tenantId: 'acme' });
  await call('acme', 'DELETE', `${RAG}/new`);
  expect((await records()).map(({ outcome, documents }) => [outcome, documents])).toEqual([
    ['begun', undefined],
    ['done', ['new']],
    ['begun', undefined],
    ['done', ['new']],
  ]);
});

test('of files those are logged that were written', async () => {
  const { app, records } = await auditedService();
  const form = new FormData();
  form.append('tenantId', 'acme');
  form.append('file', new File(['It digs.'], 'wombat.md'));
  form.append('file', new File(['No PDF.'], 'broken.pdf'));
  const sent = new Response(form);
  const reply = await app.inject({
    method: 'POST',
    url: `${RAG}/upload`,
    headers: { authorization: 'Bearer acme', 'content-type': sent.headers.get('content-type') ?? '' },
    payload: Buffer.from(await sent.arrayBuffer()),
  });
  expect(reply.json()).toMatchObject({ indexed: 1, failed: 1 });
  expect((await records()).map(({ outcome, documents }) => [outcome, documents])).toEqual([
    ['begun', undefined],
    ['done', ['wombat.md']],
  ]);
});

test('an answer that is sent as it comes about is logged at both ends', async () => {
  const { call, records } = await auditedService();
  await call('acme', 'POST', `${RAG}/answer`, { question: QUESTION }, { accept: 'text/event-stream' });
  await expect.poll(async () => (await records()).map(({ outcome }) => outcome)).toEqual(['begun', 'done']);
  expect((await records())[1]?.documents?.length).toBeGreaterThan(0);
});

test('of an assistant the tool is logged', async () => {
  const { call, records } = await auditedService();
  const params = { name: 'search', arguments: { query: QUESTION } };
  const accept = 'application/json, text/event-stream';
  await call('acme', 'POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { accept });
  expect((await records())[0]).toMatchObject({ action: 'POST /mcp tools/call search', results: 1 });
});

test('where the log is required, what cannot be logged is neither told nor done', async () => {
  const { call, block, engine } = await auditedService();
  block();
  const found = await call('acme', 'POST', `${RAG}/search`, SEARCH);
  expect([found.status, found.json().reason]).toEqual([503, 'AUDIT_UNAVAILABLE']);
  expect(found.text).not.toContain('three times');
  const events = { accept: 'text/event-stream' };
  const streamed = await call('acme', 'POST', `${RAG}/answer`, { question: QUESTION }, events);
  expect([streamed.status, streamed.text.includes('three times')]).toEqual([503, false]);
  const document = { id: 'new', content: 'A quokka.', tenantId: 'acme' };
  expect((await call('acme', 'POST', `${RAG}/index`, document)).status).toBe(503);
  expect(await engine.as({ tenant: 'acme' }).get('new')).toBeUndefined();
});

test('where it is not required, the call is answered', async () => {
  const told: string[] = [];
  const { call, block } = await auditedService({
    required: false,
    onFailure: ({ reason }) => told.push(reason),
  });
  block();
  expect((await call('acme', 'POST', `${RAG}/search`, SEARCH)).status).toBe(200);
  expect(told).toEqual(['AUDIT_UNAVAILABLE']);
});

test('what everyone may ask is not logged', async () => {
  const { call, dataDir } = await auditedService();
  await call('nobody', 'GET', '/health/rag');
  expect(existsSync(join(dataDir, DATA_FOLDERS.audit))).toBe(false);
});

test('who saves or moves a deployment is logged with the tenant and the place, and without secrets', async () => {
  const servers = new TestServers();
  const deployments = await testDeployments(temporaryFolder(), servers);
  const { call, records } = await auditedService({}, { deployments });
  const one = `${RAG}/deployments/acme`;
  const customer = {
    model: 'CustomerOwned',
    provider: 'test',
    searchEndpoint: 'https://search.acme.example/x',
    indexName: 'acme-index',
  };
  await call('operator', 'POST', `${one}/move`, customer);
  await call('operator', 'PUT', one, { ...customer, searchEndpoint: 'https://root:hunter2@acme.example/' });
  const lines = (await records()).filter(({ action }) => action.includes('deployments'));
  const { provider: _, ...place } = customer;
  expect(lines).toMatchObject([
    { outcome: 'begun', caller: 'e', deployment: { tenantId: 'acme', ...place } },
    { outcome: 'done', caller: 'e', deployment: { tenantId: 'acme', ...place } },
    { outcome: 'begun', deployment: { tenantId: 'acme', searchEndpoint: 'https://acme.example/' } },
    { outcome: 'failed', reason: 'DEPLOYMENT_INVALID' },
  ]);
  expect(JSON.stringify(lines)).not.toContain('hunter2');
});
