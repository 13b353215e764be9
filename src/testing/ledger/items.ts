import assert from 'node:assert/strict';
import type { LedgerPart } from './contract.js';
import { AT, completed, indexDocuments, itemKey, LATER, planned, SOURCE, TENANT } from './records.js';

/** Items: what was read of a source, and what failed. */
export const testItems: LedgerPart = (test) => {
  const key = itemKey('d');
  const failure = (version?: string) => ({
    reason: 'DOCUMENT_NOT_TEXT' as const,
    message: 'it is "binary"\n\0 \ud800',
    at: AT,
    processingKey: 'k',
    nextAttemptAt: LATER,
    ...(version === undefined ? {} : { version }),
  });

  test('an item is known from its plan on, pending until it is complete', async ({ writer }) => {
    assert.equal(await writer.hasItems(TENANT, SOURCE), false);
    await writer.plan([planned('d')]);
    assert.equal(await writer.hasItems(TENANT, SOURCE), true);
    assert.deepEqual(
      [...(await writer.items(TENANT, SOURCE)).values()],
      [{ ...key, status: 'pending', attempts: 0 }],
    );
    await writer.commit(['d'], AT);
    await writer.completeItems([completed('d', 'v 1')]);
    assert.deepEqual((await writer.items(TENANT, SOURCE)).get('d.md'), {
      ...key,
      version: 'v 1',
      processingKey: 'k',
      status: 'indexed',
      attempts: 0,
    });
  });

  test('an item that is announced is known and pending; one that was known stays as it was', async ({
    writer,
  }) => {
    await indexDocuments(writer, planned('d'));
    const before = (await writer.items(TENANT, SOURCE)).get('d.md');
    // Where nobody else lists a source at the same time nothing is announced.
    if (writer.announce === undefined) return;
    await writer.announce(TENANT, SOURCE, ['d.md', 'e.md', 'e.md']);
    await writer.announce(TENANT, SOURCE, []);
    const items = await writer.items(TENANT, SOURCE);
    assert.deepEqual(items.get('d.md'), before);
    assert.deepEqual(items.get('e.md'), { ...itemKey('e'), status: 'pending', attempts: 0 });
    assert.equal(items.size, 2);
  });

  test('items are read by name too; unknown ones are left out', async ({ writer }) => {
    await indexDocuments(writer, planned('a'), planned('b'), planned('c', { source: 'wiki' }));
    const found = await writer.items(TENANT, SOURCE, ['b.md', 'c.md', 'nobody', 'b.md']);
    assert.deepEqual([...found.keys()], ['b.md']);
    assert.deepEqual(found.get('b.md'), (await writer.items(TENANT, SOURCE)).get('b.md'));
    assert.equal((await writer.items(TENANT, SOURCE, [])).size, 0);
  });

  test('an item without documents can be complete', async ({ writer }) => {
    await writer.completeItems([completed('d'), completed('e', '2'), completed('e', '3')]);
    const items = await writer.items(TENANT, SOURCE);
    assert.deepEqual([...items.values()].map(({ itemId, version }) => [itemId, version]).sort(), [
      ['d.md', '1'],
      ['e.md', '3'],
    ]);
    await writer.completeItems([]);
  });

  test('failures of a version are counted, and forgotten on success', async ({ writer }) => {
    await indexDocuments(writer, planned('d'));
    await writer.failItem(key, failure('2'));
    await writer.failItem(key, failure('2'));
    assert.deepEqual((await writer.items(TENANT, SOURCE)).get('d.md'), {
      ...key,
      version: '1',
      processingKey: 'k',
      status: 'failed',
      attempts: 2,
      error: failure('2'),
    });
    await writer.failItem(key, failure('3'));
    assert.equal((await writer.failures(10))[0]?.attempts, 1);
    await writer.failItem(key, failure());
    await writer.failItem(key, failure());
    assert.equal((await writer.failures(10))[0]?.attempts, 2);
    assert.equal((await writer.document('d'))?.status, 'indexed');
    await writer.completeItems([completed('d', '3')]);
    assert.deepEqual(await writer.failures(10), []);
    const item = (await writer.items(TENANT, SOURCE)).get('d.md');
    assert.deepEqual([item?.attempts, item?.status, item?.error], [0, 'indexed', undefined]);
  });

  test('failures are listed worst first, then by name, no more than asked for', async ({ writer }) => {
    for (const name of ['b', 'a', 'c', 'c']) await writer.failItem(itemKey(name), failure('1'));
    await writer.completeItems([completed('z')]);
    const names = async (limit: number) => (await writer.failures(limit)).map(({ itemId }) => itemId);
    assert.deepEqual(await names(10), ['c.md', 'a.md', 'b.md']);
    assert.deepEqual(await names(2), ['c.md', 'a.md']);
  });

  test('items are kept apart by tenant and source', async ({ writer }) => {
    await indexDocuments(
      writer,
      planned('d'),
      planned('e', { tenant: 'other' }),
      planned('f', { source: 'wiki' }),
    );
    assert.deepEqual([...(await writer.items(TENANT, SOURCE)).keys()], ['d.md']);
    await writer.forgetItems(TENANT, SOURCE, ['d.md', 'e.md', 'f.md', 'nobody']);
    assert.equal((await writer.items(TENANT, SOURCE)).size, 0);
    assert.equal((await writer.items('other', SOURCE)).size, 1);
    assert.equal((await writer.items(TENANT, 'wiki')).size, 1);
    await writer.forgetItems(TENANT, SOURCE, []);
  });

  test('names that would run together when joined are different items', async ({ writer }) => {
    const names = [
      ['a', 'b/c', 'd'],
      ['a/b', 'c', 'd'],
      ['a', 'b', 'c/d'],
      ['a","b', 'c', 'd'],
      ['a', '', 'b'],
      ['', 'a', 'b'],
    ] as const;
    for (const [tenant, source, itemId] of names)
      await writer.completeItems([
        { tenant, source, itemId, version: `${tenant}|${source}|${itemId}`, processingKey: 'k' },
      ]);
    for (const [tenant, source, itemId] of names) {
      const items = await writer.items(tenant, source);
      assert.deepEqual([...items.keys()], [itemId]);
      assert.equal(items.get(itemId)?.version, `${tenant}|${source}|${itemId}`);
    }
  });
};
