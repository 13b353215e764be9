import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RAGError } from './errors.js';
import { type Runtime, SYSTEM_RUNTIME, withRuntime } from './runtime.js';
import { eventsWithDeadline, resultWithin, withDeadline } from './with-deadline.js';

const LONG_MS = 60_000;
const late = () => new RAGError('SEARCH_FAILED', 'late');
const deadline = (timeoutMs: number, signal?: AbortSignal) => ({ timeoutMs, signal, lateError: late });

/** Neither answers nor listens. */
const deaf = <T>(): Promise<T> => new Promise<T>(() => undefined);

async function* silentAfter<T>(events: readonly T[]): AsyncGenerator<T> {
  yield* events;
  await deaf();
}

async function collect<T>(events: AsyncIterable<T>, into: T[] = []): Promise<T[]> {
  for await (const event of events) into.push(event);
  return into;
}

describe('withDeadline', () => {
  it('gives the result, and tells the work that nobody waits any more', async () => {
    let given: AbortSignal | undefined;
    const result = await withDeadline(deadline(LONG_MS), async (signal) => {
      given = signal;
      expect(signal.aborted).toBe(false);
      return 7;
    });
    expect(result).toBe(7);
    expect(given?.aborted).toBe(true);
  });

  it('throws what the work throws', async () => {
    const failing = withDeadline(deadline(LONG_MS), () => Promise.reject(new TypeError('broken')));
    await expect(failing).rejects.toThrow(TypeError);
  });

  it('does not wait for deaf work, and stops it', async () => {
    let given: AbortSignal | undefined;
    const hanging = withDeadline(deadline(5), (signal) => {
      given = signal;
      return deaf();
    });
    await expect(hanging).rejects.toMatchObject({ reason: 'SEARCH_FAILED' });
    expect(given?.aborted).toBe(true);
  });

  it('does not count the time in which other work holds the thread', async () => {
    const steps = async () => {
      for (let i = 0; i < 8; i++) {
        await sleep(1);
        const end = performance.now() + 40;
        while (performance.now() < end);
      }
      return 7;
    };
    expect(await withDeadline(deadline(200), steps)).toBe(7);
  });

  it('ends with ABORTED and its cause when the caller stops waiting', async () => {
    const caller = new AbortController();
    const hanging = withDeadline(deadline(LONG_MS, caller.signal), deaf);
    caller.abort('enough');
    await expect(hanging).rejects.toMatchObject({ reason: 'ABORTED', cause: 'enough' });
  });

  it('does not begin for a caller who has gone', async () => {
    let began = false;
    const run = async () => {
      began = true;
    };
    await expect(withDeadline(deadline(LONG_MS, AbortSignal.abort()), run)).rejects.toMatchObject({
      reason: 'ABORTED',
    });
    expect(began).toBe(false);
  });
});

describe('eventsWithDeadline', () => {
  it('passes every event on', async () => {
    async function* three(): AsyncGenerator<number> {
      yield* [1, 2, 3];
    }
    expect(await collect(eventsWithDeadline(deadline(LONG_MS), three()))).toEqual([1, 2, 3]);
  });

  it('gives what came before a source falls silent', async () => {
    const seen: number[] = [];
    const events = eventsWithDeadline(deadline(20), silentAfter([1, 2]));
    await expect(collect(events, seen)).rejects.toMatchObject({ reason: 'SEARCH_FAILED' });
    expect(seen).toEqual([1, 2]);
  });

  it('ends with ABORTED when the caller stops waiting', async () => {
    const caller = new AbortController();
    const events = eventsWithDeadline(deadline(LONG_MS, caller.signal), silentAfter<number>([]));
    const collected = collect(events);
    caller.abort();
    await expect(collected).rejects.toMatchObject({ reason: 'ABORTED' });
  });

  it('tells the source to stop where the caller leaves the loop', async () => {
    let isStopped = false;
    async function* endless(): AsyncGenerator<number> {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        isStopped = true;
      }
    }
    for await (const event of eventsWithDeadline(deadline(LONG_MS), endless())) if (event === 3) break;
    await Promise.resolve();
    expect(isStopped).toBe(true);
  });
});

describe('resultWithin', () => {
  it('gives what comes in time, and leaves no timer behind', async () => {
    const left = new Set<object>();
    const counted: Runtime = {
      ...SYSTEM_RUNTIME,
      setTimer: (...given) => {
        const timer = {};
        left.add(timer);
        const cancel = SYSTEM_RUNTIME.setTimer(...given);
        return () => {
          left.delete(timer);
          cancel();
        };
      },
    };
    await withRuntime(counted, async () => {
      expect(await resultWithin(LONG_MS, Promise.resolve(7))).toBe(7);
      await expect(resultWithin(LONG_MS, Promise.reject(late()))).rejects.toThrow('late');
    });
    expect(left.size).toBe(0);
  });

  it('gives nothing where the time is over', async () => {
    expect(await resultWithin(1, deaf<number>())).toBeUndefined();
  });
});
