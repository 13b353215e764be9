import { describe, expect, test } from 'vitest';
import { type TestService, testService, withDocuments } from '../service/test-service.js';
import { type ClientOptions, RagstoneClient } from './ragstone-client.js';
import { ServiceError } from './service-error.js';

/** A client of a service that listens. */
async function listening(
  service: TestService,
  options: Partial<ClientOptions> = {},
): Promise<RagstoneClient> {
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 });
  return new RagstoneClient({ url, key: 'acme', tenant: 'acme', retries: 0, ...options });
}

const failureOf = async (call: Promise<unknown>): Promise<ServiceError> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (ServiceError.isInstance(error)) return error;
  throw new Error(`It did not fail with a ServiceError: ${String(error)}`);
};

describe('every method reaches its route', () => {
  test('documents go in, are found, are read and go', async () => {
    const client = await listening(await testService());
    const document = { id: 'a/b?c#d', documentId: 'book', documentType: 'note', content: 'Tea is at four.' };
    expect(await client.indexDocument(document)).toMatchObject({ id: 'a/b?c#d', tenantId: 'acme' });
    const batch = await client.indexDocuments({
      documents: ['x', 'y', 'z'].map((id) => ({ id, documentId: 'shelf', content: `Text of ${id}.` })),
    });
    expect(batch).toMatchObject({ indexed: 3, failed: 0 });
    const { results, requestId } = await client.search({ query: 'when is tea?', minScore: 0 });
    expect(results[0]).toMatchObject({ id: 'a/b?c#d', content: 'Tea is at four.' });
    expect(requestId).not.toBe('');
    expect(await client.getDocument('a/b?c#d')).toMatchObject({ text: 'Tea is at four.' });
    const page = await client.listDocuments({ limit: 3 });
    expect(page.documents).toHaveLength(3);
    const all = [];
    for await (const { externalId } of client.allDocuments({ limit: 1 })) all.push(externalId);
    expect(all.sort()).toEqual(['a/b?c#d', 'x', 'y', 'z']);
    await client.deleteDocument('x');
    await client.deleteKnowledgeDocument('y');
    expect(await client.deleteParts('shelf')).toEqual({ deleted: 1 });
    expect(await client.stats()).toMatchObject({ total_documents: 1, by_type: { note: 1 } });
    expect((await failureOf(client.getDocument('x'))).reason).toBe('DOCUMENT_NOT_FOUND');
  });

  test('files are sent with their fields', async () => {
    const client = await listening(await testService());
    const text = (name: string, content: string) => ({ name, content: new Blob([content]) });
    const request = {
      files: [text('tea.md', '# Tea\n\nTea is at four.'), text('broken.pdf', 'No PDF.')],
      documentType: 'rota',
      tags: ['a', 'b'],
      metadata: { version: 2 },
      access: { level: 0 },
    };
    const uploaded = await client.uploadFiles(request);
    expect(uploaded).toMatchObject({
      results: [
        { id: 'tea.md', success: true },
        { fileName: 'broken.pdf', error: { reason: 'DOCUMENT_INVALID' } },
      ],
      indexed: 1,
      failed: 1,
    });
    const { results } = await client.search({ query: 'when is tea?', minScore: 0 });
    expect(results).toMatchObject([
      { id: 'tea.md', documentType: 'rota', tags: ['a', 'b'], metadata: { version: 2 } },
    ]);
    const alone = client.uploadFiles({ files: [text('broken.pdf', 'No PDF.')] });
    expect(await failureOf(alone)).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID' });
  });

  test('questions are answered, at once or as they come', async () => {
    const service = await testService();
    await withDocuments(service);
    const client = await listening(service);
    const question = 'How often are payments retried?';
    expect(await client.answer({ question })).toMatchObject({ outcome: 'answer' });
    expect(await client.context({ query: question, budget: 200 })).toMatchObject({ isFallback: false });
    expect(await client.chat({ message: question })).toMatchObject({ sources: [{ bug_id: 'open' }] });
    for (const events of [client.answerEvents({ question }), client.chatEvents({ message: question })]) {
      const seen = [];
      for await (const event of events) seen.push(event);
      expect(seen[0]).toMatchObject({ type: 'start', standaloneQuestion: question });
      expect(seen.at(-1)).toMatchObject({ type: 'answer', answer: { outcome: 'answer' } });
    }
  });

  test('the state of the index is told', async () => {
    const service = await testService();
    await withDocuments(service);
    const client = await listening(service);
    const explained = await client.explain({ query: 'payments', topK: null, minScore: null });
    expect(explained.results[0]).toMatchObject({
      metadata: { source: 'open' },
      explanation: { contributions: expect.any(Array) },
    });
    expect(await client.explainMiss({ query: 'payments', document: 'open' })).toMatchObject({ found: true });
    expect(await client.related({ item: 'open' })).toMatchObject({
      item: { externalId: 'open' },
      related: [],
    });
    expect(await failureOf(client.related({ item: 'nowhere' }))).toMatchObject({
      reason: 'DOCUMENT_NOT_FOUND',
      status: 404,
    });
    expect(await failureOf(client.conflicts())).toMatchObject({ reason: 'CONFLICTS_OFF', status: 409 });
    expect((await client.embed({ text: 'payments' })).dimensions).toBeGreaterThan(10);
    expect(await client.status()).toMatchObject({ documents: 2 });
    expect(await client.sources()).toMatchObject({ sources: [{ chunks: 2 }] });
    expect(await client.runs()).toEqual({});
    expect(await client.health()).toEqual({
      status: 'healthy',
      live: true,
      ready: true,
      degradationLevel: 0,
      checks: { ledger: 'ok', store: 'ok' },
    });
    expect(await client.indexSources()).toMatchObject({ status: 'completed' });
  });
});

describe('what the service refuses', () => {
  test('is an error with its reason, its status and the id of the request', async () => {
    const client = await listening(await testService(), { key: 'acme-reader' });
    const error = await failureOf(
      client.indexDocument({ id: 'a', content: 'A text.' }, { requestId: 'mine-1' }),
    );
    expect(error).toMatchObject({ reason: 'FORBIDDEN', status: 403, retryable: false });
    expect(error.requestId).toBeTruthy();
  });

  test('a key of another tenant', async () => {
    const client = await listening(await testService(), { key: 'globex' });
    for (const call of [
      () => client.search({ query: 'x' }),
      () => client.answer({ question: 'x' }),
      () => client.context({ query: 'x' }),
      () => client.related({ item: 'x' }),
      () => client.conflicts(),
      () => client.explain({ query: 'x' }),
      () => client.explainMiss({ query: 'x', document: 'x' }),
      () => client.status(),
      () => client.indexSources(),
    ])
      expect((await failureOf(call())).reason).toBe('FORBIDDEN');
  });

  test('a stream that is refused is refused before its first event', async () => {
    const client = await listening(await testService(), { key: 'nobody' });
    expect((await failureOf(client.answerEvents({ question: 'x' }).next())).reason).toBe('UNAUTHENTICATED');
  });

  test('a key that changed is asked for once more', async () => {
    const service = await testService();
    await withDocuments(service);
    const keys = ['yesterday', 'acme'];
    const client = await listening(service, { key: async () => keys.shift() ?? 'acme' });
    expect(await client.stats()).toMatchObject({ total_documents: 1 });
    const always = await listening(await testService(), { key: () => 'yesterday' });
    expect((await failureOf(always.stats())).reason).toBe('UNAUTHENTICATED');
  });
});

describe('who waits no longer', () => {
  test('cancels, before the call or during it', async () => {
    const client = await listening(await testService());
    const gone = AbortSignal.abort();
    expect((await failureOf(client.stats({ signal: gone }))).reason).toBe('ABORTED');
    const controller = new AbortController();
    const hanging = new RagstoneClient({
      url: 'http://localhost:1',
      fetch: untilAborted(() => controller.abort()),
    });
    expect((await failureOf(hanging.stats({ signal: controller.signal }))).reason).toBe('ABORTED');
  });

  test('has said how long, and the service is told', async () => {
    let sent: Headers | undefined;
    const client = new RagstoneClient({
      url: 'http://localhost:1',
      timeoutMs: 1,
      fetch: untilAborted((init) => {
        sent = new Headers(init?.headers);
      }),
    });
    const error = await failureOf(client.stats());
    expect(error).toMatchObject({ reason: 'REQUEST_TIMEOUT', retryable: true });
    expect(sent?.get('x-timeout-ms')).toBe('1');
  });

  test('leaves a stream, and the service stops writing it', async () => {
    const service = await testService();
    await withDocuments(service);
    const client = await listening(service);
    for await (const event of client.answerEvents({ question: 'How often are payments retried?' })) {
      expect(event.type).toBe('start');
      break;
    }
    await service.app.close();
  });

  /** A server that never answers. */
  const untilAborted =
    (onSent: (init: RequestInit | undefined) => void): typeof fetch =>
    (_, init) =>
      new Promise((_resolve, reject) => {
        const { signal } = init ?? {};
        const stop = (): void => reject(new Error('stopped'));
        if (signal?.aborted === true) stop();
        signal?.addEventListener('abort', stop);
        onSent(init);
      });
});

test('an address that is none of a service is refused at once', () => {
  expect(() => new RagstoneClient({ url: 'localhost:7240' })).toThrow(TypeError);
  expect(() => new RagstoneClient({ url: 'ftp://localhost' })).toThrow(TypeError);
  expect(() => new RagstoneClient({ url: 'http://me:secret@localhost' })).toThrow(/no password/);
});

test('routes that are mounted under a prefix are called there', async () => {
  const called: string[] = [];
  const client = new RagstoneClient({
    url: 'http://localhost:1/knowledge/',
    healthEndpoint: '/ready',
    fetch: async (url) => {
      called.push(String(url));
      return Response.json({});
    },
  });
  await client.stats();
  await client.health();
  await client.listDocuments({ limit: 2, tag: 'a b' });
  expect(called).toEqual([
    'http://localhost:1/knowledge/rag/stats',
    'http://localhost:1/knowledge/ready',
    'http://localhost:1/knowledge/api/ai/rag/documents?limit=2&tag=a+b',
  ]);
});
