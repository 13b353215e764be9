import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { withPermit } from './semaphore.js';

describe('withPermit', () => {
  it('does so much at once, in order, each in the context of who asked', async () => {
    const gate = { owner: {}, concurrency: 2 };
    const context = new AsyncLocalStorage<number>();
    const seen: (number | undefined)[] = [];
    let running = 0;
    let most = 0;
    const work = async () => {
      seen.push(context.getStore());
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    };
    await Promise.all([0, 1, 2, 3, 4].map((i) => context.run(i, () => withPermit(gate, work, undefined))));
    expect(most).toBe(2);
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });

  it('goes on after a failure, and does not begin for a caller who has gone', async () => {
    const gate = { owner: {}, concurrency: 1 };
    const failing = withPermit(gate, () => Promise.reject(new TypeError('broken')), undefined);
    const gone = withPermit(gate, async () => 1, AbortSignal.abort());
    const last = withPermit(gate, async () => 2, undefined);
    await expect(failing).rejects.toThrow(TypeError);
    await expect(gone).rejects.toMatchObject({ reason: 'ABORTED' });
    expect(await last).toBe(2);
  });
});
