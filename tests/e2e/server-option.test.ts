import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer as createRelay, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { IS_LONG } from '../long-forms.js';
import { type ErrorDocument, finished, ragstoneJson, runRagstone, startRagstone } from './run-ragstone.js';
import { openService, type Service } from './start-service.js';
import { sharedFolder, temporaryFolder } from './temporary-folder.js';

type Document = Readonly<Record<string, unknown>>;

const FILES = {
  // A machine at work may have no turn for two seconds.
  'ragstone.yaml': 'rag: { server: { maxDelayMs: 0 }, conflicts: { enabled: true } }\n',
  'docs/audit.md':
    '---\ntags: [ops]\n---\n# Audit\n\nAudit logs are kept for thirty days, then they are deleted.\n',
  'docs/billing.md':
    '# Billing\n\nInvoices are paid within fourteen days of their date, see [audit](audit.md).\n',
  'docs/backup.md': '---\ntags: [ops]\n---\n# Backups\n\nBackups are kept for one year on another site.\n',
};
const QUESTION = 'how long are audit logs kept?';

/** The folder of a client: no index, and a configuration that cannot be read. */
const elsewhere = () => temporaryFolder({ 'ragstone.yaml': 'rag: [this is no configuration\n' });

/** Fields that differ from call to call, and those that a service keeps to itself. */
const NOT_COMPARED = new Set(['tookMs', 'stages', 'context', 'chunkIds', 'revision', 'start', 'end', 'path']);

function compared(value: unknown, left: ReadonlySet<string> = NOT_COMPARED): unknown {
  if (Array.isArray(value)) return value.map((item) => compared(item, left));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      // The lines of a place have a start and an end, too.
      .filter(([name]) => !left.has(name))
      .map(([name, item]) => [name, name === 'lines' ? item : compared(item, left)]),
  );
}

/** No two runs take the same time. */
const timeless = (screen: string): string => screen.replaceAll(/\d+(?:\.\d+)? m?s\b/g, 'TIME');

/** Address of a server of the test's own, until the test ends. */
async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answeringWith = (answer: RequestListener): Promise<string> => listening(createServer(answer));

async function failureOf(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, document } = await ragstoneJson<ErrorDocument>(args, { cwd: elsewhere(), env });
  return { code, reason: document.error.reason, message: document.error.message };
}

describe('a service without keys', () => {
  const cwd = sharedFolder(FILES);
  let service: Service;
  beforeAll(async () => {
    expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
    service = await openService(cwd);
  });
  afterAll(() => service.stop());

  /** What a command says here and by the service. */
  async function both(args: readonly string[]): Promise<readonly [here: Document, there: Document]> {
    const here = await ragstoneJson<Document>(args, { cwd });
    const there = await ragstoneJson<Document>([...args, '--server', service.url], { cwd: elsewhere() });
    expect([args, here.code, there.code, there.stderr]).toEqual([args, 0, 0, here.stderr]);
    return [here.document, there.document];
  }

  test.each([
    { options: [] },
    { options: ['--filter', 'tags=ops', '--top-k', '1', '--mode', 'lexical'] },
    { options: ['--mode', 'graph', '--hops', '2'] },
    {
      options: ['--source', 'path:docs', '--since', '2000-01-01', '--collapse', 'document', '--exact-words'],
    },
    { options: ['--source-type', 'wiki', '--until', '2001-01-01', '--min-similarity', '0'] },
  ])('search finds the same with $options', async ({ options }) => {
    const [here, there] = await both(['search', QUESTION, ...options]);
    expect(compared(there)).toEqual(compared(here));
    expect(there.results).toHaveLength((here.results as unknown[]).length);
  });

  test('what a threshold leaves out is counted here and by the service, on the screen too', async () => {
    const args = ['search', QUESTION, '--min-similarity', '0.99'];
    const [here, there] = await both(args);
    const said = expect.stringMatching(
      /^\d passages? (is|are) left out, .*0\.99; .* scores 0\.\d+: lower the threshold to 0\./,
    );
    for (const document of [here, there])
      expect([document.notices, document.noticeKinds]).toEqual([[said], ['below-threshold']]);
    const plain = JSON.stringify({ query: QUESTION, tenantId: 'default', minScore: 0.99 });
    const response = await fetch(`${service.url}/api/ai/rag/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: plain,
    });
    expect(((await response.json()) as Document).notices).toEqual([said]);
    const { stderr } = await runRagstone(args, { cwd });
    expect(stderr).toMatch(/notice: \d passages? (is|are) left out/);
  });

  test('filters of a search reach the service', async () => {
    const found = async (options: readonly string[]) => {
      const args = ['search', 'days', '--min-similarity', '0', ...options, '--server', service.url];
      return (await ragstoneJson<{ results: unknown[] }>(args, { cwd: elsewhere() })).document.results.length;
    };
    expect([await found([]), await found(['--filter', 'tags=ops']), await found(['--top-k', '1'])]).toEqual([
      3, 2, 1,
    ]);
  });

  test.each([
    { options: [] },
    { options: ['--filter', 'tags=ops', '--top-k', '2', '--mode', 'naive', '--answerer', 'extractive'] },
    { options: ['--abstain-below', '1', '--collapse', 'document', '--exact-words'] },
  ])('ask answers the same with $options', async ({ options }) => {
    const [here, there] = await both(['ask', QUESTION, ...options]);
    const withoutOrigin = (answer: Document) => compared(answer, new Set([...NOT_COMPARED, 'origin']));
    expect(withoutOrigin(there)).toEqual(withoutOrigin(here));
    expect(there.outcome).toBe(options.includes('--abstain-below') ? 'perhaps' : 'answer');
  });

  test('explain-miss names the same step', async () => {
    const [here, there] = await both(['explain-miss', QUESTION, 'billing.md', '--top-k', '1']);
    expect(compared(there)).toEqual(compared(here));
    expect(there.found).toBe(false);
  });

  test('conflicts compares the same documents', async () => {
    const [here, there] = await both(['conflicts', '--kind', 'conflict', '--limit', '5']);
    expect(there).toEqual(here);
    expect(there).toMatchObject({ findings: [], examined: 3 });
  });

  test('related names the same documents by the same ways', async () => {
    const [here, there] = await both(['related', 'billing.md', '--hops', '1', '--kind', 'link']);
    expect(there).toEqual(here);
    expect(there.related).toMatchObject([{ externalId: 'audit.md', path: [{ kind: 'link' }] }]);
  });

  test('status tells the same, but for the machine of the service', async () => {
    const [here, there] = await both(['status']);
    const { dataDir, providerOrigin, fingerprint, bytes, vectorIndex, textIndex, lastRun, ...rest } = here;
    const { stats, ...run } = lastRun as Document;
    const told = (there.lastRun as Document).stats;
    // Only what stays open reads ahead.
    const { reading: _, ...others } = there;
    expect(others).toEqual({ ...rest, lastRun: { ...run, stats: told } });
    // Without errors, whose words may name its folders.
    expect(told).not.toHaveProperty('errors');
    expect(stats).toMatchObject(told as Document);
    expect([dataDir, providerOrigin, fingerprint, bytes, vectorIndex, textIndex]).not.toContain(undefined);
  });

  test('people see the screens of the local commands', async () => {
    const screen = async (args: readonly string[], isThere: boolean) => {
      const { code, stdout, stderr } = await runRagstone(
        isThere ? [...args, '--server', service.url] : args,
        { cwd: isThere ? elsewhere() : cwd },
      );
      expect([code, stderr]).toEqual([0, '']);
      // Files of another machine are named by their source.
      return timeless(stdout.replaceAll('docs/', '').replaceAll(' (path:docs)', ''));
    };
    for (const args of [
      ['search', QUESTION],
      ['ask', QUESTION, '--stream'],
    ])
      expect(await screen(args, true)).toBe(await screen(args, false));
    const status = await screen(['status'], true);
    expect(status).toContain(`service          ${service.url}`);
    expect(status).toMatch(/documents {8}3\n/);
  });

  test('index has the service read its own sources', async () => {
    writeFileSync(join(cwd, 'docs/extra.md'), '# Extra\n\nThe zeppelin hangar opens on Tuesdays.\n');
    const env = { RAGSTONE_SERVER: service.url };
    const indexed = await ragstoneJson<Document>(['index'], { cwd: elsewhere(), env });
    expect([indexed.code, indexed.document]).toEqual([
      0,
      { status: 'completed', total: 4, indexed: { 'path:docs': 4 } },
    ]);
    const { stdout } = await runRagstone(['search', 'zeppelin', 'hangar'], { cwd: elsewhere(), env });
    expect(stdout).toContain('extra.md');
    expect((await runRagstone(['index'], { cwd: elsewhere(), env })).stdout).toContain('4 documents');
  });

  test.each([
    ['search', QUESTION],
    ['ask', QUESTION, '--stream'],
    ['explain-miss', QUESTION, 'audit.md'],
    ['status'],
    ['index'],
  ])('%s is held against the tenant of the service', async (...args) => {
    const there = ['--server', service.url, '--tenant'];
    const own = await runRagstone([...args, ...there, 'default'], { cwd: elsewhere() });
    expect([own.code, own.stderr.includes('error')]).toEqual([0, false]);
    expect(await failureOf([...args, ...there, 'acme'])).toEqual({
      code: 1,
      reason: 'FORBIDDEN',
      message: expect.stringContaining('RAGSTONE_KEY is not set') as string,
    });
  });

  test('a service that is gone in the middle of an answer fails it, and what was printed is no answer', async () => {
    const { hostname, port } = new URL(service.url);
    // Lets through the head of each answer, and some of its body.
    const url = await listening(
      createRelay((near) => {
        const far = connect(Number(port), hostname);
        near.pipe(far);
        far.once('data', (part) =>
          near.write(part.subarray(0, part.indexOf('\r\n\r\n') + 40), () => near.destroy()),
        );
        for (const [one, other] of [
          [near, far],
          [far, near],
        ] as const)
          one.on('error', () => other.destroy()).on('close', () => other.destroy());
      }),
    );
    for (const options of [['--stream'], []]) {
      const args = ['ask', QUESTION, ...options, '--server', url];
      const { code, stdout, stderr } = await runRagstone(args, { cwd: elsewhere() });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('error SERVER_UNREACHABLE');
    }
  });
});

describe('a service with keys', () => {
  const cwd = sharedFolder({
    ...FILES,
    'ragstone.yaml': 'rag: { server: { maxDelayMs: 0, limits: { ai-search: 1 } } }\n',
  });
  let service: Service;
  let key: string;
  beforeAll(async () => {
    await runRagstone(['index', 'docs', '--tenant', 'acme'], { cwd });
    const permissions = ['--permission', 'read', '--permission', 'maintain'];
    const made = ['keys', 'create', '--tenant', 'acme', ...permissions];
    ({ key } = (await ragstoneJson<{ key: string }>(made, { cwd })).document);
    service = await openService(cwd);
  });
  afterAll(() => service.stop());
  const holding = (own?: string) => ({
    RAGSTONE_SERVER: service.url,
    ...(own === undefined ? {} : { RAGSTONE_KEY: own }),
  });

  test.each([
    ['ask', QUESTION],
    ['ask', QUESTION, '--tenant', 'acme'],
    ['status', '--tenant', 'acme'],
  ])('%s takes the key of RAGSTONE_KEY, and its tenant %s %s %s', async (...args) => {
    const { code, document } = await ragstoneJson<Document>(args, { cwd: elsewhere(), env: holding(key) });
    expect([code, document.outcome ?? document.documents]).toEqual([0, args[0] === 'ask' ? 'answer' : 3]);
  });

  test('a key that it does not know is not repeated, and none is asked for', async () => {
    const wrong = `${key}x`;
    const unknown = await failureOf(['ask', QUESTION], holding(wrong));
    expect(unknown).toMatchObject({ code: 1, reason: 'UNAUTHENTICATED' });
    expect(unknown.message).toContain('ragstone keys create');
    expect(unknown.message).not.toContain(wrong);
    const none = await failureOf(['status'], holding());
    expect(none).toMatchObject({ code: 1, reason: 'UNAUTHENTICATED' });
    expect(none.message).toContain('Set RAGSTONE_KEY');
  });

  test.each([['ask', QUESTION], ['status'], ['index']])(
    '%s of another tenant is refused',
    async (...args) => {
      const other = await failureOf([...args, '--tenant', 'globex'], holding(key));
      expect(other).toMatchObject({ code: 1, reason: 'FORBIDDEN' });
      expect(other.message).toContain('leave out --tenant');
    },
  );

  test('a key may do what it was made for', async () => {
    const made = ['keys', 'create', '--tenant', 'acme', '--permission', 'read'];
    const { document } = await ragstoneJson<{ key: string }>(made, { cwd });
    const failure = await failureOf(['index'], holding(document.key));
    expect(failure).toMatchObject({ code: 1, reason: 'FORBIDDEN' });
  });

  test('too many calls are told with how long to wait', async () => {
    // The one of this minute. Half a minute later the next one would wait for its turn.
    const { status } = await fetch(`${service.url}/api/ai/rag/explain`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query: QUESTION }),
    });
    expect(status).toBe(200);
    const failure = await failureOf(['search', QUESTION], holding(key));
    expect(failure).toMatchObject({ code: 1, reason: 'RATE_LIMITED' });
    expect(failure.message).toMatch(/Try again in \d+ seconds/);
  });
});

describe('what is no service of this version', () => {
  test('a port that is closed', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const failure = await failureOf(['search', QUESTION, '--server', `http://127.0.0.1:${port}`]);
    expect(failure).toMatchObject({ code: 1, reason: 'SERVER_UNREACHABLE' });
    expect(failure.message).toContain('ragstone serve');
  });

  test('a server of something else', async () => {
    const url = await answeringWith((_, response) => {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>');
    });
    const failure = await failureOf(['ask', QUESTION, '--server', url]);
    expect(failure).toMatchObject({ code: 2, reason: 'SERVER_INCOMPATIBLE' });
    expect(failure.message).toContain('Check the address');
  });

  test('a service of another version', async () => {
    const url = await answeringWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-ragstone-api': '99' }).end('{}');
    });
    const failure = await failureOf(['search', QUESTION, '--server', url]);
    expect(failure).toMatchObject({ code: 2, reason: 'SERVER_INCOMPATIBLE' });
    expect(failure.message).toContain('Install the version of Ragstone that the service has');
  });
});

describe('what a service does not do is refused, and nothing is sent', () => {
  // Nobody listens there.
  const SERVER = ['--server', 'http://127.0.0.1:1'];

  test.each([
    { args: ['search', 'x', '--project', 'p', '--group', 'g'], named: '--project, --group' },
    { args: ['search', 'x', '--clearance', '2'], named: '--clearance' },
    { args: ['search', 'x', '--data', 'd'], named: '--data' },
    { args: ['ask', 'x', '--config', 'c.yaml'], named: '--config' },
    { args: ['ask', 'x', '--trust'], named: '--trust' },
    { args: ['status', '--project', 'p'], named: '--project' },
    { args: ['index', '--force'], named: '--force' },
    { args: ['index', 'docs'], named: 'no paths' },
    { args: ['verify'], named: '"ragstone verify"' },
    { args: ['tune', 'docs'], named: '"ragstone tune"' },
    { args: ['keys', 'list'], named: '"ragstone keys list"' },
    { args: ['search', 'x', '--filter', 'a=1', '--filter', 'a=2'], named: '"a" is given twice' },
  ])('$args', async ({ args, named }) => {
    const failure = await failureOf([...args, ...SERVER]);
    expect(failure).toEqual({ code: 2, reason: 'USAGE', message: expect.stringContaining(named) as string });
  });

  test.each(['', 'localhost', 'ftp://127.0.0.1', 'http://name:secret@127.0.0.1:1'])(
    'the address "%s"',
    async (address) => {
      const failure = await failureOf(['search', 'x', '--server', address]);
      expect(failure).toMatchObject({ code: 2, reason: 'USAGE' });
      expect(failure.message).toContain('--server');
      expect(failure.message).not.toContain('secret');
    },
  );

  test('a key that no header holds is not repeated', async () => {
    const failure = await failureOf(['search', 'x', ...SERVER], { RAGSTONE_KEY: 'rsk_1\nrsk_2' });
    expect(failure).toMatchObject({ code: 2, reason: 'USAGE' });
    expect(failure.message).not.toContain('rsk_');
  });

  test('an empty variable is none', async () => {
    const local = await failureOf(['search', 'x'], { RAGSTONE_SERVER: '' });
    expect(local.reason).toBe('CONFIG_INVALID');
  });
});

describe('RAGSTONE_SERVER is for the commands that can ask a service', () => {
  // Nobody listens there.
  const env = { RAGSTONE_SERVER: 'http://127.0.0.1:1' };
  const cwd = sharedFolder(FILES);
  beforeAll(async () => {
    expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
  });

  test.each([
    { args: ['verify'], named: '"ragstone verify"' },
    { args: ['keys', 'list'], named: '"ragstone keys list"' },
    { args: ['search', QUESTION, '--data', '.ragstone'], named: '--data' },
  ])('$args is about this machine, and says so once', async ({ args, named }) => {
    const { code, stdout, stderr } = await runRagstone(args, { cwd, env });
    expect(code).toBe(0);
    const line = `${named} is about the index of this machine: the service of RAGSTONE_SERVER is not asked.`;
    expect(stderr.split('\n').filter((text) => text === line)).toHaveLength(1);
    const local = await runRagstone(args, { cwd });
    expect(timeless(stdout)).toBe(timeless(local.stdout));
    expect((await runRagstone([...args, '--quiet'], { cwd, env })).stderr).toBe('');
  });

  test('what nobody expects of a service says nothing of it', async () => {
    const { code, stderr } = await runRagstone(['config', 'show'], { cwd, env });
    expect([code, stderr]).toEqual([0, '']);
  });

  test.each([
    { args: ['index', '--force'], named: '--force' },
    { args: ['index', 'docs'], named: 'no paths' },
    { args: ['search', QUESTION, '--clearance', '2'], named: '--clearance' },
  ])(
    '$args is refused, for it would be about another index than without the option',
    async ({ args, named }) => {
      const refused = await failureOf(args, env);
      expect(refused).toMatchObject({ code: 2, reason: 'USAGE' });
      expect(refused.message).toContain(named);
      expect(refused.message).toContain('Unset RAGSTONE_SERVER');
    },
  );
});

test('Ctrl-C while a service indexes claims nothing of what is kept there', async () => {
  let stop = (): void => undefined;
  const url = await answeringWith(({ method }, response) => {
    if (method === 'POST') stop();
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"sources":[]}');
  });
  const child = startRagstone(['index', '--server', url], { cwd: elsewhere() });
  stop = () => child.kill('SIGINT');
  const { code, stderr } = await finished(child);
  expect(code).toBe(130);
  expect(stderr).toContain('The service ends its run and keeps what it has written');
  expect(stderr).not.toContain('Nothing of this run');
});

// `fetch` of Node.js gives up after five minutes.
test.skipIf(!IS_LONG)(
  'index waits for a run of more than five minutes',
  async () => {
    const url = await answeringWith(({ method }, response) => {
      const counts =
        method === 'POST' ? { status: 'completed', total: 1, indexed: { docs: 1 } } : { sources: [] };
      const answer = () =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(counts));
      if (method === 'POST') setTimeout(answer, 330_000);
      else answer();
    });
    const { code, stdout, stderr } = await runRagstone(['index', '--server', url], { cwd: elsewhere() });
    expect([code, stderr]).toEqual([0, expect.stringContaining('the service indexes') as string]);
    expect(stdout).toContain('1 document');
  },
  400_000,
);
