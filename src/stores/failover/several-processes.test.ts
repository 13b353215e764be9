import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { held, put, remove, SPEC, TwoStores } from '../../../tests/failover/two-stores.js';
import { acquireWriterLock } from '../../ledger/writer-lock.js';
import type { VectorStoreManager } from './store-manager.js';

let stores: TwoStores;
beforeEach(() => {
  stores = new TwoStores();
});
afterEach(() => stores.close());

/** As in an engine: a lock of the operating system that is let go where its holder dies. */
async function exclusively<Result>(what: 'write' | 'copy', work: () => Promise<Result>): Promise<Result> {
  const folder = join(stores.folder, what);
  const lock = await acquireWriterLock({ folder, holder: { command: 'test' }, waitMs: 60_000 });
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

const process = (): VectorStoreManager => stores.start({ exclusively });

/** Counts requests of a kind that change an index, and how many of those of different writes are under way at once at most. */
function watch() {
  const counts = { a: 0, b: 0, most: 0 };
  let underWay = 0;
  for (const [name, store] of [
    ['a', stores.a],
    ['b', stores.b],
  ] as const)
    store.onRequest = async ({ what, isOfIndex, isDone }) => {
      if (!isOfIndex || (what !== 'upsert' && what !== 'delete')) return;
      if (!isDone) counts[name] += 1;
      underWay += isDone ? -1 : 1;
      counts.most = Math.max(counts.most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
    };
  return counts;
}

it('L1: two processes write at once: one write at a time, in one order for both stores, and nothing is lost', async () => {
  const { manager, chunks } = await stores.begin({ exclusively });
  const other = process();
  const theirs = await other.store.open(SPEC);
  const counts = watch();
  const write = async (of: typeof chunks, name: string): Promise<void> => {
    for (let n = 0; n < 6; n++) {
      await put(of, `${name}${n}`);
      // Both write and delete the same chunk.
      await put(of, 'shared', `${name}${n}`);
      if (n % 3 === 2) await remove(of, 'shared');
    }
  };
  await Promise.all([write(chunks, 'm'), write(theirs, 't')]);
  // Two stores, one write.
  expect(counts).toEqual({ a: 28, b: 28, most: 2 });
  const contents = await held(stores.a);
  expect(Object.keys(contents).filter((id) => id !== 'shared')).toHaveLength(12);
  await stores.expectBoth(manager, contents);
  await stores.expectBoth(other, contents);
});

it('L2: two processes catch up at once: one does, and the other sees what it did', async () => {
  const { manager, chunks } = await stores.begin({ exclusively });
  const other = process();
  stores.a.isOut = true;
  const ids = ['p', 'q', 'r', 's'];
  for (const id of ids) await put(chunks, id);
  stores.a.isOut = false;
  const counts = watch();
  expect(await Promise.all([manager.catchUp(), other.catchUp()])).toEqual([true, true]);
  expect(counts).toEqual({ a: ids.length, b: 0, most: 1 });
  await stores.expectBoth(other, Object.fromEntries(ids.map((id) => [id, id])));
});

it('L2: two processes copy at once: one does, and what the other writes meanwhile is in the copy', async () => {
  const { manager, chunks } = await stores.begin({ exclusively });
  const other = process();
  const theirs = await other.store.open(SPEC);
  for (const id of ['p', 'q', 'r']) await put(chunks, id);
  stores.a.isOut = true;
  await put(chunks, 's');
  await manager.rebuild('a');
  stores.a.isOut = false;
  const outcomes = await Promise.all([manager.catchUp(), other.catchUp(), put(theirs, 't')]);
  expect(outcomes.slice(0, 2)).toContain(true);
  await stores.expectBoth(other, { p: 'p', q: 'q', r: 'r', s: 's', t: 't' });
});
