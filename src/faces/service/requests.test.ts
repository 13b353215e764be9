import { Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { IdempotentWrites } from './requests/idempotent-writes.js';
import { testService, withDocuments } from './test-service.js';

const RAG = '/api/ai/rag';

test('the document of the routes is valid OpenAPI 3.1 and describes every route', async () => {
  const { app } = await testService();
  const document = (await app.inject({ method: 'GET', url: '/openapi.json' })).json<{
    openapi: string;
    paths: object;
  }>();
  const result = await new Validator().validate({ ...document });
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
  expect(document.openapi).toBe('3.1.0');
  expect(Object.keys(document.paths).sort()).toMatchInlineSnapshot(`
    [
      "/api/ai/rag/answer",
      "/api/ai/rag/caller",
      "/api/ai/rag/compare",
      "/api/ai/rag/conflicts",
      "/api/ai/rag/context",
      "/api/ai/rag/documents",
      "/api/ai/rag/documents/{id}",
      "/api/ai/rag/documents/{id}/original",
      "/api/ai/rag/documents/{id}/passages",
      "/api/ai/rag/documents/{id}/versions",
      "/api/ai/rag/embedding",
      "/api/ai/rag/explain",
      "/api/ai/rag/explain-miss",
      "/api/ai/rag/facets",
      "/api/ai/rag/failures",
      "/api/ai/rag/feedback",
      "/api/ai/rag/feedback/judgments",
      "/api/ai/rag/index",
      "/api/ai/rag/index/batch",
      "/api/ai/rag/related",
      "/api/ai/rag/runs",
      "/api/ai/rag/runs/events",
      "/api/ai/rag/search",
      "/api/ai/rag/source/{id}",
      "/api/ai/rag/sources",
      "/api/ai/rag/status",
      "/api/ai/rag/upload",
      "/api/ai/rag/{id}",
      "/chat",
      "/health/rag",
      "/health/rag/live",
      "/health/rag/parts",
      "/health/rag/ready",
      "/rag/index",
      "/rag/stats",
    ]
  `);
});

test('the page of the routes loads nothing from elsewhere', async () => {
  const { app } = await testService();
  const { statusCode, body, headers } = await app.inject({ method: 'GET', url: '/docs' });
  expect(statusCode).toBe(200);
  expect(body).toContain('POST /api/ai/rag/search');
  expect(body).not.toMatch(/<script|src="|https?:\/\//);
  expect(headers['content-security-policy']).toContain("default-src 'self'");
});

test('routes may stand below a prefix of the application', async () => {
  const { default: Fastify } = await import('fastify');
  const { ragstonePlugin } = await import('./ragstone-plugin.js');
  const { engine } = await testService();
  const app = Fastify();
  app.get('/own', async () => ({ own: true }));
  const authenticate = async () => ({ name: 'x', scope: { tenant: 'acme' }, permissions: ['read' as const] });
  await app.register(ragstonePlugin, { prefix: '/knowledge', engine, authenticate });
  expect((await app.inject({ method: 'GET', url: '/knowledge/rag/stats' })).statusCode).toBe(200);
  const own = await app.inject({ method: 'GET', url: '/own' });
  expect([own.statusCode, own.headers['x-request-id']]).toEqual([200, undefined]);
  const { paths } = (await app.inject({ method: 'GET', url: '/knowledge/openapi.json' })).json<{
    paths: object;
  }>();
  expect(Object.keys(paths)).toContain('/knowledge/api/ai/rag/search');
  expect(Object.keys(paths)).not.toContain('/own');
  await app.close();
});

describe('a request that is wrong', () => {
  test.each([
    ['an unknown field', '/search', { query: 'x', tenantId: 'acme', limit: 3 }],
    ['a text for a number', '/search', { query: 'x', tenantId: 'acme', topK: '3' }],
    ['too many results', '/search', { query: 'x', tenantId: 'acme', topK: 1_000 }],
    ['nothing to find', '/search', { query: '', tenantId: 'acme' }],
    ['a document without an id', '/index', { content: 'x', tenantId: 'acme' }],
    ['a date that is none', '/index', { id: 'x', content: 'x', tenantId: 'acme', createdAt: 'yesterday' }],
    [
      'an id twice',
      '/index/batch',
      {
        tenantId: 'acme',
        documents: [
          { id: 'x', content: 'a' },
          { id: 'x', content: 'b' },
        ],
      },
    ],
    ['another answerer', '/answer', { question: 'x', answerer: 'oracle' }],
  ])('is refused for %s', async (_, route, body) => {
    const { call } = await testService();
    const { status, headers, json } = await call('acme', 'POST', RAG + route, body);
    expect([status, headers['content-type']]).toEqual([400, 'application/problem+json']);
    expect(json()).toMatchObject({
      type: 'urn:ragstone:error:REQUEST_INVALID',
      status: 400,
      reason: 'REQUEST_INVALID',
      code: 'E005',
      requestId: headers['x-request-id'],
    });
  });

  test.each<[method: 'GET' | 'POST', route: string, body: object | undefined, detail: string]>([
    ['POST', '/search', { qeury: 'x' }, 'The body needs "query", a text, and has no "qeury".'],
    ['POST', '/search', { query: 'x', topk: 3 }, 'The body has no "topk". Did you mean topK?'],
    ['POST', '/search', { query: 'x', topK: '3' }, 'has a wrong "topK": it must be a number.'],
    ['POST', '/search', { query: 'x', topK: 101 }, 'has a wrong "topK": it must be at most 100.'],
    ['POST', '/search', { query: '' }, 'has a wrong "query": it must be a text that is not empty.'],
    ['POST', '/search', { query: 'x', mode: 'all' }, 'it must be one of hybrid, dense, lexical, graph.'],
    ['POST', '/search', { query: 'x', since: '2026' }, 'it must be a time with its zone, such as'],
    [
      'POST',
      '/search',
      { query: 'x', metadata: { a: {} } },
      '"metadata.a": it must be a text or a number or',
    ],
    ['POST', '/compare', { query: 'x', a: { top: 1 }, b: {} }, 'The body has no "a.top". Did you mean topK?'],
    ['GET', '/documents?limt=1', undefined, 'The query has no "limt". Did you mean limit?'],
    ['GET', '/documents?limit=0', undefined, 'The query has a wrong "limit": it must be'],
    ['GET', '/documents?limit=', undefined, 'The query has a wrong "limit": it must be'],
    ['GET', '/documents/%00', undefined, 'The path has a wrong "id": it must be a text without control'],
  ])('is told what was meant: %s %s %o', async (method, route, body, detail) => {
    const { call } = await testService();
    const { status, json } = await call('acme', method, RAG + route, body);
    expect([status, json().detail]).toEqual([400, expect.stringContaining(detail)]);
  });

  test('is refused for a body that is no JSON, of another type, or too large', async () => {
    const { app } = await testService();
    const send = async (payload: string, type: string, route = '/search') => {
      const headers = { authorization: 'Bearer acme', 'content-type': type };
      const { statusCode, body } = await app.inject({
        method: 'POST',
        url: RAG + route,
        headers,
        payload,
      });
      return [statusCode, JSON.parse(body).reason];
    };
    expect(await send('{"query":', 'application/json')).toEqual([400, 'REQUEST_INVALID']);
    expect(await send('{"query":"x","__proto__":{}}', 'application/json')).toEqual([400, 'REQUEST_INVALID']);
    for (const type of ['application/x-www-form-urlencoded', 'text/plain'])
      expect(await send('query=x', type)).toEqual([415, 'REQUEST_INVALID']);
    expect(await send('x', 'text/plain', '/../../../rag/index')).toEqual([415, 'REQUEST_INVALID']);
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const nested = `{"id":"x","tenantId":"acme","content":"x","metadata":${deep}}`;
    expect(await send(nested, 'application/json', '/index')).toEqual([400, 'REQUEST_INVALID']);
    expect(await send(`{"query":"${'x'.repeat(2_000_000)}"}`, 'application/json')).toEqual([
      413,
      'DOCUMENT_TOO_LARGE',
    ]);
  });

  test('is refused for a body of no stated type, naming the one it takes', async () => {
    const { app } = await testService();
    const { statusCode, body } = await app.inject({
      method: 'POST',
      url: `${RAG}/search`,
      headers: { authorization: 'Bearer acme' },
      payload: '{"query":"x"}',
    });
    expect([statusCode, body]).toEqual([415, expect.stringContaining('content-type: application/json')]);
  });

  test.each([
    ['/api/ai/rag/search', 262_144],
    ['/api/ai/rag/explain', 262_144],
    ['/api/ai/rag/explain-miss', 262_144],
    ['/api/ai/rag/embedding', 262_144],
    ['/api/ai/rag/context', 262_144],
    ['/rag/index', 262_144],
    ['/mcp', 262_144],
    ['/api/ai/rag/answer', 4_194_304],
    ['/chat', 4_194_304],
    ['/api/ai/rag/index', 26_214_400],
    ['/api/ai/rag/index/batch', 26_214_400],
  ])('to %s is refused beyond %i bytes before it is parsed', async (url, most) => {
    const { app } = await testService();
    const statusOf = async (bytes: number) => {
      const headers = { authorization: 'Bearer acme', 'content-type': 'application/json' };
      return (await app.inject({ method: 'POST', url, headers, payload: '['.repeat(bytes) })).statusCode;
    };
    expect(await statusOf(most)).not.toBe(413);
    expect(await statusOf(most + 1)).toBe(413);
  });

  test('is told in a few words what was wrong, however much it was', async () => {
    const { call } = await testService();
    const unknown = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`key-${i}`, 0]));
    const { status, json } = await call('acme', 'POST', `${RAG}/search`, unknown);
    expect(status).toBe(400);
    expect(String(json().detail).length).toBeLessThan(1_100);
  });

  test('never makes the service fail, whatever it holds', async () => {
    const service = await testService();
    await withDocuments(service);
    const bodies: Readonly<Record<string, readonly string[]>> = {
      [`${RAG}/search`]: ['query', 'tenantId', 'topK', 'minScore', 'documentTypes', 'tags'],
      [`${RAG}/index`]: [
        'id',
        'tenantId',
        'documentId',
        'content',
        'metadata',
        'tags',
        'createdAt',
        'chunkIndex',
      ],
      [`${RAG}/index/batch`]: ['tenantId', 'documents'],
      [`${RAG}/embedding`]: ['text', 'kind'],
      [`${RAG}/answer`]: ['question', 'history', 'topK', 'abstainBelow', 'tags'],
      [`${RAG}/context`]: ['query', 'budget', 'model', 'topK'],
      [`${RAG}/explain`]: ['query', 'topK', 'minScore'],
      [`${RAG}/explain-miss`]: ['query', 'document'],
      '/chat': ['message', 'conversation_history'],
    };
    const value = fc.oneof(
      { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
      fc.constantFrom(
        'acme',
        'open',
        'document',
        'user',
        0,
        1,
        0.5,
        -1,
        1e308,
        null,
        true,
        [],
        {},
        '\u0000',
        '../..',
      ),
      fc.jsonValue({ maxDepth: 3 }),
    );
    const request = fc.constantFrom(...Object.keys(bodies)).chain((url) =>
      fc.tuple(
        fc.constant(url),
        fc.oneof(
          {
            weight: 5,
            arbitrary: fc.record(Object.fromEntries((bodies[url] ?? []).map((key) => [key, value])), {
              requiredKeys: [],
            }),
          },
          fc.jsonValue({ maxDepth: 4 }),
        ),
        fc.boolean(),
      ),
    );
    await fc.assert(
      fc.asyncProperty(request, async ([url, drawn, isOwn]) => {
        const body =
          isOwn && typeof drawn === 'object' && drawn !== null && 'tenantId' in drawn
            ? { ...drawn, tenantId: 'acme' }
            : drawn;
        const payload = JSON.stringify(body);
        const { statusCode, body: text } = await service.app.inject({
          method: 'POST',
          url,
          headers: { authorization: 'Bearer acme', 'content-type': 'application/json' },
          payload,
        });
        expect(statusCode, `${url} ${payload}: ${text}`).toBeLessThan(500);
      }),
      { numRuns: 400 },
    );
  });

  test('nor do ids, queries and headers', async () => {
    const service = await testService();
    await withDocuments(service);
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(text, text, fc.constantFrom('GET', 'DELETE'), async (id, cursor, method) => {
        const asked = encodeURIComponent(id.toWellFormed?.() ?? id.replaceAll(/[\ud800-\udfff]/g, ''));
        const replies = [
          await service.call('acme', method, `${RAG}/documents/${asked}`),
          await service.call(
            'acme',
            'GET',
            `${RAG}/documents?cursor=${asked}&limit=${encodeURIComponent(cursor.replaceAll(/[\ud800-\udfff]/g, ''))}`,
          ),
          await service.call('acme', 'GET', '/rag/stats', undefined, {
            'x-timeout-ms': asked,
            'x-request-id': asked,
          }),
        ];
        for (const { status, text: body } of replies) expect(status, body).toBeLessThan(500);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a write with an idempotency-key', () => {
  const write = { id: 'x', tenantId: 'acme', content: 'A text.' };

  test('is done once, and its answer given again', async () => {
    const { call } = await testService();
    const key = { 'idempotency-key': 'k-1' };
    await call('acme', 'POST', `${RAG}/index`, write);
    expect((await call('acme', 'DELETE', `${RAG}/x`, undefined, key)).status).toBe(204);
    expect((await call('acme', 'DELETE', `${RAG}/x`, undefined, key)).status).toBe(204);
    expect((await call('acme', 'DELETE', `${RAG}/x`)).status).toBe(404);
  });

  test('keeps nothing of the documents in memory', async () => {
    const { call } = await testService();
    const outcomes: unknown[] = [];
    const run = vi.spyOn(IdempotentWrites.prototype, 'run').mockImplementation(async ({ work }) => {
      const outcome = await work();
      outcomes.push(outcome);
      return outcome;
    });
    onTestFinished(() => run.mockRestore());
    const marked = { ...write, content: 'A marked text.', metadata: { note: 'marked' } };
    const answer = await call('acme', 'POST', `${RAG}/index`, marked, { 'idempotency-key': 'k-1' });
    expect(answer.json()).toMatchObject({ content: 'A marked text.', metadata: { note: 'marked' } });
    expect(outcomes).toHaveLength(1);
    expect(JSON.stringify(outcomes)).not.toContain('marked');
  });

  test('is refused with another body, and is no matter of other tenants', async () => {
    const { call } = await testService();
    const key = { 'idempotency-key': 'k-1' };
    expect((await call('acme', 'POST', `${RAG}/index`, write, key)).status).toBe(200);
    const other = await call('acme', 'POST', `${RAG}/index`, { ...write, content: 'Another.' }, key);
    expect([other.status, other.json().reason]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const own = { ...write, tenantId: 'globex' };
    expect((await call('globex', 'POST', `${RAG}/index`, own, key)).status).toBe(200);
  });

  test('that failed is done again', async () => {
    const { call } = await testService();
    const key = { 'idempotency-key': 'k-1' };
    expect((await call('acme', 'DELETE', `${RAG}/x`, undefined, key)).status).toBe(404);
    await call('acme', 'POST', `${RAG}/index`, write);
    expect((await call('acme', 'DELETE', `${RAG}/x`, undefined, key)).status).toBe(204);
  });
});

test('a tenant that calls too often is told when to come again; another one is not touched', async () => {
  const { call } = await testService({ requestsPerMinute: 2 });
  const stats = (caller: string) => call(caller, 'GET', '/rag/stats');
  expect((await stats('acme')).status).toBe(200);
  expect((await stats('acme-hr')).status).toBe(200);
  const third = await stats('acme');
  expect([third.status, third.json().reason]).toEqual([429, 'RATE_LIMITED']);
  expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
  expect((await stats('globex')).status).toBe(200);
  expect((await call('acme', 'GET', `${RAG}/documents`)).status).toBe(200);
  expect((await stats('globex')).headers).not.toHaveProperty('x-ratelimit-remaining');
});

test('a caller may wait for less time than the service would', async () => {
  const service = await testService();
  await withDocuments(service);
  const { status, json } = await service.call(
    'acme',
    'POST',
    `${RAG}/answer`,
    { question: 'How often are payments retried?' },
    { 'x-timeout-ms': '1' },
  );
  expect([status, json().reason]).toEqual([504, 'REQUEST_TIMEOUT']);
  expect(json().detail).not.toContain('written');
  const late = await service.call(
    'acme',
    'POST',
    `${RAG}/index`,
    { id: 'late', tenantId: 'acme', content: 'Payments are retried twice. '.repeat(5_000) },
    { 'x-timeout-ms': '1' },
  );
  expect(late.json()).toMatchObject({
    status: 504,
    detail: expect.stringContaining('What it had written by then stays'),
  });
});

test('a page of an allowed origin may call from a browser, any other may not', async () => {
  const { app } = await testService({ corsOrigins: ['https://app.example.com'] });
  const preflight = async (origin: string) => {
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    return (await app.inject({ method: 'OPTIONS', url: `${RAG}/search`, headers })).headers[
      'access-control-allow-origin'
    ];
  };
  expect(await preflight('https://app.example.com')).toBe('https://app.example.com');
  expect(await preflight('https://evil.example')).not.toBe('https://evil.example');
});
