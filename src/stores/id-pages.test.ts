import { expect, it } from 'vitest';
import { record } from '../testing/vector-store/records.js';
import { CachedOrder, orderedPage } from './id-pages.js';
import { storedChunkOf } from './record-fields.js';

const idOf = (i: number): string => `c${String(i).padStart(5, '0')}`;
const chunk = (id: string) => storedChunkOf(record(id));

it('a page of a server with an order asks for one chunk more, in requests of 500', async () => {
  const asked: number[] = [];
  const read = async (after: string | undefined, limit: number) => {
    asked.push(limit);
    const start = after === undefined ? 0 : Number(after.slice(1)) + 1;
    return Array.from({ length: Math.min(limit, 700 - start) }, (_, i) => chunk(idOf(start + i)));
  };
  const first = await orderedPage({ limit: 600 }, read);
  expect(first.chunks).toHaveLength(600);
  expect(first.cursor).toBe(idOf(599));
  expect(asked).toEqual([500, 101]);
  const last = await orderedPage({ limit: 100, cursor: idOf(599) }, read);
  expect(last).toMatchObject({ chunks: { length: 100 } });
  expect(last.cursor).toBeUndefined();
});

/** What a server without an order has, and how often all of it was read. */
function unordered(count: number) {
  const state = { ids: Array.from({ length: count }, (_, i) => idOf(count - 1 - i)), reads: 0 };
  const order = new CachedOrder();
  const page = async (key: string, limit: number, cursor?: string) => {
    const { chunks, cursor: next } = await order.page(
      { key, limit, cursor },
      async () => {
        state.reads++;
        return state.ids.map((id) => ({ id }));
      },
      async (items) => items.filter(({ id }) => state.ids.includes(id)).map(({ id }) => chunk(id)),
    );
    return { ids: chunks.map(({ id }) => id), next };
  };
  return { state, order, page };
}

it('a server without an order is asked for everything once a listing', async () => {
  const { state, page } = unordered(5);
  expect(await page('all', 2)).toEqual({ ids: [idOf(0), idOf(1)], next: idOf(1) });
  expect(await page('all', 2, idOf(1))).toEqual({ ids: [idOf(2), idOf(3)], next: idOf(3) });
  expect(await page('all', 2, idOf(3))).toEqual({ ids: [idOf(4)], next: undefined });
  expect(state.reads).toBe(1);
});

it('another filter, another place and a write begin anew', async () => {
  const { state, order, page } = unordered(5);
  await page('all', 2);
  expect((await page('some', 2, idOf(1))).ids).toEqual([idOf(2), idOf(3)]);
  expect((await page('some', 1, idOf(0))).ids).toEqual([idOf(1)]);
  order.forget();
  expect((await page('some', 1, idOf(1))).ids).toEqual([idOf(2)]);
  expect(state.reads).toBe(4);
});

it('what was deleted meanwhile leaves no gap', async () => {
  const { state, page } = unordered(6);
  await page('all', 2);
  state.ids = state.ids.filter((id) => id !== idOf(2));
  expect((await page('all', 2, idOf(1))).ids).toEqual([idOf(3), idOf(4)]);
});
