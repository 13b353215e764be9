import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ErrorDocument, ragstoneJson, runRagstone } from './run-ragstone.js';
import { type Service, startService } from './start-service.js';
import { sharedFolder, temporaryFolder } from './temporary-folder.js';

type Document = Readonly<Record<string, unknown>>;

const FILES = {
  'docs/audit.md':
    '---\ntags: [ops]\n---\n# Audit\n\nAudit logs are kept for thirty days, then they are deleted.\n',
  'docs/billing.md': '# Billing\n\nInvoices are paid within fourteen days of their date.\n',
  'docs/backup.md': '---\ntags: [ops]\n---\n# Backups\n\nBackups are kept for one year on another site.\n',
};
const QUESTION = 'how long are audit logs kept?';

/** Whoever asks a service: no index, and a configuration that nothing could be opened with. */
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

async function failureOf(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, document } = await ragstoneJson<ErrorDocument>(args, { cwd: elsewhere(), env });
  return { code, reason: document.error.reason, message: document.error.message };
}

describe('a service without keys', () => {
  const cwd = sharedFolder(FILES);
  let service: Service;
  beforeAll(async () => {
    expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
    service = await startService(cwd);
  });
  afterAll(async () => {
    service.process.kill('SIGKILL');
    await service.ended;
  });

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
    {
      options: ['--source', 'path:docs', '--since', '2000-01-01', '--collapse', 'document', '--exact-words'],
    },
    { options: ['--source-type', 'wiki', '--until', '2001-01-01', '--min-similarity', '0'] },
  ])('search finds the same with $options', async ({ options }) => {
    const [here, there] = await both(['search', QUESTION, ...options]);
    expect(compared(there)).toEqual(compared(here));
    expect(there.results).toHaveLength((here.results as unknown[]).length);
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

  test('status tells the same, but for the machine of the service', async () => {
    const [here, there] = await both(['status']);
    const { dataDir, providerOrigin, fingerprint, bytes, vectorIndex, textIndex, lastRun, ...rest } = here;
    const { stats: _, ...run } = lastRun as Document;
    expect(there).toEqual({ ...rest, lastRun: run });
    expect([dataDir, providerOrigin, fingerprint, bytes, vectorIndex, textIndex]).not.toContain(undefined);
  });

  test('people see the screens of the local commands', async () => {
    const screen = async (args: readonly string[], isThere: boolean) => {
      const { code, stdout, stderr } = await runRagstone(
        isThere ? [...args, '--server', service.url] : args,
        { cwd: isThere ? elsewhere() : cwd },
      );
      expect([code, stderr]).toEqual([0, '']);
      // Files of another machine are named by their source. No two runs take the same time.
      return stdout
        .replaceAll('docs/', '')
        .replaceAll(' (path:docs)', '')
        .replaceAll(/\d+(?:\.\d+)? m?s\b/g, 'TIME');
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

  test('another tenant than the one without keys is refused', async () => {
    const failure = await failureOf(['search', QUESTION, '--server', service.url, '--tenant', 'acme']);
    expect(failure).toEqual({
      code: 1,
      reason: 'FORBIDDEN',
      message: expect.stringContaining('RAGSTONE_KEY is not set') as string,
    });
  });
});

test('a service with keys takes the key of RAGSTONE_KEY, and its tenant', async () => {
  const cwd = temporaryFolder(FILES);
  await runRagstone(['index', 'docs', '--tenant', 'acme'], { cwd });
  const { document } = await ragstoneJson<{ key: string }>(['keys', 'create', '--tenant', 'acme'], { cwd });
  const { url, process } = await startService(cwd);
  try {
    const env = { RAGSTONE_SERVER: url, RAGSTONE_KEY: document.key };
    for (const tenant of [[], ['--tenant', 'acme']]) {
      const { code, document: found } = await ragstoneJson<{ results: unknown[] }>(
        ['search', QUESTION, ...tenant],
        { cwd: elsewhere(), env },
      );
      expect([code, found.results.length > 0]).toEqual([0, true]);
    }
    const wrong = `${document.key}x`;
    const unknown = await failureOf(['search', QUESTION], { ...env, RAGSTONE_KEY: wrong });
    expect(unknown).toMatchObject({ code: 1, reason: 'UNAUTHENTICATED' });
    expect(unknown.message).toContain('ragstone keys list');
    expect(unknown.message).not.toContain(wrong);
    const none = await failureOf(['status'], { RAGSTONE_SERVER: url });
    expect(none).toMatchObject({ code: 1, reason: 'UNAUTHENTICATED' });
    expect(none.message).toContain('Set RAGSTONE_KEY');
    const other = await failureOf(['ask', QUESTION, '--tenant', 'globex'], env);
    expect(other).toMatchObject({ code: 1, reason: 'FORBIDDEN' });
    expect(other.message).toContain('leave out --tenant');
  } finally {
    process.kill('SIGKILL');
  }
});

describe('what is no service of this version', () => {
  test('nobody who listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const failure = await failureOf(['search', QUESTION, '--server', `http://127.0.0.1:${port}`]);
    expect(failure).toMatchObject({ code: 1, reason: 'SERVER_UNREACHABLE' });
    expect(failure.message).toContain('ragstone serve');
  });

  test('a service of another version', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-ragstone-api': '99' }).end('{}');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const failure = await failureOf(['search', QUESTION, '--server', `http://127.0.0.1:${port}`]);
    await new Promise((resolve) => server.close(resolve));
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
    { args: ['status', '--tenant', 'acme'], named: '--tenant' },
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

  test('the variable is named where it is the reason; empty, it is none', async () => {
    const refused = await failureOf(['verify'], { RAGSTONE_SERVER: 'http://127.0.0.1:1' });
    expect(refused).toMatchObject({ code: 2, reason: 'USAGE' });
    expect(refused.message).toContain('Unset RAGSTONE_SERVER');
    const local = await failureOf(['search', 'x'], { RAGSTONE_SERVER: '' });
    expect(local.reason).toBe('CONFIG_INVALID');
  });
});
