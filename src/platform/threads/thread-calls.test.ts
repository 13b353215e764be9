import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { RAGError } from '../../core/errors.js';
import { startWorker } from './start-worker.js';
import { ThreadCalls } from './thread-calls.js';

const open: ThreadCalls<string, string>[] = [];
const closed = new RAGError('ABORTED', 'closed');
afterEach(async () => {
  for (const calls of open.splice(0)) await calls.close(closed);
});

function threadOf(): { calls: ThreadCalls<string, string>; started: () => number } {
  let count = 0;
  const calls = new ThreadCalls<string, string>({
    start: () => {
      count += 1;
      return startWorker(new URL('./test-thread.js', import.meta.url));
    },
    failed: (message) => new RAGError('EMBEDDING_FAILED', `failed: ${message}`),
    lost: (cause) => new RAGError('EMBEDDING_FAILED', 'lost', { cause }),
  });
  open.push(calls);
  return { calls, started: () => count };
}

describe('ThreadCalls', () => {
  it('gives each caller its own answer, from one thread', async () => {
    const { calls, started } = threadOf();
    const words = Array.from({ length: 20 }, (_, i) => `word ${i}`);
    expect(await Promise.all(words.map((word) => calls.call(word)))).toEqual(words);
    expect(started()).toBe(1);
  });

  it('passes on a failure with its reason, and names one without', async () => {
    const { calls, started } = threadOf();
    await expect(calls.call('refuse')).rejects.toMatchObject({
      reason: 'MODEL_INVALID',
      message: 'no',
      details: { field: 'model' },
    });
    await expect(calls.call('fail')).rejects.toMatchObject({ message: 'failed: TypeError: a fault' });
    await expect(calls.call('unsendable')).rejects.toMatchObject({ reason: 'EMBEDDING_FAILED' });
    expect(await calls.call('after')).toBe('after');
    expect(started()).toBe(1);
  });

  it('tells all who wait that the thread has ended, and starts another for the next', async () => {
    const { calls, started } = threadOf();
    const both = [calls.call('end'), calls.call('behind it')];
    for (const call of both) await expect(call).rejects.toMatchObject({ message: 'lost' });
    expect(await calls.call('after')).toBe('after');
    expect(started()).toBe(2);
  });

  it('frees the thread of what is cancelled while it works, and of what waits', async () => {
    const { calls, started } = threadOf();
    const controller = new AbortController();
    const cancelled = [calls.call('forever', controller.signal), calls.call('forever', controller.signal)];
    const next = calls.call('next');
    await sleep(5);
    controller.abort('enough');
    for (const call of cancelled)
      await expect(call).rejects.toMatchObject({ reason: 'ABORTED', cause: 'enough' });
    expect(await next).toBe('next');
    expect(started()).toBe(1);
  });

  it('starts nothing for what was cancelled before', async () => {
    const { calls, started } = threadOf();
    await expect(calls.call('word', AbortSignal.abort())).rejects.toMatchObject({ reason: 'ABORTED' });
    expect(started()).toBe(0);
  });

  it('fails what waits when it is closed', async () => {
    const { calls } = threadOf();
    const waiting = expect(calls.call('forever')).rejects.toBe(closed);
    await calls.close(closed);
    await waiting;
  });
});
