import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Contents, FaultyStore } from '../../../tests/failover/faulty-store.js';
import type { SyncedDisk } from '../../../tests/failover/synced-disk.js';
import { held, put, remove, SPEC, shown, TwoStores } from '../../../tests/failover/two-stores.js';
import { RAGError } from '../../core/errors.js';
import { EVERYTHING } from '../../core/filter.js';
import { record } from '../../testing/vector-store/records.js';
import type { VectorCollection } from '../vector-store.js';
import { withStandIns } from './stand-ins.js';
import type { VectorStoreManager } from './store-manager.js';

let stores: TwoStores;
let folder: string;
let a: FaultyStore;
let b: FaultyStore;
let disk: SyncedDisk;

beforeEach(() => {
  stores = new TwoStores();
  ({ folder, a, b, disk } = stores);
});
afterEach(() => stores.close());

const start: TwoStores['start'] = (options) => stores.start(options);
const begin: TwoStores['begin'] = (options) => stores.begin(options);
const expectBoth: TwoStores['expectBoth'] = (manager, contents) => stores.expectBoth(manager, contents);

describe('writes', () => {
  it('W1, W5, S1, S5: one is out, the other is written and read, and the first is read again once it has everything', async () => {
    for (const [out, other] of [
      [a, b],
      [b, a],
    ] as const) {
      await Promise.all([a.becomes(), b.becomes()]);
      rmSync(join(folder, 'failover'), { recursive: true, force: true });
      disk = stores.newDisk();
      const { manager, chunks } = await begin();
      await put(chunks, 'before');
      out.isOut = true;
      await put(chunks, 'during');
      await remove(chunks, 'before');
      const { answer, notes } = await withStandIns(async (standIns) => ({
        answer: await shown(chunks),
        notes: [...standIns()],
      }));
      expect(answer).toEqual({ during: 'during' });
      expect(await held(other)).toEqual({ during: 'during' });
      // Who is asked first is out: that is said.
      expect(notes).toHaveLength(out === a ? 1 : 0);
      const state = (await manager.status()).stores.find(({ name }) => name === out.name);
      expect(state).toMatchObject({ state: 'out', lag: 2 });
      out.isOut = false;
      // It answers again, and still has what was deleted.
      expect(await held(out)).toEqual({ before: 'before' });
      expect(await shown(chunks)).toEqual({ during: 'during' });
      await expectBoth(manager, { during: 'during' });
      await manager.close();
    }
  });

  it('W6: both are out, and nothing is written down', async () => {
    const { manager, chunks } = await begin();
    [a.isOut, b.isOut] = [true, true];
    await expect(put(chunks, 'x')).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
    [a.isOut, b.isOut] = [false, false];
    await expectBoth(manager, {});
  });

  it('W8: what no store takes is an error, and is not repeated', async () => {
    const { manager, chunks } = await begin();
    const refuse = (): void => {
      throw new RAGError('STORE_FULL', 'The disk is full.');
    };
    const onUpsert: FaultyStore['onRequest'] = ({ what, isOfIndex }) => {
      if (what === 'upsert' && isOfIndex) refuse();
    };
    [a.onRequest, b.onRequest] = [onUpsert, onUpsert];
    await expect(put(chunks, 'x')).rejects.toMatchObject({ reason: 'STORE_FULL' });
    [a.onRequest, b.onRequest] = [() => undefined, () => undefined];
    await put(chunks, 'y');
    await expectBoth(manager, { y: 'y' });
  });

  it('W9: what one takes and the other refuses is written, and the other is behind', async () => {
    const { manager, chunks } = await begin();
    a.onRequest = ({ what, isOfIndex }) => {
      if (what === 'upsert' && isOfIndex) throw new RAGError('STORE_FULL', 'The disk is full.');
    };
    await put(chunks, 'x');
    expect(await shown(chunks)).toEqual({ x: 'x' });
    expect((await manager.status()).stores[0]).toMatchObject({
      state: 'behind',
      lag: 1,
      detail: expect.stringContaining('full') as string,
    });
    a.onRequest = () => undefined;
    await expectBoth(manager, { x: 'x' });
  });

  it('W10: a full journal refuses writes and deletions with what to do, searches go on, and the store may be given up', async () => {
    const { manager, chunks } = await begin({ maxJournalBytes: 20_000 });
    a.isOut = true;
    let kept = 0;
    const fill = async (): Promise<void> => {
      for (; ; kept++) await put(chunks, `n${kept}`, 'x'.repeat(1_000));
    };
    await expect(fill()).rejects.toMatchObject({
      reason: 'STORE_JOURNAL_FULL',
      message: expect.stringContaining('"a"') as string,
    });
    expect(kept).toBeGreaterThan(5);
    const removeOn = async (): Promise<void> => {
      for (;;) await remove(chunks, 'nothing');
    };
    await expect(removeOn()).rejects.toMatchObject({ reason: 'STORE_JOURNAL_FULL' });
    expect(await chunks.count(EVERYTHING)).toBe(kept);
    await manager.rebuild('a');
    await remove(chunks, 'n0');
    for (let n = 0; n < 100; n++) await put(chunks, 'again', `y${n}`.repeat(500));
    a.isOut = false;
    const contents = await held(b);
    await expectBoth(manager, contents);
    expect(Object.keys(contents)).not.toContain('n0');
  });

  it('W11: where the journal cannot be written no store is', async () => {
    const { manager, chunks } = await begin();
    for (const [code, reason] of [
      ['ENOSPC', 'INDEX_DISK_FULL'],
      ['EIO', 'INDEX_UNAVAILABLE'],
    ]) {
      for (const failing of ['write journal', 'sync journal']) {
        let isOver = false;
        disk.onOperation = (what) => {
          if (what !== failing || isOver) return;
          isOver = true;
          throw Object.assign(new Error(code), { code });
        };
        await expect(put(chunks, 'x')).rejects.toMatchObject({ reason });
        expect(isOver).toBe(true);
        expect(await held(a)).toEqual({});
        expect(await held(b)).toEqual({});
      }
    }
    disk.onOperation = () => undefined;
    await put(chunks, 'y');
    await expectBoth(manager, { y: 'y' });
  });
});

/** Writes that a walk does; after each one the contents that were acknowledged. */
const SCRIPT: readonly ((chunks: VectorCollection) => Promise<unknown>)[] = [
  (chunks) => put(chunks, 'x', 'one'),
  (chunks) => put(chunks, 'y', 'one'),
  (chunks) => remove(chunks, 'x'),
  (chunks) => put(chunks, 'y', 'two'),
];
const AFTER: readonly Record<string, string>[] = [
  {},
  { x: 'one' },
  { x: 'one', y: 'one' },
  { y: 'one' },
  { y: 'two' },
];

class Died extends Error {}

/** Does the script with a fault at one of its steps; returns how many writes were acknowledged, and whether the fault came. */
async function walk(
  chunks: VectorCollection,
  fault: { readonly at: number; readonly strike: (store: FaultyStore) => void },
): Promise<{ acknowledged: number; hasStruck: boolean }> {
  let step = 0;
  let hasStruck = false;
  for (const store of [a, b])
    store.onRequest = () => {
      if (step++ !== fault.at) return;
      hasStruck = true;
      fault.strike(store);
    };
  let acknowledged = 0;
  for (const write of SCRIPT) {
    // Who asked may ask again.
    for (let attempt = 0; ; attempt++)
      try {
        await write(chunks);
        break;
      } catch (error) {
        if (error instanceof Died || attempt === 2) return { acknowledged, hasStruck };
      }
    acknowledged += 1;
    let read: Record<string, string>;
    try {
      read = await shown(chunks);
    } catch (error) {
      // Nobody is left to answer.
      if (!(error instanceof Died) && !(a.isOut && b.isOut)) throw error;
      return { acknowledged, hasStruck };
    }
    expect(read).toEqual(AFTER[acknowledged]);
  }
  return { acknowledged, hasStruck };
}

describe('every step of writes', () => {
  const out = (store: FaultyStore): never => {
    store.isOut = true;
    throw new RAGError('STORE_UNAVAILABLE', 'It went out.');
  };

  it('W2, W3, W4, W5, D1, D2: a store goes out at any step, and comes back', async () => {
    let at = 0;
    for (let isOver = false; !isOver; at++) {
      await Promise.all([a.becomes(), b.becomes()]);
      disk = stores.newDisk();
      const { manager, chunks } = await begin();
      const { acknowledged, hasStruck } = await walk(chunks, { at, strike: out });
      expect(acknowledged).toBe(SCRIPT.length);
      for (const store of [a, b]) [store.isOut, store.onRequest] = [false, () => undefined];
      await expectBoth(manager, { y: 'two' });
      expect(await shown(chunks)).toEqual({ y: 'two' });
      await manager.close();
      isOver = !hasStruck;
    }
    expect(at).toBeGreaterThan(50);
  });

  it('W7, R6: both go out at any step, and come back', async () => {
    let at = 0;
    for (let isOver = false; !isOver; at++) {
      await Promise.all([a.becomes(), b.becomes()]);
      disk = stores.newDisk();
      const { manager, chunks } = await begin();
      const { acknowledged, hasStruck } = await walk(chunks, {
        at,
        strike: (store) => {
          [a.isOut, b.isOut] = [true, true];
          out(store);
        },
      });
      [a.isOut, b.isOut] = [false, false];
      for (const store of [a, b]) store.onRequest = () => undefined;
      expect(await manager.catchUp()).toBe(true);
      const contents = await held(a);
      expect(await held(b)).toEqual(contents);
      // What was not acknowledged may be there or not.
      expect([AFTER[acknowledged], AFTER[acknowledged + 1]]).toContainEqual(contents);
      await manager.close();
      isOver = !hasStruck;
    }
    expect(at).toBeGreaterThan(50);
  });

  it('P1, P3 to P7, P11: the process dies at any step, the machine loses power, and the next one goes on', async () => {
    let at = 0;
    for (let isOver = false; !isOver; at++) {
      await Promise.all([a.becomes(), b.becomes()]);
      disk = stores.newDisk();
      const { chunks } = await begin();
      const { acknowledged, hasStruck } = await walk(chunks, {
        at,
        strike: () => {
          // Whatever it would still do comes to nothing.
          [a.isOut, b.isOut] = [true, true];
          disk.onOperation = () => {
            throw new Died();
          };
          throw new Died();
        },
      });
      for (const store of [a, b]) [store.isOut, store.onRequest] = [false, () => undefined];
      disk.onOperation = () => undefined;
      disk.losePower(0.5);
      const next = start();
      const again = await next.store.open(SPEC);
      const contents = await shown(again);
      expect([AFTER[acknowledged], AFTER[acknowledged + 1]]).toContainEqual(contents);
      await expectBoth(next, contents);
      await next.close();
      isOver = !hasStruck;
    }
    expect(at).toBeGreaterThan(50);
  });

  it('P2, P9, P11: the machine loses power at any operation of the journal, one store out, and nothing that was acknowledged is lost', async () => {
    let at = 0;
    for (let isOver = false; !isOver; at++) {
      for (const torn of [0, 0.5, 1]) {
        await Promise.all([a.becomes(), b.becomes()]);
        disk = stores.newDisk();
        let step = 0;
        isOver = true;
        let acknowledged = 0;
        const { manager, chunks } = await begin();
        disk.onOperation = () => {
          if (step++ < at) return;
          isOver = false;
          throw new Died();
        };
        try {
          for (const [number, write] of SCRIPT.entries()) {
            // The first is out for two writes; then everything is told and the journal made short.
            a.isOut = number === 1 || number === 2;
            await write(chunks);
            acknowledged += 1;
          }
          await manager.catchUp();
          await manager.close();
        } catch {
          // It died.
        }
        disk.onOperation = () => undefined;
        a.isOut = false;
        disk.losePower(torn);
        const next = start();
        const contents = await shown(await next.store.open(SPEC));
        expect([AFTER[acknowledged], AFTER[acknowledged + 1]]).toContainEqual(contents);
        await expectBoth(next, contents);
        await next.close();
      }
    }
    expect(at).toBeGreaterThan(10);
  });
});

describe('a store that comes back', () => {
  let older: Contents;
  let manager: VectorStoreManager;
  let chunks: VectorCollection;

  beforeEach(async () => {
    ({ manager, chunks } = await begin());
    await put(chunks, 'x', 'one');
    await put(chunks, 'y', 'one');
    older = a.contents();
    await remove(chunks, 'x');
    await put(chunks, 'y', 'two');
  });

  it('R2: older than it was, and the journal has the rest', async () => {
    a.isOut = true;
    await put(chunks, 'z');
    await a.becomes(older);
    a.isOut = false;
    expect(await shown(chunks)).toEqual({ y: 'two', z: 'z' });
    await expectBoth(manager, { y: 'two', z: 'z' });
  });

  it('R2, P8: older than the journal reaches: it is copied, and a death begins the copy anew', async () => {
    await manager.close();
    manager = start();
    chunks = await manager.store.open(SPEC);
    a.isOut = true;
    await put(chunks, 'z');
    await a.becomes(older);
    a.isOut = false;
    expect(await shown(chunks)).toEqual({ y: 'two', z: 'z' });
    a.onRequest = ({ what, isOfIndex, isDone }) => {
      if (what === 'upsert' && isOfIndex && isDone) throw new Died();
    };
    await expect(manager.catchUp()).rejects.toThrow(Died);
    a.onRequest = () => undefined;
    manager = start();
    chunks = await manager.store.open(SPEC);
    expect((await manager.status()).stores[0]?.state).toBe('copying');
    expect(await shown(chunks)).toEqual({ y: 'two', z: 'z' });
    await expectBoth(manager, { y: 'two', z: 'z' });
  });

  it('R3: empty', async () => {
    a.isOut = true;
    await shown(chunks);
    await a.becomes();
    a.isOut = false;
    expect(await shown(chunks)).toEqual({ y: 'two' });
    await put(chunks, 'z');
    expect(await shown(chunks)).toEqual({ y: 'two', z: 'z' });
    await expectBoth(manager, { y: 'two', z: 'z' });
  });

  it('R4: the data folder came back older: what it does not know is not read, and copied from the store that came back with it', async () => {
    const backup = disk.copy();
    const olderB = b.contents();
    await put(chunks, 'z');
    await manager.close();
    disk = stores.newDisk(backup);
    await b.becomes(olderB);
    manager = start();
    chunks = await manager.store.open(SPEC);
    expect(await shown(chunks)).toEqual({ y: 'two' });
    expect((await manager.status()).stores[0]).toMatchObject({ state: 'copying' });
    await expectBoth(manager, { y: 'two' });
  });

  it('R4: a mark of the same number is of another write: the store is not read, and copied', async () => {
    const backup = disk.copy();
    const olderB = b.contents();
    await put(chunks, 'z');
    await manager.close();
    disk = stores.newDisk(backup);
    await b.becomes(olderB);
    a.isOut = true;
    manager = start();
    chunks = await manager.store.open(SPEC);
    // The journal numbers it as the first store has numbered "z".
    await put(chunks, 'w');
    a.isOut = false;
    expect(await shown(chunks)).toEqual({ w: 'w', y: 'two' });
    await expectBoth(manager, { w: 'w', y: 'two' });
  });

  it('R4, R7: the data folder alone came back older: nothing is read or written', async () => {
    const backup = disk.copy();
    await put(chunks, 'z');
    await manager.close();
    disk = stores.newDisk(backup);
    manager = start();
    await expect(manager.store.open(SPEC)).rejects.toMatchObject({ reason: 'STORE_DAMAGED' });
    await expect(manager.store.describe('chunks')).rejects.toMatchObject({ reason: 'STORE_DAMAGED' });
    expect(await manager.catchUp()).toBe(false);
    expect(await held(a)).toEqual({ y: 'two', z: 'z' });
    expect(await held(b)).toEqual({ y: 'two', z: 'z' });
  });

  it('R5: replaced while nobody looked: the next write finds it', async () => {
    await a.becomes(older);
    await put(chunks, 'z');
    expect(await shown(chunks)).toEqual({ y: 'two', z: 'z' });
    await expectBoth(manager, { y: 'two', z: 'z' });
  });

  it('R7: neither holds what was written: nothing is read, and a new collection begins anew', async () => {
    await Promise.all([a.becomes(), b.becomes()]);
    await manager.close();
    manager = start();
    await expect(manager.store.describe('chunks')).rejects.toMatchObject({ reason: 'STORE_DAMAGED' });
    const fresh = await manager.store.open({ ...SPEC, name: 'chunks-2' });
    await put(fresh, 'n');
    expect(await shown(fresh)).toEqual({ n: 'n' });
    expect(await manager.store.describe('chunks')).toBeUndefined();
  });
});

describe('switching and following', () => {
  it('X1 to X3, P10: another store is asked first, once it has everything, in every process', async () => {
    const { manager, chunks } = await begin();
    const other = start();
    const theirs = await other.store.open(SPEC);
    b.isOut = true;
    await put(chunks, 'x');
    await expect(manager.switchStore('b')).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
    expect((await manager.status()).active).toBe('a');
    await expect(manager.switchStore('c')).rejects.toMatchObject({ reason: 'USAGE' });
    b.isOut = false;
    await manager.switchStore('b');
    expect((await other.status()).active).toBe('b');
    a.isOut = true;
    const notes = await withStandIns(async (standIns) => {
      expect(await shown(theirs)).toEqual({ x: 'x' });
      return [...standIns()];
    });
    expect(notes).toEqual([]);
  });

  it('with dualWrite off the second follows, is read once it has everything, and takes over', async () => {
    const { manager, chunks } = await begin({ dualWrite: false });
    await put(chunks, 'x');
    expect(await held(b)).toEqual({});
    a.isOut = true;
    // S4: nothing that lacks an acknowledged write is read.
    await expect(shown(chunks)).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
    await manager.catchUp();
    expect(await shown(chunks)).toEqual({ x: 'x' });
    await put(chunks, 'y');
    a.isOut = false;
    expect(await shown(chunks)).toEqual({ x: 'x', y: 'y' });
    await put(chunks, 'z');
    await manager.catchUp();
    expect(await held(a)).toEqual({ x: 'x', y: 'y', z: 'z' });
    expect(await held(b)).toEqual({ x: 'x', y: 'y', z: 'z' });
  });

  it('an index that was there before is copied to the second store, and the first is read meanwhile', async () => {
    const before = await a.handle().open(SPEC);
    await before.upsert([record('old')]);
    const manager = start();
    await manager.adopt([SPEC]);
    const chunks = await manager.store.open(SPEC);
    await put(chunks, 'new');
    expect(Object.keys(await shown(chunks))).toEqual(['new', 'old']);
    await expectBoth(manager, { old: 'Content of old', new: 'new' });
  });

  it('the store that is asked first is not left out of the settings in silence', async () => {
    const { manager, chunks } = await begin();
    await put(chunks, 'x');
    await manager.switchStore('b');
    await manager.close();
    const other = start({ stores: { a: a.handle() } });
    const alone = await other.store.open(SPEC);
    await expect(put(alone, 'y')).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
      message: expect.stringContaining('ragstone stores use NAME') as string,
    });
    expect(await held(a)).toEqual({ x: 'x' });
  });

  it('one store alone is asked by its name, and refuses to be written', async () => {
    const { manager, chunks } = await begin();
    await put(chunks, 'x');
    const alone = await manager.getStore('b').open(SPEC);
    expect(await alone.count(EVERYTHING)).toBe(1);
    await expect(alone.upsert([record('y')])).rejects.toMatchObject({ reason: 'USAGE' });
    expect(() => manager.getStore('c')).toThrow(/none of the stores/);
  });
});
