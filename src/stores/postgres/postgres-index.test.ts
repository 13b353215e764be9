import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { and, EVERYTHING, eq, type Filter } from '../../core/filter.js';
import { axis, idsOf, randomVector, record, seededRandom } from '../../testing/vector-store/records.js';
import { createMemoryStore } from '../memory/memory-store.js';
import type { VectorCollection, VectorStore } from '../vector-store.js';
import type { PostgresStoreOptions } from './postgres-options.js';
import { createPostgresStore } from './postgres-store.js';

const connectionString = process.env.RAGSTONE_TEST_POSTGRES_URL;
const SPEC = { name: 'index', dimensions: 48, fingerprint: 'm' };
const TITLE =
  'indexes, migrations and several writers (RAGSTONE_TEST_POSTGRES_URL names a server with pgvector)';

describe.skipIf(connectionString === undefined)(TITLE, () => {
  let schema: string;
  const stores: VectorStore[] = [];

  beforeEach(() => {
    schema = `index_${randomUUID().replaceAll('-', '')}`;
  });

  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await execute(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  });

  function makeStore(options: Partial<PostgresStoreOptions> = {}): VectorStore {
    const store = createPostgresStore({
      connectionString: connectionString ?? '',
      schema,
      poolSize: 4,
      ...options,
    });
    stores.push(store);
    return store;
  }

  const random = seededRandom(3);
  const records = Array.from({ length: 3_000 }, (_, i) =>
    record(`r${String(i).padStart(4, '0')}`, {
      vector: randomVector(random, 48),
      source: i % 50 === 0 ? 'rare' : 'common',
      metadata: { kind: i % 500 === 0 ? 'very rare' : 'common' },
    }),
  );
  const ties = Array.from({ length: 60 }, (_, i) =>
    record(`t${String(i).padStart(2, '0')}`, { vector: axis(7, 48) }),
  );
  const zero = record('zero', { vector: new Float32Array(48) });

  for (const halfvec of [false, true])
    it(`HNSW ${halfvec ? 'in half precision ' : ''}answers as exact search does`, {
      timeout: 120_000,
    }, async () => {
      const collection = await makeStore({ vectorIndexRows: 1_000, halfvec }).open(SPEC);
      const oracle = await createMemoryStore().open(SPEC);
      for (const target of [collection, oracle]) await target.upsert([...records, ...ties, zero]);
      await collection.optimize();
      expect((await collection.stats()).vectorIndex).toBe(
        `HNSW${halfvec ? ' in half precision' : ''} (m=16, ef_construction=64)`,
      );
      // Written after the index was made.
      for (const target of [collection, oracle]) await target.upsert(records.slice(0, 100));
      for (const filter of [EVERYTHING, eq('$source', 'rare'), eq('kind', 'very rare')])
        expect(await overlap(collection, oracle, filter)).toBeGreaterThanOrEqual(0.98);
      const few = { vector: randomVector(random, 48), topK: 10, filter: eq('kind', 'very rare') };
      expect(idsOf(await collection.searchVector(few))).toEqual(idsOf(await oracle.searchVector(few)));
      const tied = await collection.searchVector({ vector: axis(7, 48), topK: 5, filter: EVERYTHING });
      expect(idsOf(tied)).toEqual(['t00', 't01', 't02', 't03', 't04']);
      const all = await collection.searchVector({ vector: axis(7, 48), topK: 4_000, filter: EVERYTHING });
      expect(all).toHaveLength(3_061);
      expect(all.find(({ chunk }) => chunk.id === 'zero')?.score).toBe(0);
      const one = await collection.searchVector({
        vector: axis(0, 48),
        topK: 1,
        filter: eq('$chunkId', 'zero'),
      });
      expect(idsOf(one)).toEqual(['zero']);
    });

  it('the index is used, once another process has made it too', async () => {
    // Visiting the default's candidates costs as much as reading a table this small, and the planner knows.
    const options = { vectorIndexRows: 1_000, efSearch: 40 };
    const mine = await makeStore(options).open(SPEC);
    const theirs = await makeStore(options).open(SPEC);
    await mine.upsert(records);
    await Promise.all([mine.optimize(), theirs.optimize(), theirs.optimize()]);
    await mine.searchVector({ vector: axis(0, 48), topK: 5, filter: EVERYTHING });
    const sql = `SELECT sum(idx_scan)::int AS scans FROM pg_stat_user_indexes WHERE schemaname = '${schema}' AND indexrelname LIKE '%hnsw'`;
    await expect.poll(async () => (await execute(sql))[0]?.scans).toBeGreaterThan(0);
  });

  it('a filter on metadata that few rows pass is answered by the index over metadata', async () => {
    const collection = await makeStore({ vectorIndexRows: 1_000 }).open(SPEC);
    await collection.upsert(records);
    await collection.optimize();
    const search = (filter: Filter) =>
      collection.searchVector({ vector: axis(0, 48), topK: 5, filter: and(eq('$tenant', 'acme'), filter) });
    expect(await search(eq('kind', 'very rare'))).toHaveLength(5);
    const sql = `SELECT sum(idx_scan)::int AS scans FROM pg_stat_user_indexes WHERE schemaname = '${schema}' AND indexrelname LIKE '%metadata'`;
    await expect.poll(async () => (await execute(sql))[0]?.scans).toBeGreaterThan(0);
  });

  it('a schema is made once by many at the same time', async () => {
    const opened = await Promise.all(Array.from({ length: 6 }, () => makeStore().open(SPEC)));
    await Promise.all(
      opened.map((collection, i) => collection.upsert([record(`r${i}`, { vector: axis(i, 48) })])),
    );
    expect(await opened[0]?.count(EVERYTHING)).toBe(6);
    expect(await execute(`SELECT max(version) AS version FROM ${schema}.schema_version`)).toEqual([
      { version: 2 },
    ]);
  });

  it('a schema of a newer version is refused, and left as it is', async () => {
    await makeStore().open(SPEC);
    await execute(`INSERT INTO ${schema}.schema_version (version) VALUES (99)`);
    const newer = makeStore();
    await expect(newer.open(SPEC)).rejects.toMatchObject({ reason: 'STORE_SCHEMA_TOO_NEW' });
    await expect(newer.drop('index')).rejects.toMatchObject({ reason: 'STORE_SCHEMA_TOO_NEW' });
  });

  it('asking what there is makes nothing', async () => {
    const store = makeStore();
    expect(await store.describe('index')).toBeUndefined();
    await store.drop('index');
    expect((await store.health()).ok).toBe(true);
    expect(await execute(`SELECT to_regnamespace('${schema}') AS there`)).toEqual([{ there: null }]);
  });

  it('batches with common ids in opposite order, and deletes between them, all end', async () => {
    const stores = [makeStore(), makeStore()];
    const [mine, theirs] = await Promise.all(stores.map((store) => store.open(SPEC)));
    const batch = records.slice(0, 400);
    for (let round = 0; round < 4; round++)
      await Promise.all([
        mine?.upsert(batch),
        theirs?.upsert(batch.toReversed()),
        mine?.delete(eq('$source', 'rare')),
        theirs?.delete(eq('$documentId', 'document-1')),
      ]);
    await mine?.upsert(batch);
    expect(await theirs?.count(EVERYTHING)).toBe(400);
  });

  it('a batch is written whole or not at all', async () => {
    const collection = await makeStore().open(SPEC);
    // Refused by the server, in the second statement of the transaction.
    await execute(`ALTER TABLE ${schema}.chunks_1 ADD CONSTRAINT no_last CHECK (id <> 'r0900')`);
    await expect(collection.upsert(records.slice(0, 1_000))).rejects.toMatchObject({ name: 'RAGError' });
    expect(await collection.count(EVERYTHING)).toBe(0);
  });

  it('ids of any length are kept and listed in order', async () => {
    const collection = await makeStore().open(SPEC);
    const start = 'x'.repeat(200);
    const ids = [`${start}b`, start, `${start}a${randomBytes(20_000).toString('base64')}`, 'y', 'a'];
    await collection.upsert(ids.map((id) => record(id, { documentId: id, vector: axis(0, 48) })));
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await collection.list({
        filter: EVERYTHING,
        limit: 1,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...idsOf(page.chunks));
      cursor = page.cursor;
      if (cursor === undefined) break;
    }
    expect(seen).toEqual(ids.toSorted());
    expect(await collection.delete(eq('$documentId', ids[2] ?? ''))).toBe(1);
  });

  async function overlap(
    collection: VectorCollection,
    oracle: VectorCollection,
    filter: Filter,
  ): Promise<number> {
    let [found, wanted] = [0, 0];
    for (let i = 0; i < 30; i++) {
      const query = { vector: randomVector(random, 48), topK: 10, filter };
      const expected = new Set(idsOf(await oracle.searchVector(query)));
      found += idsOf(await collection.searchVector(query)).filter((id) => expected.has(id)).length;
      wanted += expected.size;
    }
    return found / wanted;
  }
});

async function execute(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(sql);
  await client.end();
  return rows;
}
