import { describe, expect, onTestFinished, test } from 'vitest';
import { runtime, sleep } from '../../core/runtime.js';
import type { PendingBatch } from '../pending-work.js';
import type { BatchHandler, BatchOutcome, WorkQueue } from './work-queue.js';

/** A batch by its name alone. */
export const batchNamed = (batch: string): PendingBatch => ({ tenant: 'acme', source: 'notes', batch });

const DONE: BatchOutcome = { isDone: true };
/** Longer than any queue needs to hand out what it has, in milliseconds. */
const PATIENCE_MS = 240_000;

/** Until it holds. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = runtime().elapsed() + PATIENCE_MS; !(await isSo()); await sleep(10))
    if (runtime().elapsed() > end) throw new Error('It never came to that.');
}

/** What every queue does; `open` gives one that is empty. */
export function testWorkQueue(name: string, open: () => Promise<WorkQueue>): void {
  const opened = async (): Promise<WorkQueue> => {
    const queue = await open();
    onTestFinished(() => queue.close());
    return queue;
  };

  /** Takes batches until the test ends; the names of those it was given, in their order. */
  function take(queue: WorkQueue, handler: BatchHandler = async () => DONE, concurrency = 1) {
    const given: string[] = [];
    const consumer = queue.consume(
      async (batch) => {
        given.push(batch.batch);
        return handler(batch);
      },
      { concurrency },
    );
    return { given, consumer };
  }

  describe(`${name} (work queue)`, () => {
    test('hands out each batch once, whole, and is empty then', async () => {
      const queue = await opened();
      const batches = Array.from({ length: 20 }, (_, i) => ({ ...batchNamed(`b${i}`), project: 'river' }));
      await queue.add(batches);
      expect(await queue.counts()).toEqual({ waiting: 20, active: 0 });
      const whole: PendingBatch[] = [];
      const remember: BatchHandler = async (batch) => {
        whole.push(batch);
        return DONE;
      };
      take(queue, remember, 2);
      take(queue, remember);
      await until(async () => whole.length >= 20 && (await queue.counts()).active === 0);
      expect(await queue.counts()).toEqual({ waiting: 0, active: 0 });
      expect(whole.toSorted((a, b) => Number(a.batch.slice(1)) - Number(b.batch.slice(1)))).toEqual(batches);
    });

    test('leaves alone what it holds already, and takes again what was done', async () => {
      const queue = await opened();
      await queue.add([batchNamed('a'), batchNamed('b')]);
      await queue.add([batchNamed('b'), batchNamed('a'), batchNamed('a')]);
      expect(await queue.counts()).toEqual({ waiting: 2, active: 0 });
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const { given } = take(queue, async () => {
        await held;
        return DONE;
      });
      await until(async () => (await queue.counts()).active === 1);
      // One of them is under way.
      await queue.add([batchNamed('a'), batchNamed('b')]);
      expect(await queue.counts()).toEqual({ waiting: 1, active: 1 });
      release();
      await until(async () => given.length === 2 && (await queue.counts()).active === 0);
      await queue.add([batchNamed('a')]);
      await until(() => given.length === 3);
      expect(given.toSorted()).toEqual(['a', 'a', 'b']);
    });

    test('hands out again what is not done, after the time that was asked for', async () => {
      const queue = await opened();
      const times: number[] = [];
      const { given } = take(queue, async ({ batch }) => {
        if (batch === 'other') return DONE;
        times.push(runtime().now());
        return times.length < 3 ? { isDone: false, againInMs: times.length === 1 ? 0 : 400 } : DONE;
      });
      await queue.add([batchNamed('slow')]);
      await until(() => times.length === 2);
      // Others go on meanwhile.
      await queue.add([batchNamed('other')]);
      await until(() => times.length === 3);
      const [, second = 0, third = 0] = times;
      expect(third - second).toBeGreaterThanOrEqual(395);
      expect(given.slice(0, 4)).toEqual(['slow', 'slow', 'other', 'slow']);
      await until(async () => (await queue.counts()).active === 0);
      expect(await queue.counts()).toEqual({ waiting: 0, active: 0 });
    });

    test('gives to others what somebody gave back to rest, and ends the rest when it is closed', async () => {
      const queue = await opened();
      const resting = take(queue, async () => ({ isDone: false, againInMs: 0, restMs: 60_000 }));
      await queue.add([batchNamed('a')]);
      await until(async () => resting.given.length === 1 && (await queue.counts()).active === 0);
      const other = take(queue, async () => DONE);
      await until(() => other.given.length === 1);
      await queue.add([batchNamed('b'), batchNamed('c')]);
      await until(() => other.given.length === 3);
      expect(resting.given).toEqual(['a']);
      await queue.close();
    });

    test('counts what waits to be tried again as waiting', async () => {
      const queue = await opened();
      const { given } = take(queue, async () => ({ isDone: false, againInMs: 60_000 }));
      await queue.add([batchNamed('a')]);
      await until(async () => given.length === 1 && (await queue.counts()).active === 0);
      expect(await queue.counts()).toEqual({ waiting: 1, active: 0 });
      await queue.add([batchNamed('a')]);
      expect(await queue.counts()).toEqual({ waiting: 1, active: 0 });
    });

    test('gives a consumer no more at once than it asked for', async () => {
      const queue = await opened();
      let now = 0;
      let most = 0;
      await queue.add(Array.from({ length: 12 }, (_, i) => batchNamed(`b${i}`)));
      const { given } = take(
        queue,
        async () => {
          most = Math.max(most, ++now);
          await sleep(30);
          now--;
          return DONE;
        },
        3,
      );
      await until(() => given.length === 12 && now === 0);
      expect(most).toBe(3);
    });

    test('goes on after a handler that throws', async () => {
      const queue = await opened();
      const { given } = take(queue, async ({ batch }) => {
        if (batch === 'bad') throw new Error('It is broken.');
        return DONE;
      });
      await queue.add([batchNamed('bad'), batchNamed('good')]);
      await until(() => given.includes('good'));
      // It may have been forgotten; then it can be added again.
      await queue.add([batchNamed('bad')]);
      await until(() => given.filter((one) => one === 'bad').length >= 2);
    });

    test('lets a consumer that is closed finish what it has, and gives it nothing more', async () => {
      const queue = await opened();
      await queue.add([batchNamed('a'), batchNamed('b'), batchNamed('c')]);
      let isFinished = false;
      const { given, consumer } = take(queue, async () => {
        await sleep(200);
        isFinished = true;
        return DONE;
      });
      await until(() => given.length === 1);
      await consumer.close();
      expect(isFinished).toBe(true);
      await consumer.close();
      expect(given).toHaveLength(1);
      const other = take(queue);
      await until(() => other.given.length === 2);
      expect([...given, ...other.given].toSorted()).toEqual(['a', 'b', 'c']);
    });
  });
}
