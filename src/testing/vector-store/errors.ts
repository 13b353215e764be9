import assert from 'node:assert/strict';
import { EVERYTHING, eq, type Filter, not } from '../../core/filter.js';
import type { VectorCollection } from '../../stores/vector-store.js';
import { rejectsWith } from '../assertions.js';
import type { ContractPart, ContractTest } from './contract.js';
import { axis, idsOf, record } from './records.js';

/** What is refused, with which reason, and that nothing is written then. */
export const testErrors: ContractPart = (test) => {
  testSpecs(test);
  testRecords(test);
  testQueries(test);
  testCancellation(test);
};

function testSpecs(test: ContractTest): void {
  test('another dimension count or fingerprint is refused before any write', async ({ open, settle }) => {
    const collection = await open();
    await collection.upsert([record('a')]);
    await settle();
    await rejectsWith('STORE_DIMENSION_MISMATCH', () => open({ dimensions: 9 }));
    await rejectsWith('STORE_FINGERPRINT_MISMATCH', () => open({ fingerprint: 'model-b@1:8' }));
    assert.deepEqual(idsOf((await collection.list({ filter: EVERYTHING, limit: 9 })).chunks), ['a']);
  });

  test('a spec that no collection can have is refused', async ({ open }) => {
    for (const name of ['', 'a/b', '..', 'a b', 'x'.repeat(65), 'é'])
      await rejectsWith('CONFIG_INVALID', () => open({ name }));
    for (const dimensions of [0, -1, 1.5, Number.NaN])
      await rejectsWith('CONFIG_INVALID', () => open({ dimensions }));
    await rejectsWith('CONFIG_INVALID', () => open({ fingerprint: '' }));
  });
}

function testRecords(test: ContractTest): void {
  test('a bad record refuses its whole batch', async ({ open, settle }) => {
    const collection = await open();
    const nan = axis(0);
    nan[3] = Number.NaN;
    const bad = [
      ['STORE_DIMENSION_MISMATCH', record('bad', { vector: axis(0, 7) })],
      ['STORE_DIMENSION_MISMATCH', record('bad', { vector: new Float32Array() })],
      ['STORE_INVALID_RECORD', record('bad', { vector: nan })],
      ['STORE_INVALID_RECORD', record('half \ud800')],
      ['STORE_INVALID_RECORD', record('bad', { content: 'half \udc00' })],
      ['STORE_INVALID_RECORD', record('bad', { metadata: { deep: [{ n: Number.POSITIVE_INFINITY }] } })],
      ['STORE_INVALID_RECORD', record('bad', { metadata: { text: '\ud83d' } })],
      ['STORE_INVALID_RECORD', record('bad', { access: { groups: ['*'], level: Number.NaN } })],
    ] as const;
    for (const [reason, wrong] of bad)
      await rejectsWith(reason, () => collection.upsert([record('good'), wrong, record('good2')]));
    await settle();
    assert.equal(await collection.count(EVERYTHING), 0);
  });
}

function testQueries(test: ContractTest): void {
  test('a query of the wrong length or with NaN is refused', async ({ open }) => {
    const collection = await open();
    const search = (vector: Float32Array) => collection.searchVector({ vector, topK: 3, filter: EVERYTHING });
    await rejectsWith('STORE_DIMENSION_MISMATCH', () => search(axis(0, 9)));
    await rejectsWith('QUERY_INVALID', () => search(new Float32Array(8).fill(Number.NaN)));
  });

  test('a missing filter is refused, never taken for everything', async ({ open, settle }) => {
    const collection = await open();
    await collection.upsert([record('a')]);
    await settle();
    // A caller in JavaScript can leave it out.
    const missing = undefined as unknown as Filter;
    await rejectsWith('QUERY_INVALID', () => collection.delete(missing));
    await rejectsWith('QUERY_INVALID', () => collection.count(missing));
    await rejectsWith('QUERY_INVALID', () => collection.list({ filter: missing, limit: 1 }));
    await rejectsWith('QUERY_INVALID', () =>
      collection.searchVector({ vector: axis(0), topK: 1, filter: missing }),
    );
    assert.equal(await collection.count(EVERYTHING), 1);
  });

  test('a filter nobody can run is refused', async ({ open }) => {
    const collection = await open();
    await rejectsWith('QUERY_INVALID', () => collection.count(eq('a', Number.NaN)));
    await rejectsWith('QUERY_INVALID', () => collection.count(eq('a', '\ud800')));
    let deep: Filter = eq('a', 1);
    for (let i = 0; i < 5_000; i++) deep = not(deep);
    await rejectsWith('STORE_FILTER_UNSUPPORTED', () => collection.count(deep));
    const unknown = { op: 'regex', field: 'a', value: '.*' } as unknown as Filter;
    await rejectsWith('STORE_FILTER_UNSUPPORTED', () => collection.count(unknown));
  });

  test('a page size that is no positive integer is refused', async ({ open }) => {
    const collection = await open();
    for (const limit of [0, -1, 0.5])
      await rejectsWith('QUERY_INVALID', () => collection.list({ filter: EVERYTHING, limit }));
  });

  test('a closed store refuses every call', async ({ open, store }) => {
    const collection = await open();
    await store.close();
    await store.close();
    await rejectsWith('STORE_UNAVAILABLE', () => collection.count(EVERYTHING));
    await rejectsWith('STORE_UNAVAILABLE', () => collection.upsert([record('a')]));
    await rejectsWith('STORE_UNAVAILABLE', () => open());
    assert.equal((await store.health()).ok, false);
  });
}

function testCancellation(test: ContractTest): void {
  test('a cancelled call throws ABORTED and writes nothing', async ({ open, settle }) => {
    const collection = await open();
    await collection.upsert([record('a')]);
    await settle();
    const signal = AbortSignal.abort();
    for (const call of callsWith(collection, signal)) await rejectsWith('ABORTED', call);
    assert.deepEqual(idsOf((await collection.list({ filter: EVERYTHING, limit: 9 })).chunks), ['a']);
  });
}

function callsWith(collection: VectorCollection, signal: AbortSignal): (() => Promise<unknown>)[] {
  const filter = EVERYTHING;
  return [
    () => collection.upsert([record('b')], signal),
    () => collection.get(['a'], { signal }),
    () => collection.delete(filter, signal),
    () => collection.list({ filter, limit: 1, signal }),
    () => collection.count(filter, signal),
    () => collection.searchVector({ vector: axis(0), topK: 1, filter, signal }),
    ...(collection.searchText === undefined
      ? []
      : [async () => collection.searchText?.({ terms: ['a'], topK: 1, filter, signal })]),
    () => collection.optimize(signal),
  ];
}
