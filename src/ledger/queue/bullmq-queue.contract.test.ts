import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { freePort, hasRedis, startRedis } from '../../platform/redis/test-redis.js';
import { FaultyProxy } from '../../testing/faulty-proxy.js';
import { type BullmqQueueOptions, openBullmqQueue } from './bullmq-queue.js';
import { batchNamed, testWorkQueue, until } from './test-work-queue.js';
import type { BatchOutcome, WorkQueue } from './work-queue.js';

const DONE: BatchOutcome = { isDone: true };
const LOCK_MS = 1_000;

test.each(['localhost:6379', 'http://127.0.0.1:6379', 'redis://', ''])(
  'a queue at %j is refused, without its address',
  async (url) => {
    const refused = openBullmqQueue({ url, prefix: 'p', name: 'n', lockMs: LOCK_MS });
    await expect(refused).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
      details: { key: 'rag.queue.url' },
    });
  },
);

describe.skipIf(!hasRedis())('on a real Redis', () => {
  let port = 0;
  let names = 0;

  beforeEach(async () => {
    port = await freePort();
    await startRedis(port);
  });

  const optionsOf = (more: Partial<BullmqQueueOptions> = {}): BullmqQueueOptions => ({
    url: `redis://127.0.0.1:${port}`,
    prefix: 'ragstone',
    name: `batches-${++names}`,
    lockMs: LOCK_MS,
    ...more,
  });

  async function opened(options = optionsOf()): Promise<WorkQueue> {
    const queue = await openBullmqQueue(options);
    onTestFinished(() => queue.close());
    return queue;
  }

  const client = (): Redis => {
    const redis = new Redis(port, '127.0.0.1');
    onTestFinished(() => redis.disconnect());
    return redis;
  };

  testWorkQueue('BullMQ', async () => openBullmqQueue(optionsOf()));

  test('hands nothing to a queue of another name or prefix', async () => {
    const options = optionsOf();
    const queue = await opened(options);
    await queue.add([batchNamed('a')]);
    const given: string[] = [];
    for (const other of [{ name: `${options.name}-x` }, { prefix: 'other' }]) {
      const strange = await opened({ ...options, ...other });
      expect(await strange.counts()).toEqual({ waiting: 0, active: 0 });
      strange.consume(
        async ({ batch }) => {
          given.push(batch);
          return DONE;
        },
        { concurrency: 1 },
      );
    }
    await sleep(300);
    expect(given).toEqual([]);
    expect(await queue.counts()).toEqual({ waiting: 1, active: 0 });
  });

  test('keeps a batch for a worker that takes longer over it than its lock', async () => {
    const options = optionsOf();
    const queue = await opened(options);
    const other = await opened(options);
    await queue.add([batchNamed('long')]);
    let given = 0;
    let finished = 0;
    const handler = async (): Promise<BatchOutcome> => {
      given++;
      await sleep(3.5 * LOCK_MS);
      finished++;
      return DONE;
    };
    queue.consume(handler, { concurrency: 1 });
    other.consume(handler, { concurrency: 1 });
    await until(() => finished > 0);
    expect(given).toBe(1);
  });

  test('gives to another worker the batch of one that went silent', async () => {
    const options = optionsOf();
    const proxy = await FaultyProxy.start({ host: '127.0.0.1', port });
    const dying = await openBullmqQueue({ ...options, url: `redis://127.0.0.1:${proxy.port}` });
    let isTaken = false;
    let finish = (): void => undefined;
    dying.consume(
      () => {
        isTaken = true;
        return new Promise<BatchOutcome>((resolve) => {
          finish = () => resolve(DONE);
        });
      },
      { concurrency: 1 },
    );
    const queue = await opened(options);
    await queue.add([batchNamed('a')]);
    await until(() => isTaken);
    proxy.mode = 'cut';
    const given: string[] = [];
    queue.consume(
      async ({ batch }) => {
        given.push(batch);
        return DONE;
      },
      { concurrency: 1 },
    );
    await until(() => given.length === 1);
    // A worker that wakes up and reports it as done harms nobody.
    proxy.mode = 'pass';
    finish();
    await until(async () => (await queue.counts()).active === 0);
    await queue.add([batchNamed('a')]);
    await until(async () => {
      const { waiting, active } = await queue.counts();
      return waiting + active === 0;
    });
    await dying.close();
    await proxy.stop();
  });

  test('works on where the server has lost everything, the batch under way too', async () => {
    const queue = await opened();
    const redis = client();
    const given: string[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    queue.consume(
      async ({ batch }) => {
        given.push(batch);
        if (given.length === 1) await held;
        return given.length === 1 ? { isDone: false, againInMs: 0 } : DONE;
      },
      { concurrency: 1 },
    );
    await queue.add([batchNamed('a'), batchNamed('b')]);
    await until(() => given.length === 1);
    await redis.flushall();
    release();
    expect(await queue.counts()).toEqual({ waiting: 0, active: 0 });
    await queue.add([batchNamed('a'), batchNamed('b')]);
    await until(() => given.length === 3);
    expect(given.slice(1).toSorted()).toEqual(['a', 'b']);
  });

  test('says at once that its server is away, without its address, and goes on when it is back', async () => {
    const proxy = await FaultyProxy.start({ host: '127.0.0.1', port });
    const queue = await openBullmqQueue({
      ...optionsOf(),
      url: `redis://:secret-word@127.0.0.1:${proxy.port}`,
    });
    const told: boolean[] = [];
    queue.onChange((isUp) => told.push(isUp));
    await until(() => queue.isUp);
    await queue.add([batchNamed('a')]);
    proxy.mode = 'cut';
    await until(() => !queue.isUp);
    for (const ask of [() => queue.add([batchNamed('b')]), () => queue.counts()]) {
      const refused = ask();
      await expect(refused).rejects.toMatchObject({ reason: 'QUEUE_UNAVAILABLE', retryable: true });
      await expect(refused).rejects.not.toThrow(/secret-word|127\.0\.0\.1/);
    }
    proxy.mode = 'pass';
    await until(() => queue.isUp);
    expect(told.filter((isUp, i) => isUp === told[i - 1])).toEqual([]);
    expect(told.at(-1)).toBe(true);
    const given: string[] = [];
    queue.consume(
      async ({ batch }) => {
        given.push(batch);
        return DONE;
      },
      { concurrency: 1 },
    );
    await until(() => given.length === 1);
    expect(given).toEqual(['a']);
    await queue.close();
    await proxy.stop();
  });

  test('ends soon where its server does not answer', async () => {
    const proxy = await FaultyProxy.start({ host: '127.0.0.1', port });
    const queue = await openBullmqQueue({ ...optionsOf(), url: `redis://127.0.0.1:${proxy.port}` });
    queue.consume(async () => DONE, { concurrency: 1 });
    await until(() => queue.isUp);
    proxy.mode = 'silent';
    const start = Date.now();
    await queue.close();
    expect(Date.now() - start).toBeLessThan(10_000);
    await proxy.stop();
  });

  test('holds no name of a document and no text', async () => {
    const options = optionsOf({ prefix: 'seen' });
    const queue = await opened(options);
    await queue.add([{ ...batchNamed('deadbeef'), project: 'river' }]);
    const redis = client();
    const keys = await redis.keys(`seen:${options.name}:*`);
    const [job] = keys.filter((key) => key.endsWith(':bdeadbeef'));
    expect(JSON.parse((await redis.hget(job ?? '', 'data')) ?? '')).toEqual({
      ...batchNamed('deadbeef'),
      project: 'river',
    });
  });
});
