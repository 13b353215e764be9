import { describe, expect, it } from 'vitest';
import { RAGError } from './errors.js';
import { type RetryOptions, retry } from './retry.js';

/** Fails as listed, then gives `done`; notes tries and waits. */
async function run(failures: readonly Error[], options: Partial<RetryOptions> = {}) {
  const waits: number[] = [];
  let tries = 0;
  const work = async (): Promise<string> => {
    const failure = failures[tries++];
    if (failure !== undefined) throw failure;
    return 'done';
  };
  const delay = async (milliseconds: number): Promise<void> => {
    waits.push(milliseconds);
  };
  const result = await retry(work, { retries: 3, delay, ...options }).catch((error: unknown) => error);
  return { result, tries, waits };
}

const busy = (retryAfterMs?: number): RAGError =>
  new RAGError('EMBEDDING_FAILED', 'busy', retryAfterMs === undefined ? {} : { details: { retryAfterMs } });

describe('retry', () => {
  it('waits twice as long each time', async () => {
    expect(await run([busy(), busy(), busy()])).toEqual({
      result: 'done',
      tries: 4,
      waits: [250, 500, 1000],
    });
  });

  it('throws what the last try threw', async () => {
    const last = busy();
    const { result, tries } = await run([busy(), busy(), busy(), last]);
    expect(result).toBe(last);
    expect(tries).toBe(4);
  });

  it('waits as long as the failure asks, and gives up where that is too long', async () => {
    expect(await run([busy(7000)])).toMatchObject({ result: 'done', waits: [7000] });
    expect(await run([busy(61_000)])).toMatchObject({ tries: 1, waits: [] });
    expect(await run([busy(61_000)], { maxDelayMs: 100_000 })).toMatchObject({ result: 'done' });
  });

  it.each([new RAGError('EMBEDDING_REJECTED', 'no'), new Error('unknown')])(
    'does not try again what would fail again: %s',
    async (failure) => {
      expect(await run([failure])).toEqual({ result: failure, tries: 1, waits: [] });
    },
  );

  it('ends with ABORTED when the signal fires, before a try and during a wait', async () => {
    const aborted = AbortSignal.abort();
    expect(await run([], { signal: aborted })).toMatchObject({ result: { reason: 'ABORTED' }, tries: 0 });
    const abort = new AbortController();
    const delay = async (): Promise<void> => {
      abort.abort();
      throw new Error('woken');
    };
    expect(await run([busy()], { signal: abort.signal, delay })).toMatchObject({
      result: { reason: 'ABORTED' },
      tries: 1,
    });
  });
});
