import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { samplesIn } from '../docs/samples.js';
import { waitFor } from '../wait-for.js';
import { DIST, finished, openRagstone, runRagstone, spawnRagstone, startRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

const MAIN = fileURLToPath(new URL('faces/cli/main.js', DIST));

interface Started {
  readonly cwd: string;
  readonly args?: readonly string[];
}

/** An assistant that talks to the built command in this process. */
async function assistant({ cwd, args = ['mcp'] }: Started): Promise<Client> {
  const { stdin, stdout, ended } = openRagstone(args, {
    cwd,
    env: { RAGSTONE_TRUST: '', XDG_STATE_HOME: cwd },
    open: true,
  });
  onTestFinished(async () => {
    stdin.end();
    await ended;
  });
  // The transport of a server reads one stream and writes the other; whose they are is all the same to it.
  return connected(new StdioServerTransport(stdout, stdin));
}

/** An assistant that starts the built command line. */
const startAssistant = ({ cwd, args = ['mcp'] }: Started): Promise<Client> =>
  connected(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, ...args],
      cwd,
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', XDG_STATE_HOME: cwd },
      stderr: 'pipe',
    }),
  );

async function connected(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '0.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  await client.listTools();
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const {
    content,
    isError = false,
    structuredContent,
  } = (await client.callTool({
    name,
    arguments: args,
  })) as CallToolResult;
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return { text, isError, structured: structuredContent as never };
}

const DOCUMENTS = {
  'ragstone.yaml': 'rag: { provider: libsql }\n',
  'docs/logs.md': '# Logs\n\nAudit logs are kept for 30 days.\n',
  'docs/pay.md': '# Pay\n\nSalary bands rise in May.\n',
};

async function indexed(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const cwd = temporaryFolder({ ...DOCUMENTS, ...files });
  expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
  return cwd;
}

const ACCESS = `rag:
  provider: libsql
  security:
    access:
      rules:
        - { paths: ['pay.md'], level: 2, groups: [hr] }
`;

describe('ragstone mcp', () => {
  test('a line that is no JSON is answered as one, without a stack, and the session goes on', async () => {
    const cwd = await indexed();
    const message = (id: number, method: string, params: object) =>
      JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const hello = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '0' },
    };
    const lines = [
      '{"jsonrpc":',
      message(1, 'initialize', hello),
      'hello',
      '[]',
      message(2, 'tools/list', {}),
    ];
    const { stdin, stdout, ended } = openRagstone(['mcp'], { cwd, open: true });
    const answers: { id: unknown; error?: { code: number } }[] = [];
    let said = '';
    stdout.on('data', (part) => {
      said += String(part);
    });
    stdin.write(`${lines.join('\n')}\n`);
    await waitFor(() => expect(said.split('\n')).toHaveLength(lines.length + 1));
    stdin.end();
    const { code, stderr } = await ended;
    for (const line of said.trim().split('\n')) answers.push(JSON.parse(line));
    expect(answers.map(({ id, error }) => [id, error?.code]).sort()).toEqual(
      [
        [null, -32700],
        [1, undefined],
        [null, -32700],
        [null, -32600],
        [2, undefined],
      ].sort(),
    );
    expect([code, stderr]).toEqual([0, '']);
  });

  test('an assistant searches, reads and asks, and is told places from where it was started', async () => {
    const client = await startAssistant({ cwd: await indexed() });
    expect(client.getServerVersion()).toMatchObject({ name: 'ragstone' });
    const found = await call(client, 'search', { query: 'how long are audit logs kept?' });
    expect(found.structured).toMatchObject({ results: [{ path: 'docs/logs.md', match: 'strong' }] });
    const read = await call(client, 'get_document', { document_id: 'docs/logs.md' });
    expect(read.text).toContain('kept for 30 days');
    const asked = await call(client, 'ask', { question: 'How long are audit logs kept?' });
    expect(asked.structured).toMatchObject({ outcome: 'answer', sources: [{ path: 'docs/logs.md' }, {}] });
  });

  test('the flags say what it may read', async () => {
    const cwd = await indexed({ 'ragstone.yaml': ACCESS });
    const plain = await assistant({ cwd });
    const hr = await assistant({ cwd, args: ['mcp', '--group', 'hr', '--clearance', '2'] });
    const question = { query: 'salary bands' };
    expect((await call(plain, 'search', question)).text).not.toContain('May');
    expect((await call(plain, 'get_document', { document_id: 'docs/pay.md' })).text).toMatch(
      /DOCUMENT_NOT_FOUND/,
    );
    expect((await call(hr, 'search', question)).text).toContain('May');
  });

  test('what it asked is in the audit log, beside the commands that change who may ask', async () => {
    const cwd = await indexed();
    const client = await assistant({ cwd });
    await call(client, 'search', { query: 'how long are audit logs kept?' });
    const made = JSON.parse(
      (await runRagstone(['keys', 'create', '--tenant', 'acme', '--json'], { cwd })).stdout,
    );
    await runRagstone(['keys', 'revoke', made.id], { cwd });
    const audit = async (...args: string[]) =>
      JSON.parse((await runRagstone(['audit', '--json', ...args], { cwd })).stdout);
    const { records } = await audit('--last', '0');
    expect(
      records.map(({ face, action, outcome }: Record<string, string>) => [face, action, outcome]),
    ).toEqual([
      ['mcp', 'tools/call search', 'done'],
      ['command', 'keys create', 'begun'],
      ['command', 'keys create', 'done'],
      ['command', `keys revoke ${made.id}`, 'begun'],
      ['command', `keys revoke ${made.id}`, 'done'],
    ]);
    expect(records[0]).toMatchObject({ tenant: 'default', results: 2 });
    expect(JSON.stringify(records)).not.toContain('how long');
    expect((await audit('--tenant', 'acme', '--last', '1')).records).toMatchObject([{ outcome: 'done' }]);
    expect((await audit('--since', '2999-01-01')).records).toEqual([]);
    expect(await audit('--verify')).toMatchObject({ lines: 5, found: 0 });
  });

  test('it starts before there is an index, and finds the one that is made, changed and replaced meanwhile', async () => {
    const root = temporaryFolder(DOCUMENTS);
    const cwd = join(root, 'docs');
    const client = await assistant({ cwd });
    const before = await call(client, 'search', { query: 'audit logs' });
    expect(before).toMatchObject({
      isError: true,
      text: expect.stringMatching(/INDEX_EMPTY.*ragstone index/s),
    });
    // In the folder above, where this process has not looked yet.
    expect((await runRagstone(['index', 'docs'], { cwd: root })).code).toBe(0);
    expect((await call(client, 'search', { query: 'audit logs' })).text).toContain('30 days');
    writeFileSync(join(cwd, 'logs.md'), '# Logs\n\nAudit logs are kept for 90 days.\n');
    expect((await runRagstone(['index', 'docs'], { cwd: root })).code).toBe(0);
    expect((await call(client, 'search', { query: 'audit logs' })).text).toContain('90 days');
    expect((await runRagstone(['index', 'docs', '--force'], { cwd: root })).code).toBe(0);
    expect((await call(client, 'search', { query: 'audit logs' })).text).toContain('90 days');
    rmSync(join(root, '.ragstone'), { recursive: true });
    expect((await call(client, 'search', { query: 'audit logs' })).isError).toBe(true);
    expect((await runRagstone(['index', 'docs'], { cwd: root })).code).toBe(0);
    expect((await call(client, 'search', { query: 'audit logs' })).text).toContain('90 days');
  });

  test('a configuration that is wrong is told by the tools, and taken once it is right', async () => {
    const cwd = await indexed();
    writeFileSync(join(cwd, 'ragstone.yaml'), 'rag: { provider: libsql, retrieval: { topk: 3 } }\n');
    const client = await assistant({ cwd });
    expect((await call(client, 'list_sources')).text).toMatch(/CONFIG_INVALID.*topk/s);
    writeFileSync(join(cwd, 'ragstone.yaml'), 'rag: { provider: libsql, retrieval: { topK: 3 } }\n');
    expect((await call(client, 'list_sources')).text).toContain('2 documents');
  });

  test('standard output carries the protocol alone, and the end of its input ends it', async () => {
    const cwd = await indexed();
    const messages = [
      {
        method: 'initialize',
        id: 1,
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
      },
      { method: 'notifications/initialized' },
      { method: 'tools/call', id: 2, params: { name: 'search', arguments: { query: 'logs' } } },
      { method: 'nonsense', id: 3 },
    ].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));
    const child = startRagstone(['mcp', '--log-level', 'debug'], { cwd, open: true });
    child.stdin.write(`${messages.join('\n')}\nnot a message\n`);
    let seen = '';
    child.stdout.on('data', (text: string) => {
      seen += text;
      if (seen.split('\n').length === 5) child.stdin.end();
    });
    const { code, stdout, stderr } = await finished(child);
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number | null });
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3, null]);
    expect(stderr).toMatch(/debug: opening the engine/);
    expect(code).toBe(0);
  });

  test('no other command loads what it needs of the protocol', async () => {
    const loads = async (...args: string[]): Promise<boolean> => {
      const coverage = temporaryFolder();
      await spawnRagstone(args, { cwd: temporaryFolder(), env: { NODE_V8_COVERAGE: coverage } });
      const reports = readdirSync(coverage).map((file) => readFileSync(join(coverage, file), 'utf8'));
      expect(reports.join()).toContain('/dist/faces/cli/main.js');
      return reports.some((report) => /\/dist\/faces\/(?:cli\/serve-stdio|mcp\/)/.test(report));
    };
    expect(await loads('mcp')).toBe(true);
    expect(await loads('search', 'x')).toBe(false);
  });

  test('a signal ends it', async () => {
    const child = startRagstone(['mcp'], { cwd: temporaryFolder(), open: true });
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`);
    child.stdout.once('data', () => child.kill('SIGTERM'));
    expect(await finished(child)).toMatchObject({ code: 130 });
  });
});

describe('docs/mcp.md', () => {
  interface Server {
    readonly command: string;
    readonly args: readonly string[];
  }
  const samples = samplesIn('json').filter(({ place }) => place.startsWith('docs/mcp.md'));
  const servers = samples.map(({ place, text }) => {
    const parsed = JSON.parse(text) as Record<string, Record<string, Server>>;
    return { place, server: Object.values(parsed)[0]?.ragstone };
  });

  test('there are several assistants', () => {
    expect(samples.length).toBeGreaterThanOrEqual(6);
  });

  test.each(servers)('$place starts', async ({ server }) => {
    const words = [server?.command, ...(server?.args ?? [])];
    const at = words.indexOf('ragstone');
    expect(words.slice(0, at).join(' ')).toMatch(/^npx( -y)?$/);
    const project = await indexed();
    const names = words.includes('--data');
    const elsewhere = temporaryFolder();
    const args = words.slice(at + 1).map((word) => (word ?? '').replace('/home/me/project', project));
    const client = await assistant({ cwd: names ? elsewhere : project, args });
    expect((await call(client, 'search', { query: 'audit logs' })).text).toContain('30 days');
  });

  test('--config names a project from elsewhere too', async () => {
    const project = await indexed({ 'ragstone.yaml': 'rag: { provider: libsql, retrieval: { topK: 3 } }\n' });
    const args = ['mcp', '--config', join(project, 'ragstone.yaml')];
    const client = await assistant({ cwd: temporaryFolder(), args });
    expect((await call(client, 'search', { query: 'audit logs' })).text).toContain('30 days');
  });
});
