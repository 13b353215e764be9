import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { put, SPEC, TwoStores } from '../../../tests/failover/two-stores.js';
import { RAGError } from '../../core/errors.js';
import { EVERYTHING } from '../../core/filter.js';
import { type Runtime, SYSTEM_RUNTIME, withRuntime } from '../../core/runtime.js';
import { Breakers, withBreakers } from '../../platform/degradation/breakers.js';
import type { VectorCollection } from '../vector-store.js';
import { withStandIns } from './stand-ins.js';

let stores: TwoStores;
beforeEach(() => {
  stores = new TwoStores();
});
afterEach(() => stores.close());

const QUERY = { vector: new Float32Array(SPEC.dimensions).fill(1), topK: 10, filter: EVERYTHING } as const;

/** One search: what it found, and which stores answered in place of another. */
const search = (chunks: VectorCollection): Promise<{ found: string[]; notes: readonly string[] }> =>
  withStandIns(async (standIns) => ({
    found: (await chunks.searchVector(QUERY)).map(({ chunk: { id } }) => id).sort(),
    notes: standIns(),
  }));

const wentOut = (): RAGError => new RAGError('STORE_UNAVAILABLE', 'It went out.');

describe('S2: the first store goes out in the middle of a search', () => {
  it.each([
    ['before', false],
    ['after', true],
  ])('%s it was asked: the second answers, and that is said', async (_, isDone) => {
    const { chunks } = await stores.begin();
    for (const id of ['x', 'y']) await put(chunks, id);
    stores.a.onRequest = (request) => {
      if (request.what !== 'search' || request.isDone !== isDone) return;
      stores.a.isOut = true;
      throw wentOut();
    };
    const { found, notes } = await search(chunks);
    expect(found).toEqual(['x', 'y']);
    expect(notes).toEqual([expect.stringContaining('Answered by the store "b"')]);
  });

  it('between two pages: the second store goes on behind what was shown', async () => {
    const { chunks } = await stores.begin();
    const ids = ['p', 'q', 'r', 's', 't'];
    for (const id of ids) await put(chunks, id);
    const page = await chunks.list({ filter: EVERYTHING, limit: 2 });
    stores.a.isOut = true;
    const seen = page.chunks.map(({ id }) => id);
    const { notes } = await withStandIns(async (standIns) => {
      for (let { cursor } = page; cursor !== undefined; ) {
        const next = await chunks.list({ filter: EVERYTHING, limit: 2, cursor });
        seen.push(...next.chunks.map(({ id }) => id));
        cursor = next.cursor;
      }
      return { notes: standIns() };
    });
    expect(seen).toEqual(ids);
    expect(notes).toHaveLength(1);
  });
});

describe('S3: the first store takes requests and says nothing', () => {
  it('it is given up, left alone after failures in a row, and tried by one search', async () => {
    const FAILURES = 2;
    const RETRY_AFTER_MS = 1_000;
    let now = 0;
    // The wait is over as soon as nothing else is to do.
    const runtime: Runtime = {
      ...SYSTEM_RUNTIME,
      elapsed: () => now,
      setTimer: (callback, _, { isBackground = false } = {}) => {
        if (isBackground) return () => undefined;
        const timer = setImmediate(callback);
        return () => clearImmediate(timer);
      },
    };
    const parts = new Breakers({
      failures: 1_000,
      retryAfterMs: 0,
      slowStoreMs: 1_000_000,
      limitMs: 1_000_000,
    });
    await withRuntime(runtime, async () => {
      const { chunks } = await stores.begin({ failures: FAILURES, retryAfterMs: RETRY_AFTER_MS });
      await put(chunks, 'x');
      let isDeaf = true;
      let asked = 0;
      stores.a.onRequest = ({ isDone }) => {
        if (isDone) return undefined;
        asked += 1;
        return isDeaf ? new Promise<void>(() => undefined) : undefined;
      };
      const searchOnce = () => withBreakers(parts, () => search(chunks));
      for (let turn = 1; turn <= FAILURES; turn++) {
        const { found, notes } = await searchOnce();
        expect(found).toEqual(['x']);
        expect(notes).toEqual([expect.stringContaining('did not answer within')]);
        expect(asked).toBe(turn);
      }
      // Left alone: nobody waits for it any more.
      for (let turn = 0; turn < 3; turn++)
        expect(await searchOnce()).toMatchObject({ found: ['x'], notes: [expect.any(String)] });
      expect(asked).toBe(FAILURES);
      // One of those that come at once tries it, in vain.
      now += RETRY_AFTER_MS;
      await Promise.all(Array.from({ length: 4 }, searchOnce));
      expect(asked).toBe(FAILURES + 1);
      isDeaf = false;
      expect((await searchOnce()).notes).toHaveLength(1);
      expect(asked).toBe(FAILURES + 1);
      now += RETRY_AFTER_MS;
      expect(await searchOnce()).toEqual({ found: ['x'], notes: [] });
      expect(asked).toBeGreaterThan(FAILURES + 1);
    });
  });
});
