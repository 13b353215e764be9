import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { loadConfig } from '../config/load-config.js';
import { createEngine } from '../index.js';
import { startService } from './start-service.js';

async function openService(): Promise<URL> {
  const cwd = temporaryFolder();
  const engine = await createEngine({ config: { provider: 'memory' }, cwd });
  const config = await loadConfig({ config: { provider: 'memory' }, cwd });
  const service = await startService({ engine, config, port: 0 });
  onTestFinished(async () => {
    await service.stop();
    await engine.close();
  });
  return new URL(service.url);
}

/** `fetch` sends no other host. */
async function statusFor(url: URL, path: string, headers: Record<string, string>): Promise<number> {
  const asked = request(new URL(path, url), { headers, agent: false }).end();
  const [answer] = await once(asked, 'response');
  answer.resume();
  return answer.statusCode;
}

test('the first page leads to the description of the routes', async () => {
  const { status, headers } = await fetch(await openService(), { redirect: 'manual' });
  expect([status, headers.get('location')]).toEqual([303, '/docs']);
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
