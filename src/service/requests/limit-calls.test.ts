import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { openRedis } from '../../redis/open-redis.js';
import { type TestService, testService } from '../test-service.js';

const RAG = '/api/ai/rag';

const answer = ({ call }: TestService, caller = 'acme') =>
  call(caller, 'POST', `${RAG}/answer`, { question: 'Which quokka?' }).then(({ status }) => status);
const chat = ({ call }: TestService) =>
  call('acme', 'POST', '/chat', { message: 'Which quokka?' }).then(({ status }) => status);
const stats = ({ call }: TestService) => call('acme', 'GET', '/rag/stats').then(({ status }) => status);

describe('a group of routes', () => {
  test('has one count for each tenant', async () => {
    const service = await testService({ requestsPerMinute: 1, limits: { 'ai-answer': 3 } });
    expect([await answer(service), await chat(service), await answer(service)]).not.toContain(429);
    expect([await chat(service), await answer(service)]).toEqual([429, 429]);
    expect(await answer(service, 'globex')).not.toBe(429);
    expect([await stats(service), await stats(service)]).toEqual([200, 429]);
  });

  test('of which nothing is said is counted route by route', async () => {
    const service = await testService({ requestsPerMinute: 1 });
    expect([await answer(service), await chat(service)]).not.toContain(429);
    expect([await answer(service), await chat(service)]).toEqual([429, 429]);
  });

  test('may be left without a limit', async () => {
    const service = await testService({ requestsPerMinute: 1, limits: { 'ai-answer': 0 } });
    expect([await answer(service), await answer(service)]).not.toContain(429);
  });
});

/** A port where nobody listens, a moment later. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

async function connected(port: number) {
  const told: boolean[] = [];
  const redis = await openRedis({ url: `redis://127.0.0.1:${port}`, onChange: (isUp) => told.push(isUp) });
  onTestFinished(() => redis.close());
  return { redis, told };
}

const checksOf = async ({ call }: TestService) => {
  const { status, json } = await call('', 'GET', '/health/rag');
  return [status, (json().checks as Record<string, string>).redis];
};

test('while Redis does not answer, the process counts for itself and health says so', async () => {
  const { redis, told } = await connected(await freePort());
  const service = await testService({ requestsPerMinute: 1, redis });
  expect([await stats(service), await stats(service)]).toEqual([200, 429]);
  expect(told).toEqual([false]);
  expect(await checksOf(service)).toEqual([200, 'failed']);
});

test('an address that is none is refused', async () => {
  for (const url of ['127.0.0.1:6379', 'http://127.0.0.1', 'redis://', ''])
    await expect(openRedis({ url, onChange: () => undefined })).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
    });
});

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis) process.stderr.write('skipped: there is no redis-server on this machine\n');

describe.runIf(hasRedis)('with a real Redis', () => {
  async function startRedis(port: number) {
    const options = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', temporaryFolder()];
    const server = spawn('redis-server', ['--port', String(port), ...options]);
    onTestFinished(() => void server.kill('SIGKILL'));
    await new Promise<void>((ready, failed) => {
      server.once('error', failed);
      server.stdout.on('data', (part: Buffer) => {
        if (part.includes('Ready to accept connections')) ready();
      });
    });
    return server;
  }

  test('processes count together, and alone while it is gone', async () => {
    const port = await freePort();
    const server = await startRedis(port);
    const [{ redis: one, told }, { redis: other }] = [await connected(port), await connected(port)];
    const first = await testService({ requestsPerMinute: 2, redis: one });
    const second = await testService({ requestsPerMinute: 2, redis: other });
    expect(await checksOf(first)).toEqual([200, 'ok']);
    expect([await stats(first), await stats(second), await stats(first)]).toEqual([200, 200, 429]);
    expect(await stats(second)).toBe(429);
    server.kill('SIGKILL');
    await expect.poll(() => told).toEqual([true, false]);
    expect([await stats(first), await stats(first), await stats(first)]).toEqual([200, 200, 429]);
    await startRedis(port);
    await expect.poll(() => told, { timeout: 10_000 }).toEqual([true, false, true]);
    expect([await stats(first), await stats(first), await stats(first)]).toEqual([200, 200, 429]);
  });
});
