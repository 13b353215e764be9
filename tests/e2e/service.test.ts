import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { samplesIn } from '../docs/samples.js';
import { makePdf } from '../fixtures/documents/make-pdf.js';
import { finished, ragstoneJson, runRagstone } from './run-ragstone.js';
import { openService, type Service, type SpawnedService, startService } from './start-service.js';
import { temporaryFolder } from './temporary-folder.js';

const FILES = {
  // A machine at work may take longer than the five seconds after which a part is left out, and the test's own work delays the service's loop.
  'ragstone.yaml':
    'rag: { provider: libsql, retrieval: { laneDeadlineMs: 300000 }, server: { maxDelayMs: 0 } }\n',
  'docs/audit.md': '# Audit\n\nAudit logs are kept for thirty days, then they are deleted.\n',
};
const JSON_BODY = { 'content-type': 'application/json' };

/** A secret may hold underscores of its own. */
const secretOf = (key: string): string => key.split('_').slice(2).join('_');

/** A service that ends with the test. */
async function serve(
  cwd: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const service = await openService(cwd, args, env);
  onTestFinished(async () => void (await service.stop()));
  return service;
}

/** The same in a process of its own. */
async function startServe(cwd: string): Promise<SpawnedService> {
  const service = await startService(cwd);
  onTestFinished(() => void service.process.kill('SIGKILL'));
  return service;
}

/** Runs a line with `curl` as a person's shell does, and gives the answer with its status. */
async function runCurl(
  line: string,
  { cwd, url, key }: { readonly cwd: string; readonly url: string; readonly key: string },
): Promise<{ readonly status: number; readonly body: string }> {
  const command = `${line.replace('localhost:7240', url)} -w '\n%{http_code}'`;
  const shell = spawn('sh', ['-c', command], {
    cwd,
    env: { PATH: process.env.PATH ?? '', KEY: key },
    stdio: 'pipe',
  });
  shell.stdout.setEncoding('utf8');
  shell.stderr.setEncoding('utf8');
  const { code, stdout, stderr } = await finished(shell);
  if (code !== 0) throw new Error(`${line}: ${code} ${stderr}`);
  const end = stdout.lastIndexOf('\n');
  return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) };
}

const ANSWER = /thirty days/;

/** What the lines of docs/service.md are answered with, in their order; each is a line that holds the first text. */
const ANSWERS: readonly (readonly [line: string, status: number, body: RegExp])[] = [
  ['/health/rag', 200, /"status":"healthy"/],
  ['/search ', 200, ANSWER],
  ['/answer ', 200, /"outcome":"answer".*thirty days/],
  ['text/event-stream', 200, /^event: start[\s\S]*event: answer\ndata: \{.*thirty days/m],
  ['/index ', 200, /"id":"contract-7"/],
  ['/documents?documentType=contract', 200, /"contract-7"/],
  ['/documents/contract-7', 200, /"text":"Invoices are paid within thirty days\."/],
  ['DELETE', 204, /^$/],
  ['"tenantId":"acme"', 200, /"results":\[\]/],
  ['/rag/stats', 200, /"total_documents":0/],
  ['file=@notes.md', 200, /"id":"lease\.pdf".*"success":true.*"id":"notes\.md".*"indexed":2,"failed":0/],
  ['idempotency-key', 200, /"id":"lease".*"success":true.*"indexed":1,"failed":0/],
];

test('every command and every request of docs/service.md works, in their order', async () => {
  const lease = makePdf([['The rent of the lighthouse is due in May.']]);
  const cwd = temporaryFolder({
    ...FILES,
    'lease.pdf': lease,
    'notes.md': '# Notes\n\nThe cellar floods in spring.\n',
  });
  const lines = samplesIn('sh')
    .filter(({ place }) => place.startsWith('docs/service.md:'))
    .flatMap(({ text }) => text.trim().split('\n'));
  const answers = [...ANSWERS];
  let url = '';
  let key = '';
  for (const line of lines) {
    if (line === 'ragstone serve') url = (await serve(cwd)).url;
    else if (line.startsWith('ragstone ')) {
      const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, a, b]) => a ?? b ?? '').slice(1);
      const { code, stdout } = await runRagstone(args, { cwd });
      expect([line, code]).toEqual([line, 0]);
      if (line.includes('"web shop"')) key = stdout.trim();
    } else {
      const [part = 'no answer is stated', status, expected = /^$/] = answers.shift() ?? [];
      expect(line).toMatch(/^curl /);
      expect(line).toContain(part);
      const answered = await runCurl(line, { cwd, url, key });
      expect([line, answered.status, answered.body]).toEqual([line, status, expect.stringMatching(expected)]);
    }
  }
  expect(answers).toEqual([]);
});

describe('a service that runs', () => {
  test('answers while the command line indexes beside it, and what that wrote is found', async () => {
    const cwd = temporaryFolder(FILES);
    const { url, process, ended } = await startServe(cwd);
    const found = async () => {
      const body = JSON.stringify({ query: 'how long are audit logs kept?' });
      const response = await fetch(`${url}/api/ai/rag/search`, { method: 'POST', headers: JSON_BODY, body });
      return [response.status, ((await response.json()) as { results?: unknown[] }).results?.length];
    };
    expect(await found()).toEqual([409, undefined]);
    expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
    expect(await found()).toEqual([200, 1]);
    process.kill('SIGINT');
    expect((await ended).code).toBe(0);
  });

  test('keeps its port: another one is told so', async () => {
    const cwd = temporaryFolder(FILES);
    const { url } = await serve(cwd);
    const second = await ragstoneJson<{ error: { reason: string } }>(['serve', '--port', new URL(url).port], {
      cwd,
    });
    expect([second.code, second.document.error.reason]).toEqual([1, 'ADDRESS_IN_USE']);
  });

  test('is closed by the first key at once, and not opened by revoking it', async () => {
    const cwd = temporaryFolder(FILES);
    await runRagstone(['index', 'docs'], { cwd });
    const { url } = await serve(cwd);
    const status = async (key?: string) =>
      (
        await fetch(`${url}/rag/stats`, {
          headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
        })
      ).status;
    expect(await status()).toBe(200);
    const { document } = await ragstoneJson<{ key: string; id: string }>(['keys', 'create'], { cwd });
    expect([await status(), await status(document.key), await status(`${document.key}x`)]).toEqual([
      401, 200, 401,
    ]);
    expect((await runRagstone(['keys', 'revoke', document.id], { cwd })).code).toBe(0);
    expect([await status(), await status(document.key)]).toEqual([401, 401]);
    const listed = await runRagstone(['keys', 'list', '--json'], { cwd });
    expect(listed.stdout).not.toContain(secretOf(document.key));
  });

  test('lets in a key that was made while others were made and revoked', async () => {
    const cwd = temporaryFolder(FILES);
    await runRagstone(['index', 'docs'], { cwd });
    const env = { RAGSTONE_TRUST: '', XDG_STATE_HOME: temporaryFolder() };
    const make = async () =>
      (await ragstoneJson<{ key: string; id: string }>(['keys', 'create'], { cwd, env })).document;
    const old = await Promise.all([make(), make(), make(), make()]);
    const [made] = await Promise.all([
      Promise.all([make(), make(), make(), make()]),
      Promise.all(old.map(({ id }) => runRagstone(['keys', 'revoke', id], { cwd, env }))),
    ]);
    const { url } = await serve(cwd, [], env);
    const status = async ({ key }: { readonly key: string }) =>
      (await fetch(`${url}/rag/stats`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await Promise.all(made.map(status))).toEqual([200, 200, 200, 200]);
    expect(await Promise.all(old.map(status))).toEqual([401, 401, 401, 401]);
  });

  test('keeps no key in clear, and its files for their owner alone', async () => {
    const cwd = temporaryFolder();
    const { document } = await ragstoneJson<{ key: string }>(['keys', 'create', '--tenant', 'acme'], { cwd });
    const folder = join(cwd, '.ragstone/keys');
    const [file = ''] = readdirSync(folder);
    expect(readFileSync(join(folder, file), 'utf8')).not.toContain(secretOf(document.key));
    expect([statSync(folder).mode & 0o77, statSync(join(folder, file)).mode & 0o77]).toEqual([0, 0]);
  });

  test('logs no question, no answer and no key', async () => {
    const cwd = temporaryFolder(FILES);
    await runRagstone(['index', 'docs'], { cwd });
    const { url, stop } = await serve(cwd, ['--log-level', 'trace']);
    const headers = { ...JSON_BODY, authorization: 'Bearer rsk_0011223344556677_secret' };
    const body = JSON.stringify({ query: 'how long are audit logs kept?' });
    await fetch(`${url}/api/ai/rag/search`, { method: 'POST', headers: JSON_BODY, body });
    await fetch(`${url}/api/ai/rag/search`, { method: 'POST', headers, body });
    await fetch(`${url}/api/ai/rag/documents/a-private-name`);
    const { stderr } = await stop();
    expect(stderr).toContain('/api/ai/rag/search');
    expect(stderr).not.toMatch(/audit logs|thirty days|rsk_|private-name/);
  });

  test.each([
    ['stopped', 'SIGTERM'],
    ['killed', 'SIGKILL'],
  ] as const)('loses no write that it acknowledged when it is %s under load', async (_, stop) => {
    const cwd = temporaryFolder(FILES);
    await runRagstone(['index', 'docs'], { cwd });
    const { url, process, ended } = await startServe(cwd);
    const acknowledged: string[] = [];
    const refused: number[] = [];
    /** The youngest version of the page of a client that was acknowledged. */
    const versions = new Map<number, number>();
    const send = async (id: string, content: string) => {
      const body = JSON.stringify({ id, content });
      const response = await fetch(`${url}/api/ai/rag/index`, { method: 'POST', headers: JSON_BODY, body });
      await response.text();
      if (response.status !== 200) refused.push(response.status);
      return response.status === 200;
    };
    const client = async (name: number) => {
      // Until the port is closed.
      for (let at = 0; ; at++) {
        const id = `n-${name}-${at}`;
        if (await send(id, `The note ${id} of the load.`)) acknowledged.push(id);
        if (await send(`page-${name}`, `The page ${name} in version ${at}.`)) versions.set(name, at);
        if (acknowledged.length >= 60 && !process.killed) process.kill(stop);
      }
    };
    await Promise.allSettled(Array.from({ length: 16 }, (_, name) => client(name)));
    const { code, stderr } = await ended;
    if (stop === 'SIGTERM')
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(refused.filter((status) => status !== 503)).toEqual([]);
    const { url: again } = await serve(cwd);
    const read = async (id: string) => {
      const response = await fetch(`${again}/api/ai/rag/documents/${id}`);
      return { ...((await response.json()) as { text?: string }), status: response.status };
    };
    for (const id of acknowledged) expect([id, (await read(id)).status]).toEqual([id, 200]);
    for (const [name, version] of versions) {
      const { text = '' } = await read(`page-${name}`);
      // What came after it may be written without anybody having been told.
      expect(Number(/version (\d+)/.exec(text)?.[1])).toBeGreaterThanOrEqual(version);
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(60);
    expect(versions.size).toBeGreaterThan(0);
    const body = JSON.stringify({ query: acknowledged.at(-1), minScore: 0, topK: 50 });
    const found = await fetch(`${again}/api/ai/rag/search`, { method: 'POST', headers: JSON_BODY, body });
    expect(await found.text()).toContain(`"${acknowledged.at(-1)}"`);
  });
});

test('a service that others could reach is refused without keys', async () => {
  const cwd = temporaryFolder(FILES);
  const { code, document } = await ragstoneJson<{ error: { reason: string; message: string } }>(
    ['serve', '--host', '0.0.0.0', '--port', '0'],
    { cwd },
  );
  expect([code, document.error.reason]).toEqual([2, 'CONFIG_INVALID']);
  expect(document.error.message).toContain('ragstone keys create');
});
