import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ChunkRecord } from '../../core/chunk.js';
import { EVERYTHING, eq, type Filter, range } from '../../core/filter.js';
import { idsOf, randomVector, record, seededRandom } from '../../testing/vector-store/records.js';
import { createMemoryStore } from '../memory/memory-store.js';
import { createUsearchStore, type UsearchStoreOptions } from '../usearch-store.js';
import type { VectorCollection, VectorStore } from '../vector-store.js';

const DIMENSIONS = 32;
const SPEC = { name: 'notes', dimensions: DIMENSIONS, fingerprint: 'model' };

let folder: string;
let store: VectorStore;
let collection: VectorCollection;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-usearch-graph-'));
  await reopen();
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function reopen(options: Partial<UsearchStoreOptions> = {}): Promise<void> {
  await store?.close();
  store = createUsearchStore({ path: folder, graphRows: 500, ...options });
  collection = await store.open(SPEC);
}

function makeRecords(count: number, seed = 1, name = 'r'): ChunkRecord[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, i) =>
    record(`${name}${String(i).padStart(5, '0')}`, {
      vector: randomVector(random, DIMENSIONS),
      metadata: { i },
    }),
  );
}

async function recall(records: readonly ChunkRecord[], filter: Filter = EVERYTHING): Promise<number> {
  const oracle = await createMemoryStore().open(SPEC);
  await oracle.upsert(records);
  const random = seededRandom(99);
  let found = 0;
  let wanted = 0;
  for (let i = 0; i < 20; i++) {
    const query = { vector: randomVector(random, DIMENSIONS), topK: 10, filter };
    const expected = idsOf(await oracle.searchVector(query));
    const actual = new Set(idsOf(await collection.searchVector(query)));
    found += expected.filter((id) => actual.has(id)).length;
    wanted += expected.length;
  }
  return found / wanted;
}

const graphFiles = (): string[] => readdirSync(folder).filter((name) => name.includes('.usearch'));
const vectorIndex = async (): Promise<string> => (await collection.stats()).vectorIndex;

test('builds a graph when there are many, scans what came since, and finds nearly all', async () => {
  const records = makeRecords(3_000);
  await collection.upsert(records.slice(0, 2_800));
  expect(await vectorIndex()).toBe('usearch scan of 2800 rows, exact below 500 rows');
  await collection.optimize();
  await collection.upsert(records.slice(2_800));
  expect(await vectorIndex()).toBe('usearch HNSW over 2800 rows and usearch scan of 200 rows');
  expect(await recall(records)).toBeGreaterThan(0.97);
});

test('a graph is found again after reopening, and takes in what came since once it is much', async () => {
  const records = makeRecords(2_000);
  await collection.upsert(records.slice(0, 1_000));
  await collection.optimize();
  const [first] = graphFiles();
  await reopen();
  expect(await vectorIndex()).toContain('HNSW over 1000 rows');
  await collection.upsert(records.slice(1_000));
  await collection.optimize();
  expect(await vectorIndex()).toContain('HNSW over 2000 rows and usearch scan of 0 rows');
  expect(graphFiles()).toHaveLength(1);
  expect(graphFiles()[0]).not.toBe(first);
  expect(await recall(records)).toBeGreaterThan(0.97);
});

test('a filter that leaves few records is answered exactly, one that leaves many nearly', async () => {
  const records = makeRecords(3_000);
  await collection.upsert(records);
  await collection.optimize();
  expect(await recall(records, eq('i', 77))).toBe(1);
  expect(await recall(records, range('i', { lt: 30 }))).toBe(1);
  expect(await recall(records, range('i', { lt: 1_500 }))).toBeGreaterThan(0.97);
});

test('deleted and replaced records are never found, and a graph of mostly deleted ones is built anew', async () => {
  const records = makeRecords(2_000);
  await collection.upsert(records);
  await collection.optimize();
  await collection.delete(range('i', { lt: 400 }));
  const moved = makeRecords(50, 5).map((r, i) => ({ ...r, id: records[400 + i]?.id ?? '' }));
  await collection.upsert(moved);
  expect(await recall([...moved, ...records.slice(450)])).toBeGreaterThan(0.97);
  await collection.optimize();
  expect(await vectorIndex()).toContain('HNSW over 2000 rows');
  await collection.delete(range('i', { lt: 1_000 }));
  await collection.optimize();
  expect(await vectorIndex()).toContain('HNSW over 1000 rows and usearch scan of 0 rows');
  expect(await recall(records.slice(1_000))).toBeGreaterThan(0.97);
});

test('a graph file that is missing, cut or altered is not used, said so, and built again', async () => {
  const records = makeRecords(1_000);
  await collection.upsert(records);
  const damages = [
    (file: string) => rmSync(file),
    (file: string) => truncateSync(file, 1_000),
    (file: string) => writeFileSync(file, Buffer.alloc(10), { flag: 'r+' }),
  ];
  for (const damage of damages) {
    await collection.optimize();
    expect(graphFiles()).toHaveLength(1);
    for (const name of graphFiles()) damage(join(folder, name));
    await reopen();
    expect(await vectorIndex()).toContain('missing or damaged');
    expect(await recall(records)).toBe(1);
    for (const name of graphFiles()) rmSync(join(folder, name));
  }
});

test('a graph of records that were thrown away is never used for new ones', async () => {
  await collection.upsert(makeRecords(1_000));
  await collection.optimize();
  await store.close();
  for (const name of readdirSync(folder).filter((file) => file.startsWith('records.db')))
    rmSync(join(folder, name));
  await reopen();
  const records = makeRecords(1_200, 2);
  await collection.upsert(records);
  expect(await vectorIndex()).toBe('usearch scan of 1200 rows, exact below 500 rows');
  expect(await recall(records)).toBe(1);
});

test('drop removes the graph, and only that of this collection', async () => {
  const other = await store.open({ ...SPEC, name: 'notes-2' });
  for (const each of [collection, other]) {
    await each.upsert(makeRecords(600));
    await each.optimize();
  }
  await store.drop('notes');
  expect(graphFiles()).toHaveLength(1);
  expect((await other.stats()).vectorIndex).toContain('HNSW');
});

test('building can be cancelled, and parallel calls build once', async () => {
  const records = makeRecords(2_000);
  await collection.upsert(records);
  const controller = new AbortController();
  const building = collection.optimize(controller.signal);
  setImmediate(() => controller.abort());
  await expect(building).rejects.toMatchObject({ reason: 'ABORTED' });
  expect(graphFiles()).toEqual([]);
  await Promise.all([
    collection.optimize(),
    collection.optimize(),
    collection.upsert(makeRecords(10, 3, 'x')),
  ]);
  expect(graphFiles()).toHaveLength(1);
  expect(await recall([...records, ...makeRecords(10, 3, 'x')])).toBeGreaterThan(0.97);
});

test('equal vectors in graph and scan tie by id', async () => {
  const same = randomVector(seededRandom(4), DIMENSIONS);
  const make = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) =>
      record(`t${String(from + i).padStart(4, '0')}`, { vector: same }),
    );
  await collection.upsert(make(100, 700));
  await collection.optimize();
  await collection.upsert(make(0, 100));
  expect(await vectorIndex()).toContain('HNSW');
  const hits = await collection.searchVector({ vector: same, topK: 12, filter: EVERYTHING });
  expect(idsOf(hits)).toEqual(idsOf(make(0, 12)));
});

test('vectors that half precision cannot tell apart are found in their true order', async () => {
  const random = seededRandom(6);
  const same = randomVector(random, DIMENSIONS);
  const records = Array.from({ length: 600 }, (_, i) => {
    const vector = same.map((component) => component * (1 + (random() - 0.5) * 2e-3));
    return record(`t${String(i).padStart(4, '0')}`, { vector });
  });
  await collection.upsert(records);
  await collection.optimize();
  expect(await vectorIndex()).toContain('HNSW');
  expect(await recall(records)).toBe(1);
});
