import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { createEngine } from '../../index.js';
import { type Reply, testService, withDocuments } from './test-service.js';

const RAG = '/api/ai/rag';

/** An answer without what differs between any two answers. */
const comparable = ({ status, headers, text }: Reply) => {
  const { 'x-request-id': id, date: _, ...rest } = headers;
  return { status, headers: rest, text: text.replaceAll(String(id), 'ID') };
};

describe('what a caller may not read is as absent as what is not there', () => {
  test.each([
    ['GET', `${RAG}/documents/ID`],
    ['GET', `${RAG}/documents/ID/passages`],
    ['GET', `${RAG}/documents/ID/versions`],
    ['GET', `${RAG}/documents/ID/original`],
    ['DELETE', `${RAG}/documents/ID`],
    ['DELETE', `${RAG}/ID`],
    ['DELETE', `${RAG}/source/ID`],
  ])('%s %s', async (method, url) => {
    const service = await testService();
    await withDocuments(service);
    const [foreign] = (await service.engine.list({}, { tenant: 'globex' })).documents;
    const ask = async (id: string) => comparable(await service.call('acme', method, url.replace('ID', id)));
    const absent = await ask('nothing-of-this-name');
    expect(await ask('pay')).toEqual(absent);
    expect(await ask('globex-plan')).toEqual(absent);
    expect(await ask(String(foreign?.id))).toEqual(absent);
    // Nothing was deleted meanwhile.
    expect((await service.engine.list({}, { tenant: 'globex' })).documents).toHaveLength(1);
    expect((await service.call('acme-hr', 'GET', `${RAG}/documents/pay`)).status).toBe(200);
  });

  test.each([
    ['POST', `${RAG}/search`, { query: 'zeppelin salaries of the board', tenantId: 'acme', minScore: 0 }],
    ['POST', `${RAG}/explain`, { query: 'zeppelin salaries of the board', minScore: 0 }],
    ['POST', `${RAG}/context`, { query: 'zeppelin salaries of the board' }],
    ['POST', `${RAG}/answer`, { question: 'When does the zeppelin fly, and how do salaries rise?' }],
    ['POST', '/chat', { message: 'When does the zeppelin fly, and how do salaries rise?' }],
    ['GET', `${RAG}/documents`, undefined],
    ['GET', '/rag/stats', undefined],
    ['POST', `${RAG}/facets`, {}],
    ['POST', `${RAG}/compare`, { query: 'zeppelin salaries of the board', a: { minScore: 0 }, b: {} }],
    ['GET', `${RAG}/failures`, undefined],
    ['GET', `${RAG}/sources`, undefined],
    ['GET', `${RAG}/status`, undefined],
  ])('%s %s tells nothing of it', async (method, url, body) => {
    const service = await testService();
    await withDocuments(service);
    const { status, text } = await service.call('acme', method, url, body);
    expect(status).toBe(200);
    expect(text).not.toMatch(/Tuesday|flies|nine percent|globex|board rise/i);
  });
});

test('who keeps the index is told that a source failed and why, and no folder of the machine', async () => {
  const cwd = temporaryFolder({ 'docs/a.md': '# A\n\nOne.' });
  const sources = [{ name: 'manual', type: 'markdown' as const, root: 'docs', paths: ['**/*.md'] }];
  const engine = await createEngine({ config: { provider: 'memory', sources }, cwd });
  const lines: string[] = [];
  const { call } = await testService({ engine }, (line) => lines.push(line));
  await call('acme', 'POST', '/rag/index');
  renameSync(join(cwd, 'docs'), join(cwd, 'away'));
  expect((await call('acme', 'POST', '/rag/index')).json()).toMatchObject({ status: 'partial' });
  for (const route of ['sources', 'status']) {
    const { json, text } = await call('acme', 'GET', `${RAG}/${route}`);
    expect(json().sources).toMatchObject([
      { sync: { lastError: { reason: 'SOURCE_NOT_FOUND', message: expect.stringContaining('whose log') } } },
    ]);
    expect(text).not.toContain(cwd);
  }
  expect(lines.join('')).toContain(cwd);
});

describe('the tenant of a body', () => {
  test.each([
    ['/search', { query: 'x' }],
    ['/index', { id: 'x', content: 'x' }],
    ['/index/batch', { documents: [{ id: 'x', content: 'x' }] }],
  ])('%s takes that of the caller and no other', async (route, body) => {
    const service = await testService();
    await withDocuments(service);
    const send = (tenantId?: string) => service.call('acme', 'POST', RAG + route, { ...body, tenantId });
    expect((await send('globex')).status).toBe(403);
    expect(comparable(await send('no-such-tenant'))).toEqual(comparable(await send('globex')));
    expect((await send()).status).toBe(200);
    expect((await send('acme')).status).toBe(200);
    expect((await service.engine.list({}, { tenant: 'globex' })).documents).toHaveLength(1);
  });

  test('a document of a batch cannot name another one', async () => {
    const service = await testService();
    await withDocuments(service);
    const documents = [{ id: 'x', content: 'x', tenantId: 'globex' }];
    const { status } = await service.call('acme', 'POST', `${RAG}/index/batch`, {
      tenantId: 'acme',
      documents,
    });
    expect(status).toBe(403);
  });
});

describe('permissions', () => {
  test.each([
    ['POST', `${RAG}/index`, { id: 'x', content: 'x', tenantId: 'acme' }],
    ['POST', `${RAG}/index/batch`, { tenantId: 'acme', documents: [{ id: 'x', content: 'x' }] }],
    ['DELETE', `${RAG}/open`, undefined],
    ['DELETE', `${RAG}/source/open`, undefined],
    ['DELETE', `${RAG}/documents/open`, undefined],
    ['POST', '/rag/index', undefined],
    ['GET', `${RAG}/status`, undefined],
    ['GET', `${RAG}/sources`, undefined],
    ['GET', `${RAG}/runs`, undefined],
    ['POST', `${RAG}/explain-miss`, { query: 'x', document: 'pay' }],
  ])('who may only read is refused %s %s', async (method, url, body) => {
    const service = await testService();
    await withDocuments(service);
    const { status, json } = await service.call('acme-reader', method, url, body);
    expect([status, json().reason]).toEqual([403, 'FORBIDDEN']);
    expect((await service.engine.list({}, { tenant: 'acme' })).documents).toHaveLength(1);
  });

  test('an unknown caller is refused every route but the health, before a body is read', async () => {
    const service = await testService();
    const document = (await service.app.inject({ method: 'GET', url: '/openapi.json' })).json<{
      paths: Record<string, Record<string, unknown>>;
    }>();
    for (const [path, methods] of Object.entries(document.paths))
      for (const method of Object.keys(methods)) {
        if (/^\/health\/rag(\/(live|ready))?$/.test(path)) continue;
        const { status, headers } = await service.call(
          'nobody',
          method.toUpperCase(),
          path.replace('{id}', 'x'),
        );
        expect([path, method, status, headers['www-authenticate']]).toEqual([path, method, 401, 'Bearer']);
      }
    expect(Object.keys(document.paths).length).toBeGreaterThan(15);
  });
});
