import assert from 'node:assert/strict';
import { EVERYTHING, eq } from '../../core/filter.js';
import type { VectorStore } from '../../stores/vector-store.js';
import { rejectsWith } from '../assertions.js';
import type { ContractContext, ContractPart } from './contract.js';
import { axis, direction, idsOf, record, stored } from './records.js';

/** What another handle on the same data sees. A store that declares no persistence must forget. */
export const testPersistence: ContractPart = (test) => {
  test('what was written is there after the store is closed and opened again', async (context) => {
    const records = [
      record('a', { metadata: { n: [1, { x: null }] }, identifiers: ['ID-1'], project: 'p' }),
      record('b', { vector: direction(1, 2, 3), searchText: 'needle' }),
    ];
    const collection = await context.open();
    await collection.upsert([...records, record('gone')]);
    await collection.delete(eq('$chunkId', 'gone'));
    await collection.optimize();
    await context.settle();
    await context.store.close();
    if (!context.store.capabilities.persistent) {
      assert.equal(context.reopen, undefined, 'a store that is not persistent cannot be reopened');
      return;
    }
    await withReopened(context, async (store) => {
      assert.deepEqual(await store.describe('contract'), { ...collection.spec });
      const again = await store.open(collection.spec);
      assert.deepEqual((await again.list({ filter: EVERYTHING, limit: 9 })).chunks, stored(...records));
      const [hit] = await again.searchVector({ vector: direction(1, 2, 3), topK: 1, filter: EVERYTHING });
      assert.equal(hit?.chunk.id, 'b');
      const texts = await again.searchText?.({ terms: ['needle'], topK: 5, filter: EVERYTHING });
      if (texts !== undefined) assert.deepEqual(idsOf(texts), ['b']);
    });
  });

  test('a handle sees what another handle wrote, deleted and optimized', async (context) => {
    if (!context.store.capabilities.persistent) return;
    const mine = await context.open();
    await mine.upsert([record('a'), record('b')]);
    await withReopened(context, async (store) => {
      const theirs = context.follow(await store.open(mine.spec));
      await context.settle();
      assert.equal(await theirs.count(EVERYTHING), 2);
      await theirs.upsert([record('c')]);
      await theirs.delete(eq('$chunkId', 'a'));
      await theirs.optimize();
      await context.settle();
      assert.deepEqual(idsOf((await mine.list({ filter: EVERYTHING, limit: 9 })).chunks), ['b', 'c']);
      await mine.upsert([record('d')]);
      await context.settle();
      assert.equal(await theirs.count(EVERYTHING), 3);
    });
  });

  test('another model is refused after reopening too', async (context) => {
    if (!context.store.capabilities.persistent) return;
    const { spec } = await context.open();
    await withReopened(context, async (store) => {
      await rejectsWith('STORE_DIMENSION_MISMATCH', () => store.open({ ...spec, dimensions: 4 }));
      await rejectsWith('STORE_FINGERPRINT_MISMATCH', () => store.open({ ...spec, fingerprint: 'model-b' }));
    });
  });

  test('a collection of a newer version is refused, and can be dropped', async (context) => {
    if (!context.store.capabilities.persistent) return;
    assert.ok(context.makeSchemaNewer, 'a persistent store names how a newer schema looks');
    const collection = await context.open();
    await collection.upsert([record('a', { vector: axis(1) })]);
    await context.makeSchemaNewer('contract');
    await withReopened(context, async (store) => {
      await rejectsWith('STORE_SCHEMA_TOO_NEW', () => store.open(collection.spec));
      await store.drop('contract');
      assert.equal(await (await store.open(collection.spec)).count(EVERYTHING), 0);
    });
  });
};

async function withReopened(
  context: ContractContext,
  run: (store: VectorStore) => Promise<void>,
): Promise<void> {
  assert.ok(context.reopen, 'a persistent store can be reopened');
  const store = await context.reopen();
  try {
    await run(store);
  } finally {
    await store.close();
  }
}
