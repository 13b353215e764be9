import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../../../../tests/e2e/temporary-folder.js';
import { createEngine, RAGError } from '../../../index.js';
import { createHashEmbedder } from '../../../testing/hash-embedder.js';
import { testService, withDocuments } from '../test-service.js';

const RAG = '/api/ai/rag';
const CONTRACT = {
  id: 'c-1',
  tenantId: 'acme',
  documentId: 'contract-7',
  documentName: 'Contract 7',
  documentType: 'contract',
  chunkIndex: 3,
  chunkCount: 9,
  content: 'Invoices are paid within thirty days of receipt.',
  tags: ['supplier'],
  metadata: { version: 2 },
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-02-01T00:00:00.000Z',
};

describe('search and index', () => {
  test('a document is found by the next request under the names of the index schema', async () => {
    const { call } = await testService();
    const indexed = await call('acme', 'POST', `${RAG}/index`, CONTRACT);
    expect(indexed.status).toBe(200);
    expect(indexed.json()).toEqual({
      ...CONTRACT,
      deploymentModel: 'Shared',
      deploymentId: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    const found = await call('acme', 'POST', `${RAG}/search`, {
      query: 'when are invoices paid?',
      tenantId: 'acme',
    });
    expect(found.status).toBe(200);
    expect(found.json().results).toEqual([
      {
        ...CONTRACT,
        deploymentModel: 'Shared',
        deploymentId: expect.stringMatching(/^[0-9a-f]{16}$/),
        chunkId: expect.stringMatching(/^[0-9a-f]{32}$/),
        score: expect.any(Number),
        source: 'c-1',
        lines: { start: 1, end: 1 },
      },
    ]);
  });

  test('documentTypes, tags, topK and minScore narrow the results', async () => {
    const { call } = await testService();
    for (const [id, documentType, tag] of [
      ['a', 'contract', 'x'],
      ['b', 'policy', 'x'],
      ['c', 'contract', 'y'],
    ])
      await call('acme', 'POST', `${RAG}/index`, {
        id,
        tenantId: 'acme',
        documentType,
        tags: [tag],
        content: `Invoices of ${id} are paid within thirty days.`,
      });
    const ids = async (options: object) => {
      const body = { query: 'when are invoices paid?', tenantId: 'acme', ...options };
      const { results } = (await call('acme', 'POST', `${RAG}/search`, body)).json();
      return (results as { id: string }[]).map(({ id }) => id).sort();
    };
    expect(await ids({})).toEqual(['a', 'b', 'c']);
    expect(await ids({ documentTypes: ['contract'] })).toEqual(['a', 'c']);
    expect(await ids({ documentTypes: ['contract', 'policy'], tags: ['x'] })).toEqual(['a', 'b']);
    expect(await ids({ topK: 1 })).toHaveLength(1);
    expect(await ids({ documentTypes: null, tags: null, minScore: 1 })).toEqual([]);
  });

  test('a search with the graph brings what is linked, and says by which way', async () => {
    const { call, engine } = await testService();
    await engine.push(
      [
        {
          id: 'lantern.md',
          title: 'Lantern',
          text: 'The lantern burns at dusk: lantern, dusk, dawn. See [the store](store.md).',
        },
        { id: 'store.md', title: 'Store', text: 'Barrels stand behind the shed.' },
        ...Array.from({ length: 12 }, (_, i) => ({
          id: `other-${i}.md`,
          text: `Lantern number ${i} is in room ${i}.`,
        })),
      ],
      { tenant: 'acme' },
    );
    const body = { query: 'lantern at dusk and dawn', tenantId: 'acme', minScore: 0, topK: 20 };
    const search = async (options: object) =>
      (await call('acme', 'POST', `${RAG}/search`, { ...body, ...options })).json();
    const pathsOf = ({ results }: Record<string, unknown>) =>
      (results as { source: string; path?: { fromName: string; kind: string; toName: string }[] }[]).flatMap(
        ({ source, path = [] }) =>
          path.length === 0 ? [] : [[source, ...path.map(({ kind, toName }) => `${kind} ${toName}`)]],
      );
    expect(pathsOf(await search({ mode: 'graph' }))).toContainEqual(['store.md', 'link store.md']);
    expect(pathsOf(await search({ mode: 'lexical' }))).toEqual([]);
    expect(await search({ hops: 2 })).toMatchObject({
      status: 400,
      reason: 'QUERY_INVALID',
      detail: expect.stringContaining('the mode "graph" alone'),
    });
    for (const options of [{ mode: 'nearest' }, { mode: 'graph', hops: 4 }])
      expect(await search(options)).toMatchObject({ status: 400, reason: 'REQUEST_INVALID' });
  });

  test('a batch says what became of each document', async () => {
    const service = await testService();
    await withDocuments(service);
    const { status, json } = await service.call('acme', 'POST', `${RAG}/index/batch`, {
      tenantId: 'acme',
      documents: [
        { id: 'one', content: 'The first of two.' },
        { id: 'pay', content: 'An id that is in use for what this caller may not read.' },
      ],
    });
    expect(status).toBe(200);
    expect(json()).toEqual({
      results: [
        { id: 'one', success: true },
        {
          id: 'pay',
          success: false,
          error: { reason: 'DOCUMENT_DUPLICATE_ID', message: expect.any(String) },
        },
      ],
      indexed: 1,
      failed: 1,
    });
  });

  test('a document that replaces a restricted one is restricted as that was, until the caller states otherwise', async () => {
    const service = await testService();
    await withDocuments(service);
    const { call } = service;
    const replaced = { id: 'pay', tenantId: 'acme', content: 'Salaries rise by ten percent.' };
    const documents = [replaced];
    const accessNow = async () => {
      const hidden = await call('acme', 'GET', `${RAG}/documents/pay`);
      const { access, text } = (await call('acme-hr', 'GET', `${RAG}/documents/pay`)).json();
      return { hidden: hidden.status === 404, access, text };
    };
    const restricted = { hidden: true, access: { groups: ['hr'], level: 2 }, text: replaced.content };
    expect((await call('acme-hr', 'POST', `${RAG}/index`, replaced)).status).toBe(200);
    expect(await accessNow()).toEqual(restricted);
    await call('acme-hr', 'POST', `${RAG}/index/batch`, { tenantId: 'acme', documents });
    expect(await accessNow()).toEqual(restricted);
    const lower = { ...replaced, access: { level: 0 } };
    expect((await call('acme-hr', 'POST', `${RAG}/index`, lower)).json().access).toEqual({ level: 0 });
    expect(await accessNow()).toEqual({ ...restricted, access: { groups: ['hr'], level: 0 } });
    await call('acme-hr', 'POST', `${RAG}/index`, { ...replaced, access: { groups: ['*'] } });
    expect(await accessNow()).toMatchObject({ hidden: false, access: { groups: ['*'], level: 0 } });
  });

  test('a document is restricted to what its caller may read, and to nothing else', async () => {
    const { call } = await testService();
    const answers = async (caller: string, access: object) => {
      const document = { id: 'note', tenantId: 'acme', content: 'A note.', access };
      const one = await call(caller, 'POST', `${RAG}/index`, document);
      const many = await call(caller, 'POST', `${RAG}/index/batch`, {
        tenantId: 'acme',
        documents: [document],
      });
      return [one.status, many.status];
    };
    for (const access of [{ groups: ['hr'] }, { groups: ['*', 'board'] }, { level: 1 }])
      expect(await answers('acme', access)).toEqual([403, 403]);
    for (const access of [{ groups: [] }, { level: -1 }, { clearance: 1 }])
      expect(await answers('acme', access)).toEqual([400, 400]);
    expect(await answers('acme-hr', { groups: ['board'], level: 2 })).toEqual([403, 403]);
    expect(await answers('acme-hr', { groups: ['hr'], level: 3 })).toEqual([403, 403]);
    expect(await answers('acme-hr', { groups: ['hr'], level: 2 })).toEqual([200, 200]);
    expect((await call('acme', 'GET', `${RAG}/documents/note`)).status).toBe(404);
  });

  test('metadata that every chunk would carry along has a limit, and costs no other document of a batch', async () => {
    const { call } = await testService();
    const large = { id: 'large', content: 'A note.', metadata: { blob: 'y'.repeat(64 * 1024) } };
    const refused = await call('acme', 'POST', `${RAG}/index`, { ...large, tenantId: 'acme' });
    expect(refused.status).toBe(413);
    expect(refused.json()).toMatchObject({
      reason: 'DOCUMENT_TOO_LARGE',
      detail: expect.stringContaining('65536 are the most'),
    });
    const documents = [large, { ...large, id: 'small', metadata: { blob: 'y'.repeat(60 * 1024) } }];
    const batch = await call('acme', 'POST', `${RAG}/index/batch`, { tenantId: 'acme', documents });
    expect(batch.json()).toMatchObject({
      results: [
        { id: 'large', success: false, error: { reason: 'DOCUMENT_TOO_LARGE' } },
        { id: 'small', success: true },
      ],
    });
  });

  test('an id that cannot be stored is refused, and nothing of its batch is left pending', async () => {
    const { call } = await testService();
    const good = { id: 'good', content: 'A note.' };
    await call('acme', 'POST', `${RAG}/index`, { ...good, tenantId: 'acme' });
    for (const id of ['half \ud800', 'a\0b', 'a\nb']) {
      const documents = [
        { ...good, id: 'other' },
        { ...good, id },
      ];
      const refused = await call('acme', 'POST', `${RAG}/index/batch`, { tenantId: 'acme', documents });
      expect([refused.status, refused.json().reason]).toEqual([400, 'REQUEST_INVALID']);
    }
    const { sources } = (await call('acme', 'GET', `${RAG}/status`)).json();
    expect(sources).toMatchObject([{ documents: { pending: 0, indexed: 1 } }]);
  });

  test('a document is deleted by its id, its parts by that of their document', async () => {
    const { call } = await testService();
    const documents = ['a', 'b', 'c'].map((id) => ({
      id,
      documentId: id === 'c' ? 'other' : 'book',
      content: `Chapter ${id} of a book.`,
    }));
    await call('acme', 'POST', `${RAG}/index/batch`, { tenantId: 'acme', documents });
    expect((await call('acme', 'DELETE', `${RAG}/source/book`)).json()).toEqual({ deleted: 2 });
    expect((await call('acme', 'DELETE', `${RAG}/source/book`)).json()).toEqual({ deleted: 0 });
    expect((await call('acme', 'DELETE', `${RAG}/c`)).status).toBe(204);
    const again = await call('acme', 'DELETE', `${RAG}/c`);
    expect(again.status).toBe(404);
    expect(again.json().reason).toBe('DOCUMENT_NOT_FOUND');
  });

  test('a text has the vector that the index would give it', async () => {
    const { call, engine } = await testService();
    const { json } = await call('acme', 'POST', `${RAG}/embedding`, { text: 'thirty days' });
    const { vectors, ...model } = await engine.embed({ texts: ['thirty days'] });
    expect(json()).toEqual({ ...model, embedding: [...(vectors[0] ?? [])] });
    expect(model.dimensions).toBeGreaterThan(10);
  });
});

describe('answers', () => {
  test('an answer names its sources, and no path of the machine', async () => {
    const service = await testService();
    await withDocuments(service);
    const { status, text, json } = await service.call('acme', 'POST', `${RAG}/answer`, {
      question: 'How often are payments retried?',
    });
    expect(status).toBe(200);
    expect(json()).toMatchObject({ outcome: 'answer', sources: [{ n: 1, source: 'open' }] });
    expect(text).not.toContain('"origin"');
    expect(text).not.toContain('chunkIds');
  });

  test('an answer comes as events where the caller asks for them', async () => {
    const service = await testService();
    await withDocuments(service);
    const { headers, text } = await service.call(
      'acme',
      'POST',
      `${RAG}/answer`,
      { question: 'How often are payments retried?' },
      { accept: 'text/event-stream' },
    );
    expect(headers['content-type']).toBe('text/event-stream');
    const names = [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
    expect([names[0], names.at(-1)]).toEqual(['start', 'answer']);
    expect(text).not.toContain('"origin"');
  });

  test('an answer with the mode agentic tells its steps; limits are bounded, and of that mode alone', async () => {
    const service = await testService();
    await withDocuments(service);
    const asked = {
      question: 'How often are payments retried, and where are invoices stored?',
      mode: 'agentic',
    };
    const { status, json } = await service.call('acme', 'POST', `${RAG}/answer`, {
      ...asked,
      limits: { maxSteps: 2 },
    });
    expect(status).toBe(200);
    expect(json()).toMatchObject({
      mode: 'agentic',
      agent: { by: 'rules', stopped: 'steps', limits: { maxSteps: 2 }, steps: [{ step: 1 }, { step: 2 }] },
    });
    for (const refused of [
      { ...asked, limits: { maxSteps: 1_000 } },
      { ...asked, limits: { maxStep: 1 } },
      { question: 'How often?', limits: { maxSteps: 2 } },
    ])
      expect((await service.call('acme', 'POST', `${RAG}/answer`, refused)).status).toBe(400);
  });

  test('a language model cannot be insisted on where there is none', async () => {
    const service = await testService();
    await withDocuments(service);
    const body = { question: 'How often are payments retried?', answerer: 'chat' };
    const refused = await service.call('acme', 'POST', `${RAG}/answer`, body);
    expect([refused.status, refused.json().reason]).toEqual([400, 'REQUEST_INVALID']);
    const events = await service.call('acme', 'POST', `${RAG}/answer`, body, { accept: 'text/event-stream' });
    expect(events.text).toMatch(/event: error\ndata: .*"status":400.*"REQUEST_INVALID"/);
  });

  test('a chat answers with the four facts of each source', async () => {
    const service = await testService();
    await withDocuments(service);
    const { json, headers } = await service.call('acme', 'POST', '/chat', {
      message: 'How often are payments retried?',
      conversation_history: [{ role: 'user', content: 'Hello' }],
    });
    expect(headers['x-degradation-level']).toBe('0');
    expect(Object.keys(json()).sort()).toEqual(['answer', 'sources']);
    expect((json().sources as object[])[0]).toEqual({
      bug_id: 'open',
      source_type: 'document',
      chunk_text: 'Payments are retried three times, after one, two and four seconds.',
      similarity: expect.any(Number),
    });
  });

  test('a context keeps to its budget', async () => {
    const service = await testService();
    await withDocuments(service);
    const { json } = await service.call('acme', 'POST', `${RAG}/context`, { query: 'payments', budget: 200 });
    expect(json()).toMatchObject({ isFallback: false, tokens: { budget: 200 } });
    expect(json().text).toContain('retried three times');
  });
});

describe('documents', () => {
  test('a list comes in pages, and a document with its text', async () => {
    const { call } = await testService();
    const documents = ['a', 'b', 'c'].map((id) => ({ id, documentType: id, content: `Text of ${id}.` }));
    await call('acme', 'POST', `${RAG}/index/batch`, { tenantId: 'acme', documents });
    const first = (await call('acme', 'GET', `${RAG}/documents?limit=2`)).json();
    expect(first.documents).toHaveLength(2);
    const second = (
      await call('acme', 'GET', `${RAG}/documents?limit=2&cursor=${String(first.cursor)}`)
    ).json();
    expect(second.documents).toHaveLength(1);
    expect(second).not.toHaveProperty('cursor');
    const ofType = (await call('acme', 'GET', `${RAG}/documents?documentType=b`)).json();
    expect(ofType.documents).toMatchObject([{ externalId: 'b' }]);
    const got = await call('acme', 'GET', `${RAG}/documents/b`);
    expect(got.json()).toMatchObject({ externalId: 'b', text: 'Text of b.' });
    expect(got.json()).not.toHaveProperty('origin');
    expect((await call('acme', 'DELETE', `${RAG}/documents/b`)).status).toBe(204);
    expect((await call('acme', 'GET', `${RAG}/documents/b`)).status).toBe(404);
  });

  test('an id may hold what addresses keep for themselves', async () => {
    const { call } = await testService();
    const id = 'a/b?c=d#e f';
    await call('acme', 'POST', `${RAG}/index`, { id, tenantId: 'acme', content: 'A text.' });
    expect((await call('acme', 'GET', `${RAG}/documents/${encodeURIComponent(id)}`)).json()).toMatchObject({
      externalId: id,
    });
    expect((await call('acme', 'DELETE', `${RAG}/${encodeURIComponent(id)}`)).status).toBe(204);
  });
});

describe('the state of the index', () => {
  test('before the first run there is nothing, and it is no fault of the service', async () => {
    const { call } = await testService();
    expect((await call('acme', 'GET', '/rag/stats')).json()).toEqual({
      total_documents: 0,
      by_type: {},
      last_indexed_at: null,
    });
    expect((await call('acme', 'GET', `${RAG}/runs`)).json()).toEqual({});
    expect((await call('acme', 'GET', `${RAG}/sources`)).json()).toEqual({ sources: [] });
    expect((await call('acme', 'POST', `${RAG}/search`, { query: 'x', tenantId: 'acme' })).status).toBe(409);
    const { reason, detail } = (await call('acme', 'GET', `${RAG}/status`)).json();
    expect(reason).toBe('INDEX_EMPTY');
    // Not where the index would be.
    expect(detail).not.toContain('/');
    expect((await call('acme', 'POST', '/rag/index')).status).toBe(400);
  });

  test('a body that may be left out may be left out under the type of JSON, too', async () => {
    const cwd = temporaryFolder({ 'docs/a.md': '# A\n\nOne.' });
    const sources = [{ name: 'manual', type: 'markdown' as const, paths: ['docs/**/*.md'] }];
    const { call } = await testService({
      engine: await createEngine({ config: { provider: 'memory', sources }, cwd }),
    });
    const json = { 'content-type': 'application/json' };
    const run = await call('acme', 'POST', '/rag/index', undefined, json);
    expect(run.json()).toMatchObject({ status: 'completed', total: 1 });
    const search = await call('acme', 'POST', `${RAG}/search`, undefined, json);
    expect([search.status, search.json().reason]).toEqual([400, 'REQUEST_INVALID']);
  });

  test('a run brings the index in step, and counts tell it by source and type', async () => {
    const cwd = temporaryFolder({ 'docs/a.md': '# A\n\nOne.', 'docs/b.md': '# B\n\nTwo.' });
    const sources = [{ name: 'manual', type: 'markdown' as const, paths: ['docs/**/*.md'] }];
    const engine = await createEngine({ config: { provider: 'memory', sources }, cwd });
    const { call } = await testService({ engine });
    const counts = { status: 'completed', total: 2, indexed: { manual: 2 } };
    expect((await call('acme', 'POST', '/rag/index')).json()).toEqual(counts);
    writeFiles(cwd, { 'docs/c.md': '# C\n\nThree.' });
    expect((await call('acme', 'POST', '/rag/index')).json()).toMatchObject({ total: 3 });
    expect((await call('acme', 'GET', '/rag/stats')).json()).toEqual({
      total_documents: 3,
      by_type: { markdown: 3 },
      last_indexed_at: expect.stringMatching(/^\d{4}-/),
    });
    expect((await call('acme', 'GET', `${RAG}/sources`)).json()).toMatchObject({
      sources: [{ source: 'manual' }],
    });
    expect((await call('acme', 'GET', `${RAG}/runs`)).json()).toMatchObject({ lastRun: { success: true } });
    const status = await call('acme', 'GET', `${RAG}/status`);
    expect(status.json()).toMatchObject({ documents: 3 });
    expect(status.text).not.toContain(cwd);
    const explained = await call('acme', 'POST', `${RAG}/explain`, { query: 'three', minScore: 0 });
    expect((explained.json().results as object[])[0]).toMatchObject({
      explanation: { contributions: expect.any(Array) },
    });
    const missed = await call('acme', 'POST', `${RAG}/explain-miss`, { query: 'three', document: 'c.md' });
    expect(missed.json()).toMatchObject({ found: true });
    expect(missed.text).not.toContain(cwd);
  });

  test('a run that cannot read a source, or documents, says which and why', async () => {
    const cwd = temporaryFolder({
      'docs/a.md': '# A\n\nOne.',
      'notes/b.txt': 'Two.',
      'notes/c.txt': Buffer.from([0xff, 0xfe, 0x00, 0xd8]),
    });
    const sources = [
      { name: 'manual', type: 'markdown' as const, root: 'docs', paths: ['**/*.md'] },
      { name: 'notes', type: 'files' as const, root: 'notes' },
    ];
    const engine = await createEngine({ config: { provider: 'memory', sources }, cwd });
    const { call } = await testService({ engine });
    const first = (await call('acme', 'POST', '/rag/index')).json();
    expect(first).toMatchObject({ status: 'partial', indexed: { manual: 1, notes: 1 } });
    expect(first.failed).toEqual([
      { source: 'notes', reason: expect.stringMatching(/^DOCUMENT_/) as string, documents: 1 },
    ]);
    renameSync(join(cwd, 'docs'), join(cwd, 'away'));
    const { text, json } = await call('acme', 'POST', '/rag/index');
    expect(json().failed).toContainEqual({ source: 'manual', reason: 'SOURCE_NOT_FOUND' });
    expect(json()).toMatchObject({ status: 'partial', total: 2 });
    expect(text).not.toContain(cwd);
  });

  test('a run that ends by an error is the last run, with its reason and without the words of a provider', async () => {
    const cwd = temporaryFolder({ 'docs/a.md': '# A\n\nOne.' });
    const sources = [{ name: 'manual', type: 'markdown' as const, paths: ['docs/**/*.md'] }];
    const hash = createHashEmbedder();
    let isOut = false;
    const embedder: typeof hash = {
      ...hash,
      doEmbed: async (...args) => {
        if (isOut) throw new RAGError('EMBEDDING_FAILED', 'The account 4711 is empty.');
        return hash.doEmbed(...args);
      },
    };
    const engine = await createEngine({ config: { provider: 'libsql', sources }, cwd, embedder });
    const { call } = await testService({ engine });
    const index = () => engine.index({}, { tenant: 'acme' });
    await index();
    writeFiles(cwd, { 'docs/a.md': '# A\n\nAnother one.' });
    isOut = true;
    await expect(index()).rejects.toMatchObject({ reason: 'EMBEDDING_FAILED' });
    for (const route of ['runs', 'status']) {
      const { text, json } = await call('acme', 'GET', `${RAG}/${route}`);
      expect(json().lastRun).toMatchObject({ success: false, error: { reason: 'EMBEDDING_FAILED' } });
      expect(text).not.toContain('4711');
    }
  });

  test('everyone may ask for the health', async () => {
    const { app } = await testService();
    const { statusCode, body } = await app.inject({ method: 'GET', url: '/health/rag' });
    expect([statusCode, JSON.parse(body)]).toEqual([
      200,
      {
        status: 'healthy',
        live: true,
        ready: true,
        degradationLevel: 0,
        checks: { ledger: 'ok', store: 'ok' },
      },
    ]);
  });

  test.each([
    [3, 200, 'degraded'],
    [undefined, 503, 'unhealthy'],
  ] as const)(
    'a service that answers at level %s is asked or not',
    async (degradationLevel, code, status) => {
      const parts = [{ part: 'store', ok: false, detail: 'It is down.' }] as const;
      const health = { ok: false, parts, ...(degradationLevel === undefined ? {} : { degradationLevel }) };
      const monitoring = { metrics: undefined, lastHealth: () => ({ health, at: 0 }) };
      const { app } = await testService({ monitoring });
      for (const path of ['/health/rag', '/health/rag/ready']) {
        const { statusCode, body } = await app.inject({ method: 'GET', url: path });
        expect(statusCode).toBe(code);
        expect(JSON.parse(body)).toMatchObject({ status, ready: code === 200, checks: { store: 'failed' } });
      }
      expect((await app.inject({ method: 'GET', url: '/health/rag/live' })).statusCode).toBe(200);
    },
  );

  test('a closed engine is not healthy', async () => {
    const { app, engine } = await testService();
    await engine.close();
    expect((await app.inject({ method: 'GET', url: '/health/rag' })).statusCode).toBe(503);
  });
});
