import { describe, expect, test } from 'vitest';
import { openRedis } from '../../../platform/redis/open-redis.js';
import { connectedRedis, freePort, hasRedis, startRedis } from '../../../platform/redis/test-redis.js';
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

const checksOf = async ({ call }: TestService) => {
  const { status, json } = await call('', 'GET', '/health/rag');
  return [status, (json().checks as Record<string, string>).redis];
};

test('while Redis does not answer, the process counts for itself and health says so', async () => {
  const { redis, told } = await connectedRedis(await freePort());
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

describe.runIf(hasRedis())('with a real Redis', () => {
  test('processes count together, and alone while it is gone', async () => {
    const port = await freePort();
    const server = await startRedis(port);
    const [{ redis: one, told }, { redis: other }] = [await connectedRedis(port), await connectedRedis(port)];
    const first = await testService({ requestsPerMinute: 2, redis: one });
    const second = await testService({ requestsPerMinute: 2, redis: other });
    expect(await checksOf(first)).toEqual([200, 'ok']);
    expect([await stats(first), await stats(second), await stats(first)]).toEqual([200, 200, 429]);
    expect(await stats(second)).toBe(429);
    server.kill('SIGKILL');
    await expect.poll(() => told).toEqual([true, false]);
    expect([await stats(first), await stats(first), await stats(first)]).toEqual([200, 200, 429]);
    await startRedis(port);
    await expect.poll(() => told).toEqual([true, false, true]);
    expect([await stats(first), await stats(first), await stats(first)]).toEqual([200, 200, 429]);
  });

  test('a server that hangs keeps one request waiting, and is asked again when it goes on', async () => {
    const port = await freePort();
    const server = await startRedis(port);
    const { redis, told } = await connectedRedis(port);
    const service = await testService({ requestsPerMinute: 100, redis });
    expect(await stats(service)).toBe(200);
    server.kill('SIGSTOP');
    expect(await stats(service)).toBe(200);
    await expect.poll(() => told).toEqual([true, false]);
    const since = performance.now();
    // Some of these are made while the connection is being tried again.
    while (performance.now() - since < 2_500) {
      const asked = performance.now();
      expect(await stats(service)).toBe(200);
      expect(performance.now() - asked).toBeLessThan(400);
      expect(redis.isUp).toBe(false);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await checksOf(service)).toEqual([200, 'failed']);
    server.kill('SIGCONT');
    await expect.poll(() => told).toEqual([true, false, true]);
    expect(await stats(service)).toBe(200);
  });
});
