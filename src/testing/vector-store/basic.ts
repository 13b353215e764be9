import assert from 'node:assert/strict';
import { and, EVERYTHING, eq, not, oneOf } from '../../core/filter.js';
import type { ContractPart } from './contract.js';
import { axis, DIMENSIONS, direction, idsOf, record, stored } from './records.js';

/** Upsert, get, delete, list, count and the life of a collection. */
export const testBasics: ContractPart = (test) => {
  testWrites(test);
  testReads(test);
  testCollections(test);
};

const testWrites: (test: Parameters<ContractPart>[0]) => void = (test) => {
  test('upsert is idempotent by id and replaces the whole record', async ({ open, settle }) => {
    const collection = await open();
    const first = record('a', { project: 'p', identifiers: ['X-1'], metadata: { state: 'open', old: 1 } });
    const second = record('a', { content: 'new', metadata: { state: 'closed' }, vector: axis(1) });
    await collection.upsert([first]);
    await collection.upsert([first]);
    await collection.upsert([second]);
    await settle();
    assert.equal(await collection.count(EVERYTHING), 1);
    assert.deepEqual(await collection.get(['a']), stored(second));
    assert.equal(await collection.count(eq('old', 1)), 0);
    const [hit] = await collection.searchVector({ vector: axis(1), topK: 1, filter: EVERYTHING });
    assert.ok(hit !== undefined && Math.abs(hit.score - 1) < 1e-5, 'the new vector is searched');
  });

  test('the last record of an id in one batch wins', async ({ open, settle }) => {
    const collection = await open();
    await collection.upsert([record('a', { content: '1' }), record('b'), record('a', { content: '2' })]);
    await settle();
    assert.deepEqual(await collection.get(['a', 'b']), stored(record('a', { content: '2' }), record('b')));
    assert.equal(await collection.count(EVERYTHING), 2);
  });

  test('an empty batch writes nothing', async ({ open }) => {
    const collection = await open();
    await collection.upsert([]);
    assert.equal(await collection.count(EVERYTHING), 0);
  });

  test('a finished write is seen by the next read', async ({ open, settle }) => {
    const collection = await open();
    for (let i = 0; i < 5; i++) {
      await collection.upsert([record(`r${i}`)]);
      await settle();
      assert.deepEqual(idsOf(await collection.get([`r${i}`])), [`r${i}`]);
      assert.equal(await collection.count(EVERYTHING), i + 1);
    }
    await collection.delete(eq('$chunkId', 'r3'));
    await settle();
    assert.deepEqual(await collection.get(['r3']), []);
    const hits = await collection.searchVector({ vector: axis(0), topK: 10, filter: EVERYTHING });
    assert.deepEqual(idsOf(hits), ['r0', 'r1', 'r2', 'r4']);
  });

  test('delete removes exactly the matches and returns how many', async ({ open, settle }) => {
    const collection = await open();
    const documentOf = (i: number) => `d${i % 2}`;
    await collection.upsert([0, 1, 2, 3, 4].map((i) => record(`r${i}`, { documentId: documentOf(i) })));
    await settle();
    assert.equal(await collection.delete(and(eq('$documentId', 'd0'), not(eq('$chunkId', 'r2')))), 2);
    await settle();
    assert.deepEqual(idsOf((await collection.list({ filter: EVERYTHING, limit: 9 })).chunks), [
      'r1',
      'r2',
      'r3',
    ]);
  });

  test('deleting what is not there is quiet', async ({ open }) => {
    const collection = await open();
    assert.equal(await collection.delete(eq('$chunkId', 'nobody')), 0);
    assert.equal(await collection.delete(EVERYTHING), 0);
  });

  test('a deleted id can be written again', async ({ open, settle }) => {
    const collection = await open();
    await collection.upsert([record('a', { content: 'old' })]);
    await settle();
    assert.equal(await collection.delete(oneOf('$chunkId', ['a', 'b'])), 1);
    await collection.upsert([record('a', { content: 'new' })]);
    await settle();
    assert.deepEqual(await collection.get(['a']), stored(record('a', { content: 'new' })));
  });

  test('optimize changes no answer, also when empty and when called twice', async ({ open, settle }) => {
    const collection = await open();
    await collection.optimize();
    await collection.upsert(Array.from({ length: 50 }, (_, i) => record(`r${String(i).padStart(2, '0')}`)));
    await settle();
    await collection.delete(eq('$chunkId', 'r07'));
    await settle();
    const before = await collection.list({ filter: EVERYTHING, limit: 100 });
    await collection.optimize();
    await collection.optimize();
    assert.deepEqual(await collection.list({ filter: EVERYTHING, limit: 100 }), before);
    assert.equal((await collection.stats()).chunks, 49);
  });
};

const testReads: (test: Parameters<ContractPart>[0]) => void = (test) => {
  test('get answers in the order asked and leaves unknown ids out', async ({ open, settle }) => {
    const collection = await open();
    await collection.upsert(['a', 'b', 'c'].map((id) => record(id)));
    await settle();
    assert.deepEqual(idsOf(await collection.get(['c', 'nobody', 'a'])), ['c', 'a']);
    assert.deepEqual(await collection.get([]), []);
  });

  test('vectors come back when asked for, and only then', async ({ open, settle }) => {
    const collection = await open();
    const vector = direction(0.25, -3, 1e-3);
    await collection.upsert([record('a', { vector, searchText: 'alpha' })]);
    await settle();
    const [withVector] = await collection.get(['a'], { includeVectors: true });
    assert.deepEqual(withVector?.vector, vector);
    const [without] = await collection.get(['a']);
    assert.ok(without !== undefined && !('vector' in without) && !('searchText' in without));
    const query = { topK: 1, filter: EVERYTHING, includeVectors: true };
    const [hit] = await collection.searchVector({ ...query, vector });
    assert.deepEqual(hit?.chunk.vector, vector);
    const texts = await collection.searchText?.({ ...query, terms: ['alpha'] });
    if (texts !== undefined) assert.deepEqual(texts[0]?.chunk.vector, vector);
  });

  test('list gives every match once, in id order, page by page', async ({ open, settle }) => {
    const collection = await open();
    const ids = ['b', 'a', 'é', 'z', 'Z', '10', '9', '\u{1f600}', '\uffee'];
    await collection.upsert(ids.map((id) => record(id, { source: id === 'z' ? 'other' : 'docs' })));
    await settle();
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await collection.list({
        filter: eq('$source', 'docs'),
        limit: 3,
        ...(cursor === undefined ? {} : { cursor }),
      });
      assert.ok(page.chunks.length <= 3);
      seen.push(...idsOf(page.chunks));
      cursor = page.cursor;
      pages++;
    } while (cursor !== undefined && pages < 10);
    assert.deepEqual(seen, ['10', '9', 'Z', 'a', 'b', 'é', '\uffee', '\u{1f600}']);
  });

  test('the last page has no cursor, also when it is full', async ({ open, settle }) => {
    const collection = await open();
    assert.deepEqual(await collection.list({ filter: EVERYTHING, limit: 2 }), { chunks: [] });
    await collection.upsert([record('a'), record('b')]);
    await settle();
    const page = await collection.list({ filter: EVERYTHING, limit: 2 });
    assert.deepEqual(idsOf(page.chunks), ['a', 'b']);
    assert.equal(page.cursor, undefined);
  });

  test('an empty collection answers every read', async ({ open }) => {
    const collection = await open();
    assert.deepEqual(await collection.searchVector({ vector: axis(0), topK: 5, filter: EVERYTHING }), []);
    assert.deepEqual(
      (await collection.searchText?.({ terms: ['a'], topK: 5, filter: EVERYTHING })) ?? [],
      [],
    );
    assert.deepEqual(await collection.get(['a']), []);
    assert.equal(await collection.count(EVERYTHING), 0);
    const stats = await collection.stats();
    assert.equal(stats.chunks, 0);
    assert.ok(stats.vectorIndex !== '' && stats.textIndex !== '');
  });
};

const testCollections: (test: Parameters<ContractPart>[0]) => void = (test) => {
  test('collections of one store are apart', async ({ open, settle }) => {
    const [lower, upper] = [await open({ name: 'notes' }), await open({ name: 'other-notes_2' })];
    await lower.upsert([record('a')]);
    await upper.upsert([record('a', { content: 'other' }), record('b')]);
    await settle();
    assert.equal(await lower.delete(EVERYTHING), 1);
    await settle();
    assert.deepEqual(await upper.get(['a']), stored(record('a', { content: 'other' })));
  });

  test('open twice gives the same data; describe tells the spec', async ({ open, settle, store }) => {
    assert.equal(await store.describe('contract'), undefined);
    const collection = await open();
    await collection.upsert([record('a')]);
    await settle();
    assert.deepEqual(idsOf(await (await open()).get(['a'])), ['a']);
    const spec = { name: 'contract', dimensions: DIMENSIONS, fingerprint: 'model-a@1:8' };
    assert.deepEqual(await store.describe('contract'), spec);
    assert.deepEqual({ ...collection.spec }, spec);
  });

  test('drop removes the collection; it can then be made for another model', async ({
    open,
    settle,
    store,
  }) => {
    await (await open()).upsert([record('a')]);
    await store.drop('contract');
    await store.drop('contract');
    assert.equal(await store.describe('contract'), undefined);
    const collection = await open({ dimensions: 3, fingerprint: 'model-b' });
    await collection.upsert([record('b', { vector: axis(0, 3) })]);
    await settle();
    assert.deepEqual(idsOf((await collection.list({ filter: EVERYTHING, limit: 9 })).chunks), ['b']);
  });

  test('health says in words that the store answers', async ({ store }) => {
    const { ok, detail } = await store.health();
    assert.ok(ok && detail !== '');
  });
};
