import assert from 'node:assert/strict';
import { EVERYTHING, eq } from '../../core/filter.js';
import type { VectorCollection } from '../../stores/vector-store.js';
import type { ContractPart } from './contract.js';
import { axis, idsOf, record } from './records.js';

/** Writes and reads at the same time, through one handle and through two. */
export const testConcurrency: ContractPart = (test) => {
  test('parallel upserts of different chunks are all kept', async ({ open, settle }) => {
    const collection = await open();
    const ids = Array.from({ length: 12 }, (_, i) => `r${String(i).padStart(2, '0')}`);
    await Promise.all(ids.map((id) => collection.upsert([record(id), record(`${id}-b`)])));
    await settle();
    assert.equal(await collection.count(EVERYTHING), 24);
  });

  test('parallel upserts of the same chunk leave one of them, whole', async ({ open, settle }) => {
    const collection = await open();
    await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        collection.upsert([record('a', { content: `v${i}`, metadata: { version: i } })]),
      ),
    );
    await settle();
    const { chunks } = await collection.list({ filter: EVERYTHING, limit: 10 });
    assert.equal(chunks.length, 1);
    assert.equal(chunks[0]?.content, `v${String(chunks[0]?.metadata.version)}`);
  });

  test('two handles write, replace and delete the same document at once', async ({
    open,
    settle,
    reopen,
  }) => {
    const first = await open();
    const other = await reopen?.();
    const second = other === undefined ? first : await other.open(first.spec);
    try {
      await first.upsert([record('kept', { documentId: 'kept' })]);
      await Promise.all([rewrite(first, 'x'), rewrite(second, 'y'), rewrite(first, 'z')]);
      await settle();
      for (const collection of [first, second]) {
        const { chunks } = await collection.list({ filter: EVERYTHING, limit: 100 });
        assert.equal(new Set(idsOf(chunks)).size, chunks.length, 'no chunk is there twice');
        assert.deepEqual(idsOf(chunks), ['kept', 'x-last', 'y-last', 'z-last']);
      }
    } finally {
      await other?.close();
    }
  });

  test('readers during writes and optimize see whole records', async ({ open, settle }) => {
    const collection = await open();
    const batch = (version: number) =>
      Array.from({ length: 20 }, (_, i) =>
        record(`r${i}`, { content: `v${version}`, metadata: { version }, vector: axis(version) }),
      );
    await collection.upsert(batch(0));
    await settle();
    const write = async (): Promise<void> => {
      for (let version = 1; version <= 4; version++) {
        await collection.upsert(batch(version));
        await collection.optimize();
      }
    };
    const read = async (): Promise<void> => {
      for (let i = 0; i < 15; i++) {
        const { chunks } = await collection.list({ filter: EVERYTHING, limit: 100 });
        assert.equal(chunks.length, 20);
        for (const { content, metadata } of chunks) assert.equal(content, `v${String(metadata.version)}`);
      }
    };
    await Promise.all([write(), read(), read()]);
  });
};

/** Writes a document's chunks, then new ones, then deletes the old, as an indexing run does. */
async function rewrite(collection: VectorCollection, documentId: string): Promise<void> {
  await collection.upsert([record(`${documentId}-first`, { documentId, metadata: { revision: 1 } })]);
  await collection.upsert([record(`${documentId}-last`, { documentId, metadata: { revision: 2 } })]);
  await collection.delete(eq('$chunkId', `${documentId}-first`));
}
