import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { docxEntries, docxParagraph, makeZip } from '../../../../tests/fixtures/documents/make-docx.js';
import { makePdf } from '../../../../tests/fixtures/documents/make-pdf.js';
import { HOSTILE_FILES } from '../../../../tests/hostile/hostile-files.js';
import { createEngine, type Runtime, SYSTEM_RUNTIME } from '../../../index.js';
import { type Reply, type TestService, testService, withDocuments } from '../test-service.js';

const RAG = '/api/ai/rag';
const PDF = makePdf([['Invoices are paid within thirty days.'], []]);
const DOCX = makeZip(docxEntries(docxParagraph('The zeppelin flies on Tuesday.')));

type Field = readonly [name: string, value: string | readonly [name: string, content: string | Uint8Array]];

/** Sends a form as browsers and curl do. */
async function upload(
  { app }: TestService,
  fields: readonly Field[],
  { caller = 'acme', headers = {} }: { caller?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const form = new FormData();
  for (const [name, value] of fields)
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new File([value[1]], value[0]));
  const { headers: given, body } = await withBody(form);
  return send(app, body, { authorization: `Bearer ${caller}`, ...given, ...headers });
}

async function withBody(form: FormData): Promise<{ headers: Record<string, string>; body: Buffer }> {
  const response = new Response(form);
  return {
    headers: { 'content-type': response.headers.get('content-type') ?? '' },
    body: Buffer.from(await response.arrayBuffer()),
  };
}

async function send(
  app: TestService['app'],
  payload: Buffer | string,
  headers: Record<string, string>,
): Promise<Reply> {
  const reply = await app.inject({ method: 'POST', url: `${RAG}/upload`, headers, payload });
  const json = () => JSON.parse(reply.body) as Record<string, unknown>;
  return { status: reply.statusCode, headers: reply.headers, text: reply.body, json };
}

const ACME: Field = ['tenantId', 'acme'];
const read = (id: string, success = true) => ({
  id,
  fileName: id,
  success,
  unchanged: false,
  notices: [],
});

/** Nothing of a tenant's is indexed, pending or failed. */
async function expectNothing({ call }: TestService): Promise<void> {
  expect((await call('acme', 'GET', `${RAG}/documents`)).json()).toEqual({ documents: [] });
  const { reason, failures } = (await call('acme', 'GET', `${RAG}/status`)).json();
  expect(reason === 'INDEX_EMPTY' ? [] : failures).toEqual([]);
}

describe('files', () => {
  test('of every kind are found by the next request', async () => {
    const service = await testService();
    const reply = await upload(service, [
      ACME,
      ['file', ['contract.pdf', PDF]],
      ['file', ['plan.docx', DOCX]],
      ['file', ['page.html', '<main><h1>Rota</h1><p>Nurses work in three shifts.</p></main>']],
      ['file', ['notes.md', '# Notes\n\nThe cellar floods in spring.']],
      ['file', ['tides', 'High water is at noon.']],
      ['file', ['main.py', 'def paint():\n    return "blue"\n']],
      ['documentType', 'mixed'],
      ['tags', 'a'],
      ['tags', 'b'],
      ['metadata', '{"version":2}'],
    ]);
    expect([reply.status, reply.json()]).toEqual([
      200,
      {
        results: [
          {
            ...read('contract.pdf'),
            notices: ['Not read by OCR: page 2 (empty, drawn, or a picture of more than 64 million pixels).'],
          },
          read('plan.docx'),
          read('page.html'),
          read('notes.md'),
          read('tides'),
          read('main.py'),
        ],
        indexed: 6,
        failed: 0,
      },
    ]);
    for (const [query, id] of [
      ['when are invoices paid?', 'contract.pdf'],
      ['when does the zeppelin fly?', 'plan.docx'],
      ['shifts of nurses', 'page.html'],
      ['when does the cellar flood?', 'notes.md'],
      ['high water', 'tides'],
      ['paint', 'main.py'],
    ]) {
      const found = await service.call('acme', 'POST', `${RAG}/search`, {
        query,
        tenantId: 'acme',
        minScore: 0,
      });
      expect((found.json().results as object[])[0], query).toMatchObject({
        id,
        documentId: id,
        documentType: 'mixed',
        tags: ['a', 'b'],
        metadata: { version: 2 },
      });
    }
  });

  test('are called as the form says, and else by their names and kinds', async () => {
    const service = await testService();
    const first = async () => {
      const found = await service.call('acme', 'POST', `${RAG}/search`, {
        query: 'when are invoices paid?',
        tenantId: 'acme',
      });
      return (found.json().results as object[])[0];
    };
    await upload(service, [ACME, ['file', ['contract.pdf', PDF]]]);
    expect(await first()).toMatchObject({
      id: 'contract.pdf',
      documentName: 'contract.pdf',
      documentType: 'pdf',
      source: 'contract.pdf',
    });
    const named: Field[] = [ACME, ['documentId', 'c-7'], ['documentName', 'Contract 7']];
    const html =
      '<title>Draft</title><main><h1>Draft</h1><p>Invoices are paid within thirty days.</p></main>';
    await service.call('acme', 'DELETE', `${RAG}/contract.pdf`);
    const reply = await upload(service, [...named, ['file', ['x.html', html]]]);
    expect(reply.json()).toMatchObject({ results: [{ id: 'c-7', fileName: 'x.html' }] });
    expect(await first()).toMatchObject({ id: 'c-7', documentId: 'c-7', documentName: 'Contract 7' });
  });

  test('of one document are deleted with it', async () => {
    const service = await testService();
    const parts: Field[] = [
      ['file', ['a.txt', 'The first part.']],
      ['file', ['b.txt', 'The second part.']],
    ];
    await upload(service, [ACME, ['documentId', 'book'], ...parts]);
    expect((await service.call('acme', 'DELETE', `${RAG}/source/book`)).json()).toEqual({ deleted: 2 });
  });

  test('have names that are data and no paths', async () => {
    const service = await testService();
    for (const [name, id] of [
      ['../../etc/passwd', 'passwd'],
      ['..\\..\\boot.ini', 'boot.ini'],
      ['Übersicht; neu=1.md', 'Übersicht; neu=1.md'],
    ] as const)
      expect((await upload(service, [ACME, ['file', [name, 'A text.']]])).json()).toMatchObject({
        results: [{ id, success: true }],
      });
    for (const name of ['a\0b', 'x'.repeat(256)])
      expect((await upload(service, [ACME, ['file', [name, 'A text.']]])).status).toBe(400);
  });

  test('that were changed are replaced; equal ones are told apart', async () => {
    const service = await testService();
    const file: Field = ['file', ['a.md', 'The cellar floods in spring.']];
    await upload(service, [ACME, file]);
    expect((await upload(service, [ACME, file])).json()).toMatchObject({ results: [{ unchanged: true }] });
    await upload(service, [ACME, ['file', ['a.md', 'The cellar floods in autumn.']]]);
    expect((await service.call('acme', 'GET', `${RAG}/documents/a.md`)).json()).toMatchObject({
      text: 'The cellar floods in autumn.',
    });
  });

  test('are told what was taken out of them', async () => {
    const config = { provider: 'memory' as const, security: { redaction: { enabled: true } } };
    const engine = await createEngine({ config, cwd: temporaryFolder() });
    const service = await testService({ engine });
    const text = 'Ask ann@example.com or bob@example.com.';
    expect((await upload(service, [ACME, ['file', ['a.txt', text]]])).json()).toMatchObject({
      results: [{ redactions: { EMAIL: 2 } }],
    });
  });
});

/** Names by which the kinds of the hostile files are known. */
const NAMES: Readonly<Record<string, string>> = {
  'application/pdf': 'x.pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'x.docx',
  'text/html': 'x.html',
  'text/markdown': 'x.md',
  'application/json': 'x.json',
  'text/plain': 'x.txt',
  'text/csv': 'x.csv',
};
/** What is another format under a wrong name is read as what it is. */
const REFUSED = HOSTILE_FILES.filter(
  ({ name, mediaType, expected, content }) =>
    mediaType in NAMES && expected !== 'read' && content.length > 0 && name !== 'a PDF' && name !== 'a ZIP',
);

describe('a file that cannot be read', () => {
  test('is refused with the reason of its parser, and leaves nothing behind', async () => {
    const service = await testService();
    expect(REFUSED.length).toBeGreaterThan(15);
    for (const { name, mediaType, content, expected } of REFUSED) {
      const reply = await upload(service, [ACME, ['file', [NAMES[mediaType] ?? '', content]]]);
      const { reason } = reply.json();
      expect([name, reply.status, reason]).toEqual([
        name,
        expected === 'DOCUMENT_TOO_LARGE' ? 413 : 400,
        expected,
      ]);
      expect(reply.headers['content-type']).toBe('application/problem+json');
    }
    await expectNothing(service);
  });

  test.each([
    ['empty', 'a.pdf', ''],
    ['no PDF, whatever its name', 'a.pdf', 'A text.'],
    ['a PDF, whatever its name', 'a.txt', PDF.slice(0, 100)],
    ['another archive', 'a.zip', makeZip([{ name: 'a.txt', content: 'x' }])],
    ['a picture', 'a.png', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13])],
  ])('is refused where it is %s', async (_, name, content) => {
    const service = await testService();
    const reply = await upload(service, [ACME, ['file', [name, content]]]);
    expect([reply.status, reply.json().reason]).toEqual([
      400,
      name === 'a.png' ? 'DOCUMENT_NOT_TEXT' : 'DOCUMENT_INVALID',
    ]);
    await expectNothing(service);
  });

  test('that takes too long is given up', async () => {
    // A limit of its own has a thread of its own, which loads its library first.
    const parseTimeoutMs = 89_999;
    const runtime: Runtime = {
      ...SYSTEM_RUNTIME,
      setTimer: (act, milliseconds, options) =>
        SYSTEM_RUNTIME.setTimer(act, milliseconds === parseTimeoutMs ? 0 : milliseconds, options),
    };
    const config = { provider: 'memory' as const, limits: { parseTimeoutMs } };
    const engine = await createEngine({ config, runtime, cwd: temporaryFolder() });
    const service = await testService({ engine });
    const reply = await upload(service, [ACME, ['file', ['slow.pdf', PDF]]]);
    expect([reply.status, reply.json().reason]).toEqual([400, 'DOCUMENT_PARSE_TIMEOUT']);
    await expectNothing(service);
  });

  test('costs no other file of its form, and no document that it would have replaced', async () => {
    const service = await testService();
    await upload(service, [ACME, ['file', ['a.pdf', PDF]]]);
    const reply = await upload(service, [
      ACME,
      ['file', ['a.pdf', PDF.slice(0, 100)]],
      ['file', ['b.md', 'The cellar floods in spring.']],
    ]);
    expect([reply.status, reply.json()]).toEqual([
      200,
      {
        results: [
          {
            ...read('a.pdf', false),
            error: { reason: 'DOCUMENT_INVALID', message: expect.stringContaining('a.pdf') },
          },
          read('b.md'),
        ],
        indexed: 1,
        failed: 1,
      },
    ]);
    expect((await service.call('acme', 'GET', `${RAG}/documents/a.pdf`)).status).toBe(200);
    expect((await service.call('acme', 'GET', `${RAG}/status`)).json()).toMatchObject({ failures: [] });
  });
});

describe('a form', () => {
  const FILE: Field = ['file', ['a.md', 'A text.']];

  test('is held against who sends it', async () => {
    const service = await testService();
    await withDocuments(service);
    const answer = async (fields: readonly Field[], caller?: string) => {
      const { status, json } = await upload(service, fields, caller === undefined ? {} : { caller });
      return [status, json().reason];
    };
    expect(await answer([ACME, FILE], 'acme-reader')).toEqual([403, 'FORBIDDEN']);
    expect(await answer([ACME, FILE], 'globex')).toEqual([403, 'FORBIDDEN']);
    expect(await answer([FILE])).toEqual([200, undefined]);
    await service.call('acme', 'DELETE', `${RAG}/documents/a.md`);
    expect(await answer([ACME, FILE, ['access', '{"groups":["hr"]}']])).toEqual([403, 'FORBIDDEN']);
    expect(await answer([ACME, FILE, ['id', 'pay']])).toEqual([409, 'DOCUMENT_DUPLICATE_ID']);
    const own = await upload(service, [ACME, FILE, ['access', '{"groups":["hr"],"level":1}']], {
      caller: 'acme-hr',
    });
    expect(own.status).toBe(200);
    expect((await service.call('acme', 'GET', `${RAG}/documents/a.md`)).status).toBe(404);
  });

  test.each<[string, readonly Field[]]>([
    ['no file', [ACME]],
    ['a text in place of a file', [ACME, ['file', 'A text.']]],
    ['a file in place of a text', [ACME, FILE, ['documentType', ['x', 'y']]]],
    ['an unknown field', [ACME, FILE, ['owner', 'ann']]],
    ['a field twice', [ACME, FILE, ['documentType', 'a'], ['documentType', 'b']]],
    ['a name that prototypes have', [ACME, FILE, ['__proto__', 'x']]],
    ['metadata that reach prototypes', [ACME, FILE, ['metadata', '{"a":{"__proto__":{}}}']]],
    ['metadata cut short', [ACME, FILE, ['metadata', '{"a":']]],
    ['access that is no JSON', [ACME, FILE, ['access', 'everyone']]],
    ['a date that is none', [ACME, FILE, ['createdAt', 'yesterday']]],
    ['one id for two files', [ACME, FILE, ['file', ['b.md', 'B.']], ['id', 'x']]],
    ['two files of one name', [ACME, FILE, FILE]],
  ])('is refused for %s', async (_, fields) => {
    const service = await testService();
    const reply = await upload(service, fields);
    expect([reply.status, reply.json().reason]).toEqual([400, 'REQUEST_INVALID']);
    await expectNothing(service);
  });

  test('is refused beyond its limits', async () => {
    const config = { provider: 'memory' as const, limits: { maxFileBytes: 100 } };
    const engine = await createEngine({ config, cwd: temporaryFolder() });
    const service = await testService({ engine });
    const files = (count: number) =>
      Array.from({ length: count }, (_, n): Field => ['file', [`${n}.md`, 'A text.']]);
    const tags = (count: number) => Array.from({ length: count }, (): Field => ['tags', 'x']);
    for (const fields of [
      files(21),
      [...files(1), ...tags(200)],
      [...files(1), ['metadata', 'x'.repeat(200_000)] as const],
      [['file', ['large.txt', 'x'.repeat(101)]] as const],
      [['file', ['large.txt', 'x'.repeat(26_214_400)]] as const],
    ]) {
      const reply = await upload(service, [ACME, ...fields]);
      expect([reply.status, reply.json().reason]).toEqual([413, 'DOCUMENT_TOO_LARGE']);
    }
    await expectNothing(service);
  });

  test('that is no form is refused', async () => {
    const service = await testService();
    const answer = async (body: string, type: string) => {
      const headers = { authorization: 'Bearer acme', 'content-type': type };
      const { status, json } = await send(service.app, body, headers);
      return [status, json().reason];
    };
    const type = 'multipart/form-data; boundary=x';
    const part = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.md"\r\n\r\nA text.';
    for (const body of ['', 'x', '--x', '--x--', part, `${part}\r\n`, part.replace('name="file"; ', '')])
      expect([body, ...(await answer(body, type))]).toEqual([body, 400, 'REQUEST_INVALID']);
    expect(await answer(part, 'multipart/form-data')).toEqual([400, 'REQUEST_INVALID']);
    expect(await answer('{}', 'application/json')).toEqual([415, 'REQUEST_INVALID']);
    expect(await answer('a=b', 'application/x-www-form-urlencoded')).toEqual([415, 'REQUEST_INVALID']);
    await expectNothing(service);
  });

  test('is described as a form of files', async () => {
    const { app } = await testService();
    const { paths } = (await app.inject('/openapi.json')).json<{ paths: Record<string, unknown> }>();
    const file = { type: 'array', minItems: 1, maxItems: 20, items: { type: 'string', format: 'binary' } };
    expect(paths[`${RAG}/upload`]).toMatchObject({
      post: {
        requestBody: {
          content: { 'multipart/form-data': { schema: { properties: { file }, required: ['file'] } } },
        },
      },
    });
  });

  test('as clients of .NET send it is read', async () => {
    const service = await testService();
    const part = (name: string, value: string) =>
      `--x\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`;
    const body = `${part('name=tenantId', 'acme')}${part("name=file; filename=a.md; filename*=utf-8''a.md", 'A text.')}--x--\r\n`;
    const headers = { authorization: 'Bearer acme', 'content-type': 'multipart/form-data; boundary="x"' };
    expect((await send(service.app, body, headers)).json()).toMatchObject({ results: [{ id: 'a.md' }] });
  });

  test('is of no other route', async () => {
    const { app } = await testService();
    const form = new FormData();
    form.append('file', new File(['A text.'], 'a.md'));
    const { headers, body } = await withBody(form);
    const reply = await app.inject({
      method: 'POST',
      url: `${RAG}/index`,
      headers: { authorization: 'Bearer acme', ...headers },
      payload: body,
    });
    expect(reply.statusCode).toBe(415);
  });

  test('with an idempotency-key is read once, whatever its boundary is', async () => {
    const service = await testService();
    const headers = { 'idempotency-key': 'k-1' };
    const first = await upload(service, [ACME, FILE], { headers });
    await service.call('acme', 'DELETE', `${RAG}/a.md`);
    const again = await upload(service, [ACME, FILE], { headers });
    expect(again.json()).toEqual(first.json());
    expect((await service.call('acme', 'GET', `${RAG}/documents/a.md`)).status).toBe(404);
    const other = await upload(service, [ACME, ['file', ['a.md', 'Another.']]], { headers });
    expect([other.status, other.json().reason]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  test('never makes the service fail, however it is damaged', async () => {
    const service = await testService();
    const form = new FormData();
    form.append('tenantId', 'acme');
    form.append('metadata', '{"version":2}');
    form.append('file', new File(['A text.'], 'a.md'));
    const { headers, body } = await withBody(form);
    const change = fc.record({
      at: fc.nat(body.length),
      bytes: fc.uint8Array({ maxLength: 8 }),
      cut: fc.nat(40),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        let damaged = body;
        for (const { at, bytes, cut } of changes)
          damaged = Buffer.concat([damaged.subarray(0, at), bytes, damaged.subarray(at + cut)]);
        const reply = await send(service.app, damaged, { authorization: 'Bearer acme', ...headers });
        expect(reply.status, reply.text).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
  });
});

describe('forms under way', () => {
  const FILE: Field = ['file', ['notes.md', 'The cellar floods in spring.']];

  /** A form that stays under way until it is ended: its caller sends the rest later, over a connection. */
  async function slowForm({ app }: TestService, caller: string) {
    const form = new FormData();
    form.append('tenantId', caller);
    form.append('file', new File(['The cellar floods in spring.'], 'slow.md'));
    const { headers, body } = await withBody(form);
    const url = new URL(`${RAG}/upload`, await app.listen({ host: '127.0.0.1', port: 0 }));
    const held = new Promise<void>((resolve) => app.server.once('request', () => setImmediate(resolve)));
    const sent = request(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller}`, 'content-length': body.length, ...headers },
      agent: false,
    });
    const replied = once(sent, 'response').then(([reply]: IncomingMessage[]) => reply?.resume().statusCode);
    sent.write(body.subarray(0, 60));
    await held;
    return { replied, end: () => sent.end(body.subarray(60)) };
  }

  test.each([
    ['of one tenant: another has its own', { maxUploadsPerTenant: 1, maxUploads: 2 }, 429, 200],
    ['overall', { maxUploadsPerTenant: 2, maxUploads: 1 }, 503, 503],
  ])('are bounded %s', async (_, limits, own, others) => {
    const service = await testService(limits);
    const slow = await slowForm(service, 'acme');
    let refused = await upload(service, [ACME, FILE]);
    // Until the server has begun with the other one.
    while (refused.status === 200) refused = await upload(service, [ACME, FILE]);
    expect([refused.status, refused.headers['retry-after']]).toEqual([own, '5']);
    const globex = await upload(service, [['tenantId', 'globex'], FILE], { caller: 'globex' });
    expect(globex.status).toBe(others);
    slow.end();
    expect(await slow.replied).toBe(200);
    for (let n = 0; n < 3; n++) expect((await upload(service, [ACME, FILE])).status).toBe(200);
  });

  test('that are refused hold no place', async () => {
    const service = await testService({ maxUploadsPerTenant: 1 });
    for (let n = 0; n < 3; n++)
      expect((await upload(service, [['tenantId', 'globex'], FILE])).status).toBe(403);
    for (let n = 0; n < 3; n++) expect((await upload(service, [ACME, ['file', 'x']])).status).toBe(400);
    expect((await upload(service, [ACME, FILE])).status).toBe(200);
  });
});
