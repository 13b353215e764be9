import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { decodeHTML } from 'entities';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { loadConfig } from '../../config/load-config.js';
import { createEngine } from '../../index.js';
import { KeyStore } from './authentication/key-store.js';
import { startService } from './start-service.js';

async function openService(cwd = temporaryFolder(), server = {}): Promise<URL> {
  const engine = await createEngine({ config: { provider: 'memory' }, cwd });
  const config = await loadConfig({
    config: { provider: 'memory', server: { maxDelayMs: 0, ...server } },
    cwd,
  });
  const service = await startService({ engine, config, port: 0 });
  onTestFinished(async () => {
    await service.stop();
    await engine.close();
  });
  return new URL(service.url);
}

/** `fetch` sends no other host. */
async function statusFor(
  url: URL,
  path: string,
  headers: Record<string, string | string[]>,
): Promise<number> {
  const asked = request(new URL(path, url), { headers, agent: false }).end();
  const [answer] = await once(asked, 'response');
  answer.resume();
  return answer.statusCode;
}

describe('the first page', () => {
  test('is a page that runs its own scripts alone, and is asked for anew', async () => {
    const { status, headers } = await fetch(await openService());
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';style-src 'self'");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).not.toContain('unsafe');
  });

  test('asks the provider that people sign in at, and is told of it', async () => {
    const issuer = 'https://login.example.com/a"><b>';
    const jwt = { issuer, audience: 'a', jwksUrl: 'https://keys.example.com/' };
    const keysAlone = await fetch(await openService(temporaryFolder(), { jwt }));
    expect(keysAlone.headers.get('content-security-policy')).toContain("connect-src 'self';");
    expect(await keysAlone.text()).not.toContain('login.example.com');
    const answer = await fetch(
      await openService(temporaryFolder(), { jwt: { ...jwt, console: { clientId: 'page' } } }),
    );
    expect(answer.headers.get('content-security-policy')).toContain(
      "connect-src 'self' https://login.example.com;",
    );
    const [, content] = /<meta name="sign-in" content="([^"]+)"/.exec(await answer.text()) ?? [];
    expect(JSON.parse(decodeHTML(content ?? ''))).toEqual({ issuer, clientId: 'page', scope: 'openid' });
  });

  test('names files that are kept for good, and weighs little', async () => {
    const url = await openService();
    const page = await (await fetch(url)).text();
    const files = [...page.matchAll(/(?:href|src)="(console\/[^"]+)"/g)].map(([, file]) => file ?? '');
    expect(files.map((file) => file.replace(/-\w+\./, '.')).sort()).toEqual([
      'console/main.css',
      'console/main.js',
    ]);
    for (const file of files) {
      const answer = await fetch(new URL(file, url));
      expect([file, answer.status, answer.headers.get('cache-control')]).toEqual([
        file,
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
    expect((await fetch(new URL('console/LICENSES.md', url))).status).toBe(404);
    expect((await fetch(new URL('console/../package.json', url))).status).toBe(404);
    // Everything, with what a screen loads when it is opened.
    const folder = fileURLToPath(new URL('../../../dist/console', import.meta.url));
    const bytes = readdirSync(folder)
      .filter((name) => /\.(?:html|js|css)$/.test(name))
      .reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
    expect(bytes).toBeLessThan(150_000);
  });
});

describe('below a base path', () => {
  const open = () => openService(temporaryFolder(), { basePath: '/team/knowledge' });

  test('every address that the service gives begins with it', async () => {
    const url = await open();
    expect(url.pathname).toBe('/team/knowledge');
    // The page names its files relative to its folder.
    for (const [path, status, location] of [
      ['/team/knowledge', 303, '/team/knowledge/'],
      ['/team/knowledge/', 200, null],
      ['/', 200, null],
    ]) {
      const answer = await fetch(new URL(String(path), url), { redirect: 'manual' });
      expect([path, answer.status, answer.headers.get('location')]).toEqual([path, status, location]);
    }
    const description = (await (await fetch(`${url}/openapi.json`)).json()) as { servers: unknown };
    expect(description.servers).toEqual([{ url: '/team/knowledge' }]);
  });

  test('routes answer, whether a proxy cuts it off or not', async () => {
    const url = await open();
    for (const base of [`${url}`, url.origin]) {
      for (const path of ['/docs', '/openapi.json', '/health/rag/live', '/rag/stats?x'])
        expect([base, path, (await fetch(base + path)).status]).toEqual([base, path, 200]);
      const asked = await fetch(`${base}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
      expect([base, asked.status]).toEqual([base, 200]);
    }
  });

  test.each([
    '/team/knowledgebase/docs',
    '/team',
    '/team/docs',
    '/knowledge/docs',
    '/other/team/knowledge/docs',
  ])('%s is another path', async (path) => {
    expect((await fetch(new URL(path, await open()))).status).toBe(404);
  });

  test.each(['knowledge', '/knowledge/', '/', '/a b', '/a?b', 'https://x.example/knowledge'])(
    '%s is none',
    async (basePath) => {
      await expect(
        loadConfig({ config: { server: { basePath } }, cwd: temporaryFolder() }),
      ).rejects.toMatchObject({
        reason: 'CONFIG_INVALID',
      });
    },
  );
});

test.each(['/', '/docs', '/openapi.json', '/health/rag'])(
  'without keys %s is for this machine alone',
  async (path) => {
    const url = await openService();
    expect(await statusFor(url, path, {})).toBeLessThan(400);
    expect(await statusFor(url, path, { host: 'evil.example' })).toBe(403);
    expect(await statusFor(url, path, { 'x-forwarded-for': '203.0.113.9' })).toBe(403);
  },
);

test('where keys are required it does not start without one, as where their disk is not there', async () => {
  const cwd = temporaryFolder();
  const engine = await createEngine({ config: { provider: 'memory' }, cwd });
  onTestFinished(() => engine.close());
  const config = await loadConfig({
    config: { provider: 'memory', server: { requireKeys: true, maxDelayMs: 0 } },
    cwd,
  });
  await expect(startService({ engine, config, port: 0 })).rejects.toMatchObject({
    reason: 'CONFIG_INVALID',
    message: expect.stringContaining('rag.server.requireKeys'),
  });
  await new KeyStore(config).create({ name: 'shop', tenant: 'acme' });
  const service = await startService({ engine, config, port: 0 });
  expect(service.isOpen).toBe(false);
  await service.stop();
});

test('two keys in one request are no key, in whichever headers and order', async () => {
  const folder = temporaryFolder();
  const { key } = await new KeyStore(await loadConfig({ cwd: folder })).create({ tenant: 'acme' });
  const url = await openService(folder);
  const [mine, other] = [`Bearer ${key}`, 'Bearer other'];
  const status = (headers: Record<string, string | string[]>) => statusFor(url, '/rag/stats', headers);
  expect(await status({ authorization: mine })).toBe(200);
  for (const authorization of [
    [mine, other],
    [other, mine],
    [mine, mine],
  ])
    expect([authorization, await status({ authorization })]).toEqual([authorization, 401]);
  expect(await status({ 'x-api-key': [key, 'other'] })).toBe(401);
  expect(await status({ authorization: mine, 'x-api-key': 'other' })).toBe(401);
});

test('an address that cannot be decoded gets the answer of a wrong request', async () => {
  const url = await openService();
  const answer = await fetch(new URL('/api/ai/rag/documents/%ff', url));
  expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/problem+json']);
  expect(await answer.json()).toMatchObject({ reason: 'REQUEST_INVALID', status: 400 });
});

test.each([
  ['NONSENSE\r\n\r\n', 400],
  [`GET / HTTP/1.1\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
])('what is no HTTP gets it, too: %#', async (sent, status) => {
  const url = await openService();
  const socket = connect(Number(url.port), url.hostname);
  socket.write(sent);
  const answer = await text(socket);
  expect(answer).toContain(`HTTP/1.1 ${status} `);
  expect(answer).toContain('content-type: application/problem+json');
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ reason: 'REQUEST_INVALID', status });
});

test.each([
  ['http://evil.example', '', 403],
  ['HTTP://127.0.0.1:1@evil.example', '', 403],
  ['http://localhost', '', 200],
  ['http://localhost', 'evil.example', 200],
])('of an address in absolute form its host counts: %s (host: %s)', async (origin, host, status) => {
  const url = await openService();
  const socket = connect(Number(url.port), url.hostname);
  socket.write(
    `GET ${origin}/api/ai/rag/documents HTTP/1.1\r\nhost: ${host || url.host}\r\nconnection: close\r\n\r\n`,
  );
  expect(await text(socket)).toContain(`HTTP/1.1 ${status} `);
});

test.each([
  ['GET', '/api/ai/rag/search', 'DELETE, POST'],
  ['PUT', '/api/ai/rag/documents/some%2fid?x=1', 'DELETE, GET, HEAD'],
  ['POST', '/rag/stats', 'GET, HEAD'],
  ['DELETE', '/openapi.json', 'GET, HEAD'],
])(
  'a method that a path does not have is told with those that it has: %s %s',
  async (method, path, allowed) => {
    const url = await openService();
    const answer = await fetch(new URL(path, url), { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allowed]);
    expect(await answer.json()).toMatchObject({ reason: 'METHOD_NOT_ALLOWED', status: 405 });
    const unknown = await fetch(new URL('/api/ai/rag/no/such/path', url), { method });
    expect([unknown.status, unknown.headers.get('allow')]).toEqual([404, null]);
  },
);

test('to an unknown caller such a path is as unknown as any other', async () => {
  const cwd = temporaryFolder();
  const url = await openService(cwd);
  await new KeyStore(await loadConfig({ cwd })).create({ name: 'shop', tenant: 'acme' });
  const told = async (path: string) => {
    const answer = await fetch(new URL(path, url), { headers: { 'x-request-id': 'same' } });
    const { date: _, ...headers } = Object.fromEntries(answer.headers);
    return [answer.status, headers, await answer.text()];
  };
  expect(await told('/api/ai/rag/search')).toEqual(await told('/api/ai/rag/no/such/path'));
});

test('a restart forgets no outcome of a write, and not what was shown', async () => {
  const cwd = temporaryFolder();
  const stated = { provider: 'memory', feedback: { enabled: true }, server: { maxDelayMs: 0 } } as const;
  const engine = await createEngine({ config: stated, cwd });
  onTestFinished(() => engine.close());
  await engine.push([
    { id: 'x', text: 'The cellar floods in spring.' },
    { id: 'y', text: 'It is about something else.' },
  ]);
  const config = await loadConfig({ config: stated, cwd });
  const start = async () => {
    const service = await startService({ engine, config, port: 0 });
    onTestFinished(() => service.stop());
    const ask = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
      fetch(new URL(`/api/ai/rag${path}`, service.url), {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    return { service, ask };
  };
  const key = { 'idempotency-key': 'k-1' };
  const before = await start();
  const search = await before.ask('POST', '/search', { query: 'When does the cellar flood?', minScore: 0 });
  const { requestId } = (await search.json()) as { requestId: string };
  expect((await before.ask('DELETE', '/y', undefined, key)).status).toBe(204);
  await before.service.stop();
  const { ask } = await start();
  expect((await ask('DELETE', '/y')).status).toBe(404);
  expect((await ask('DELETE', '/y', undefined, key)).status).toBe(204);
  expect((await ask('POST', '/feedback', { requestId, helpful: true, rank: 1 })).status).toBe(200);
});

test('a data folder that is gone takes no writes and answers no reads, and is healthy again when it is back', async () => {
  const cwd = temporaryFolder();
  const engine = await createEngine({ config: { provider: 'libsql' }, cwd });
  const config = await loadConfig({ config: { provider: 'libsql', server: { maxDelayMs: 0 } }, cwd });
  const service = await startService({ engine, config, port: 0 });
  onTestFinished(async () => {
    await service.stop();
    await engine.close();
  });
  const push = async (id: string) => {
    const body = JSON.stringify({ id, content: 'A quokka.' });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${service.url}/api/ai/rag/index`, { method: 'POST', headers, body });
    return [answer.status, ((await answer.json()) as { reason?: string }).reason];
  };
  const health = async () => (await fetch(`${service.url}/health/rag`)).status;
  expect([await push('first'), await health()]).toEqual([[200, undefined], 200]);
  const aside = join(cwd, 'aside');
  renameSync(config.dataDir, aside);
  expect([await push('second'), await health()]).toEqual([[503, 'INDEX_UNAVAILABLE'], 503]);
  // Nothing is found, and that is not because nothing is indexed.
  expect((await fetch(`${service.url}/api/ai/rag/documents`)).status).toBe(503);
  // As a disk that is not mounted leaves it.
  rmSync(config.dataDir, { recursive: true, force: true });
  mkdirSync(config.dataDir);
  expect([await push('third'), await health()]).toEqual([[503, 'INDEX_UNAVAILABLE'], 503]);
  rmSync(config.dataDir, { recursive: true });
  renameSync(aside, config.dataDir);
  expect(await push('fourth')).toEqual([200, undefined]);
  expect((await engine.list()).documents).toHaveLength(2);
  expect(await health()).toBe(200);
});

test('keys that are gone with their folder are refused', async () => {
  const cwd = temporaryFolder();
  const engine = await createEngine({ config: { provider: 'memory' }, cwd });
  const config = await loadConfig({ config: { provider: 'memory', server: { maxDelayMs: 0 } }, cwd });
  await new KeyStore(config).create({ tenant: 'acme' });
  const service = await startService({ engine, config, port: 0 });
  onTestFinished(async () => {
    await service.stop();
    await engine.close();
  });
  const status = async () => (await fetch(`${service.url}/rag/stats`)).status;
  expect(await status()).toBe(401);
  rmSync(config.dataDir, { recursive: true });
  expect(await status()).toBe(401);
});
