import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChunkRecord } from '../../core/chunk.js';
import { and, contains, EVERYTHING, eq, oneOf } from '../../core/filter.js';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import type { VectorStore } from '../vector-store.js';
import { createLibsqlStore } from './libsql-store.js';

const SPEC = { name: 'chunks', dimensions: 4, fingerprint: 'f' };

let folder: string;
let path: string;
let store: VectorStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-libsql-'));
  path = join(folder, 'store.db');
  store = createLibsqlStore({ path });
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function record(id: string, changes: Partial<ChunkRecord> = {}): ChunkRecord {
  return {
    id,
    documentId: 'd',
    tenant: 't',
    source: 's',
    access: { groups: ['*'], level: 0 },
    content: id,
    searchText: `common ${id}`,
    identifiers: [],
    vector: Float32Array.of(1, 0, 0, 0),
    metadata: { id },
    ...changes,
  };
}

const records = (from: number, to: number, changes: Partial<ChunkRecord> = {}): ChunkRecord[] =>
  Array.from({ length: to - from }, (_, i) => record(`r${String(from + i).padStart(5, '0')}`, changes));

const oneValue = (sql: string): unknown => {
  const database = SqliteDatabase.open(path, { toError: (_, cause) => new Error('', { cause }) });
  const value = database.row(sql)?.[0];
  database.close();
  return value;
};

const rowsIn = (table: string): unknown => oneValue(`SELECT count(*) FROM store_${table}`);

/** Postings of it. */
const largestSegment = (): unknown => oneValue('SELECT max(entries) FROM store_segment');

const text = { topK: 10_000, filter: EVERYTHING };

describe('a warm cache', () => {
  it('follows writes and deletes of another handle, in every lane', async () => {
    const mine = await store.open(SPEC);
    await mine.upsert(records(0, 30));
    const query = { vector: Float32Array.of(0, 1, 0, 0), topK: 1, filter: EVERYTHING };
    await mine.searchVector(query);
    await mine.count(eq('id', 'r00000'));
    const other = createLibsqlStore({ path });
    const theirs = await other.open(SPEC);
    await theirs.delete(oneOf('$chunkId', ['r00003', 'r00029']));
    await theirs.upsert([
      record('new', { vector: query.vector, searchText: 'fresh', metadata: { id: 'x' } }),
    ]);
    await theirs.upsert(records(5, 6, { metadata: { id: 'changed' } }));
    await other.close();
    expect((await mine.searchVector(query))[0]).toMatchObject({ chunk: { id: 'new' }, score: 1 });
    expect((await mine.searchText?.({ ...text, terms: ['fresh'] }))?.map(({ chunk }) => chunk.id)).toEqual([
      'new',
    ]);
    expect(await mine.searchText?.({ ...text, terms: ['common'] })).toHaveLength(28);
    expect(await mine.count(oneOf('id', ['x', 'changed']))).toBe(2);
    expect(await mine.count(eq('id', 'r00005'))).toBe(0);
  });

  it('stays right when most of a collection is rewritten again and again', async () => {
    const collection = await store.open(SPEC);
    for (let round = 0; round < 4; round++) {
      await collection.upsert(records(0, 700, { metadata: { round } }));
      expect(await collection.count(eq('round', round))).toBe(700);
      const [hit] = await collection.searchVector({
        vector: Float32Array.of(1, 0, 0, 0),
        topK: 1,
        filter: EVERYTHING,
      });
      expect(hit?.chunk).toMatchObject({ id: 'r00000', metadata: { round } });
    }
    expect(await collection.searchText?.({ ...text, terms: ['common'] })).toHaveLength(700);
  });
});

describe('optimize', () => {
  it('merges segments and drops deleted postings without changing a score', async () => {
    const collection = await store.open(SPEC);
    for (let i = 0; i < 40; i++) await collection.upsert(records(i * 5, i * 5 + 5));
    await collection.delete(oneOf('$chunkId', ['r00000', 'r00001']));
    const before = await collection.searchText?.({ ...text, terms: ['common', 'r00150'] });
    expect(rowsIn('segment')).toBe(40);
    await collection.optimize();
    expect(rowsIn('segment')).toBe(3);
    // One row for each of the 198 names that are left, and in each segment one for the word they share.
    expect(rowsIn('posting')).toBe(201);
    expect(await collection.searchText?.({ ...text, terms: ['common', 'r00150'] })).toEqual(before);
    await collection.upsert(records(200, 201));
    expect(await collection.searchText?.({ ...text, terms: ['r00200'] })).toHaveLength(1);
  });
});

describe('many small writes', () => {
  it('are merged with each other, and a large segment is left as it is until they are many', async () => {
    const collection = await store.open(SPEC);
    await collection.upsert(records(0, 2_000));
    for (let i = 0; i < 32; i++) await collection.upsert(records(2_000 + i, 2_001 + i));
    expect(rowsIn('segment')).toBe(33);
    await collection.optimize();
    // The large one, and two of the small ones.
    expect([rowsIn('segment'), largestSegment()]).toEqual([3, 4_000]);
    for (let i = 0; i < 31; i++) await collection.upsert(records(3_000 + i * 20, 3_020 + i * 20));
    await collection.optimize();
    expect(rowsIn('segment')).toBe(3);
    expect(largestSegment()).toBeGreaterThan(4_000);
    expect(await collection.searchText?.({ ...text, terms: ['common'] })).toHaveLength(2_652);
  });
});

describe('purge', () => {
  const edit = (work: (database: SqliteDatabase) => void): void => {
    const database = SqliteDatabase.open(path, { toError: (_, cause) => new Error('', { cause }) });
    work(database);
    database.close();
  };

  it('drops the postings of deleted chunks by their terms, and no others', async () => {
    const collection = await store.open(SPEC);
    for (let i = 0; i < 10; i++) await collection.upsert(records(i * 3, i * 3 + 3, { identifiers: ['A-1'] }));
    const gone = ['r00000', 'r00013', 'r00029'];
    await collection.delete(oneOf('$chunkId', gone));
    const hits = () => collection.searchText?.({ ...text, terms: ['common', 'r00014'] });
    const before = await hits();
    expect([rowsIn('posting'), rowsIn('dead'), rowsIn('terms')]).toEqual([50, 3, 27]);
    await collection.purge?.();
    // One for each of the 27 names, and one for each of the shared word and identifier in each of the 10 segments.
    expect([rowsIn('posting'), rowsIn('dead')]).toEqual([47, 0]);
    expect(await hits()).toEqual(before);
    const { chunks } = await collection.list({ filter: contains('$identifiers', 'A-1'), limit: 100 });
    expect(chunks).toHaveLength(27);
  });

  it('drops those of a file that an earlier version wrote', async () => {
    const collection = await store.open(SPEC);
    await collection.upsert(records(0, 4));
    await collection.delete(oneOf('$chunkId', ['r00000']));
    await store.close();
    edit((database) => {
      for (const table of ['terms', 'dead']) database.exec(`DROP TABLE store_${table}`);
      database.exec('ALTER TABLE store_segment DROP COLUMN entries');
      database.run("UPDATE component SET version = 2 WHERE name = 'store'");
    });
    store = createLibsqlStore({ path });
    const opened = await store.open(SPEC);
    expect(rowsIn('posting')).toBe(5);
    await opened.delete(oneOf('$chunkId', ['r00001']));
    await opened.purge?.();
    expect([rowsIn('posting'), rowsIn('dead')]).toEqual([3, 0]);
    expect(await opened.searchText?.({ ...text, terms: ['common'] })).toHaveLength(2);
  });

  it('is done for replaced chunks too, once there are many', async () => {
    const collection = await store.open(SPEC);
    await collection.upsert(records(0, 1_200));
    await collection.upsert(records(0, 255, { searchText: 'other' }));
    await collection.optimize();
    expect(rowsIn('dead')).toBe(255);
    await collection.upsert(records(255, 256, { searchText: 'other' }));
    await collection.optimize();
    expect(rowsIn('dead')).toBe(0);
    expect(await collection.searchText?.({ ...text, terms: ['common'] })).toHaveLength(944);
  });
});

describe('the file', () => {
  it('keeps nothing of a dropped collection, and tells handles on it', async () => {
    const collection = await store.open(SPEC);
    await collection.upsert(records(0, 3));
    const other = createLibsqlStore({ path });
    await other.drop('chunks');
    for (const table of [
      'chunk',
      'body',
      'vector',
      'terms',
      'dead',
      'posting',
      'segment',
      'profile',
      'collection',
    ])
      expect(rowsIn(table), table).toBe(0);
    await expect(collection.count(EVERYTHING)).rejects.toMatchObject({ reason: 'COLLECTION_NOT_FOUND' });
    await expect(collection.upsert(records(0, 1))).rejects.toMatchObject({ reason: 'COLLECTION_NOT_FOUND' });
    const again = await store.open(SPEC);
    expect(await again.count(EVERYTHING)).toBe(0);
    await other.close();
  });

  it('that is damaged is refused, named, and can be dropped', async () => {
    writeFileSync(path, Buffer.alloc(10_000, 7));
    await expect(store.open(SPEC)).rejects.toMatchObject({
      reason: 'STORE_DAMAGED',
      message: expect.stringContaining(path) as unknown,
    });
    expect((await store.health()).ok).toBe(false);
    await store.drop('chunks');
    expect(await (await store.open(SPEC)).count(EVERYTHING)).toBe(0);
  });

  it('of a newer layout is refused', async () => {
    await store.open(SPEC);
    const database = SqliteDatabase.open(path, { toError: (_, cause) => new Error('', { cause }) });
    database.exec('PRAGMA user_version = 99');
    database.close();
    const newer = createLibsqlStore({ path });
    await expect(newer.open(SPEC)).rejects.toMatchObject({ reason: 'STORE_SCHEMA_TOO_NEW' });
    await newer.close();
  });

  it('is not made by asking what is in it', async () => {
    expect(await store.describe('chunks')).toBeUndefined();
    await store.drop('chunks');
    expect((await store.health()).ok).toBe(true);
    await store.open(SPEC);
    expect(rowsIn('collection')).toBe(1);
  });
});

describe('identifiers', () => {
  const held = (at: number) => ({
    identifiers: at % 3 === 0 ? ['A-1', 'A-1', `B-${at % 7}`] : [`B-${at % 7}`],
  });
  const idsWith = async (identifier: string): Promise<string[]> => {
    const filter = and(contains('$identifiers', identifier), eq('$tenant', 't'));
    const collection = await store.open(SPEC);
    const { chunks } = await collection.list({ filter, limit: 1_000 });
    const found = await collection.searchText?.({ terms: ['common'], topK: 1_000, filter });
    const near = await collection.searchVector({ vector: Float32Array.of(1, 0, 0, 0), topK: 1_000, filter });
    const ids = chunks.map(({ id }) => id);
    for (const hits of [found, near]) expect(hits?.map(({ chunk }) => chunk.id).sort()).toEqual(ids);
    return ids;
  };
  const expected = (identifier: string, from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, i) => from + i)
      .filter((at) => held(at).identifiers.includes(identifier))
      .map((at) => `r${String(at).padStart(5, '0')}`);
  const write = async (): Promise<void> => {
    const collection = await store.open(SPEC);
    for (let at = 0; at < 40; at++) await collection.upsert(records(at, at + 1, held(at)));
    await collection.delete(oneOf('$chunkId', ['r00000', 'r00039']));
  };

  it('are found by their postings, after deletions, merges and purges too', async () => {
    await write();
    const tidy = await store.open(SPEC);
    for (const step of [() => Promise.resolve(), () => tidy.optimize(), async () => tidy.purge?.()]) {
      await step();
      for (const identifier of ['A-1', 'B-4', 'B'])
        expect(await idsWith(identifier)).toEqual(expected(identifier, 1, 39));
    }
  });

  it('are found in a collection whose postings do not hold them', async () => {
    await write();
    await store.close();
    const database = SqliteDatabase.open(path, { toError: (_, cause) => new Error('', { cause }) });
    database.run('UPDATE store_collection SET format = 1');
    database.run("DELETE FROM store_posting WHERE term LIKE ' %'");
    database.close();
    store = createLibsqlStore({ path });
    expect(await idsWith('A-1')).toEqual(expected('A-1', 1, 39));
  });
});
