import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { analyzeText } from '../../../core/analysis/lexical-analyzer.js';
import type { ChunkRecord } from '../../../core/chunk.js';
import { contains, EVERYTHING, eq, type Filter, oneOf } from '../../../core/filter.js';
import { axis, idsOf, record, seededRandom } from '../../../testing/vector-store/records.js';
import { createMemoryStore } from '../../memory/memory-store.js';
import type { VectorCollection, VectorStore } from '../../vector-store.js';
import type { PostgresStoreOptions } from '../postgres-options.js';
import { createPostgresStore } from '../postgres-store.js';

const connectionString = process.env.RAGSTONE_TEST_POSTGRES_URL;
const SPEC = { name: 'words', dimensions: 8, fingerprint: 'm' };
const TITLE = 'words in the database (RAGSTONE_TEST_POSTGRES_URL names a server with pgvector)';
const WORDS = Array.from({ length: 30 }, (_, i) => `w${i}`);

describe.skipIf(connectionString === undefined)(TITLE, () => {
  let schema: string;
  let oracle: VectorCollection;
  const stores: VectorStore[] = [];

  beforeEach(async () => {
    schema = `words_${randomUUID().replaceAll('-', '')}`;
    oracle = await createMemoryStore().open(SPEC);
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

  const textOf = (random: () => number): string =>
    Array.from(
      { length: 1 + Math.floor(random() * 40) },
      () => WORDS[Math.floor(random() ** 3 * WORDS.length)] ?? '',
    ).join(' ');

  function batch(seed: number, from: number, to: number): ChunkRecord[] {
    const random = seededRandom(seed);
    return Array.from({ length: to - from }, (_, i) =>
      record(`r${from + i}`, {
        searchText: textOf(random),
        tenant: i % 4 === 0 ? 'other' : 'acme',
        documentId: `d${(from + i) % 20}`,
      }),
    );
  }

  async function expectAsOracle(collection: VectorCollection): Promise<void> {
    const filters: Filter[] = [EVERYTHING, eq('$tenant', 'other'), eq('$documentId', 'd3')];
    for (const terms of [['w0'], ['w29', 'w0', 'none'], WORDS])
      for (const filter of filters) {
        const query = { terms, topK: 400, filter };
        const [actual, expected] = [await collection.searchText?.(query), await oracle.searchText?.(query)];
        const rounded = (hits: typeof actual) =>
          hits?.map(({ chunk, score }) => [chunk.id, Number(score.toFixed(9))]).sort();
        expect(rounded(actual)).toEqual(rounded(expected));
      }
  }

  it('are those of every host, at once', async () => {
    const [mine, theirs] = [await makeStore().open(SPEC), await makeStore().open(SPEC)];
    for (const target of [mine, oracle]) await target.upsert(batch(1, 0, 50));
    for (const target of [theirs, oracle]) await target.upsert(batch(2, 40, 90));
    for (const target of [mine, oracle]) await target.delete(eq('$documentId', 'd5'));
    for (const collection of [mine, theirs]) await expectAsOracle(collection);
  });

  it('stay exact through many small writes, deletes and merges', async () => {
    const collection = await makeStore().open(SPEC);
    for (let i = 0; i < 40; i++)
      for (const target of [collection, oracle]) {
        await target.upsert(batch(i, 3 * i, 3 * i + 8));
        if (i % 10 === 9) await target.delete(eq('$documentId', `d${i % 20}`));
      }
    await expectAsOracle(collection);
    await collection.optimize();
    const segments = `SELECT count(*)::int AS count FROM ${schema}.word_segments_1`;
    expect(await execute(segments)).toEqual([{ count: 2 }]);
    expect(await execute(`SELECT count(*)::int AS count FROM ${schema}.word_deletions_1`)).toEqual([
      { count: 0 },
    ]);
    await expectAsOracle(collection);
    for (const target of [collection, oracle]) await target.delete(EVERYTHING);
    await collection.optimize();
    expect(await execute(segments)).toEqual([{ count: 0 }]);
    await expectAsOracle(collection);
  });

  it('have exact statistics after writers, deletes and merges at the same time', async () => {
    const [mine, theirs] = [await makeStore().open(SPEC), await makeStore().open(SPEC)];
    for (let round = 0; round < 4; round++)
      await Promise.all([
        mine.upsert(batch(round, 0, 120)),
        theirs.upsert(batch(10 + round, 60, 180).toReversed()),
        mine.delete(eq('$documentId', 'd1')),
        theirs.delete(eq('$tenant', 'other')),
        mine.optimize(),
        theirs.optimize(),
      ]);
    for (const target of [mine, oracle]) await target.upsert(batch(99, 0, 180));
    await expectAsOracle(theirs);
    const rows = await execute(`SELECT count(*)::int AS count FROM ${schema}.word_rows_1`);
    expect(rows).toEqual([{ count: 180 }]);
  });

  it('are written with the chunks or not at all', async () => {
    const collection = await makeStore().open(SPEC);
    await execute(`ALTER TABLE ${schema}.word_postings_1 ADD CONSTRAINT none CHECK (segment > 9) NOT VALID`);
    await expect(collection.upsert([record('a')])).rejects.toMatchObject({ name: 'RAGError' });
    expect(await collection.count(EVERYTHING)).toBe(0);
    expect(await execute(`SELECT * FROM ${schema}.word_rows_1`)).toEqual([]);
  });

  it('that an earlier version kept in a local file are made from the chunks, once', async () => {
    const documents = ['Fees of cards', 'Limits of accounts', 'Cards and limits'].map((title, i) =>
      record(`r${i}`, {
        content: `The ${title.toLowerCase()} are set by the bank.`,
        metadata: { title, headingPath: [title, 'Rules'] },
        searchText: analyzeText(`${title} > Rules\nThe ${title.toLowerCase()} are set by the bank.`).join(
          ' ',
        ),
      }),
    );
    const before = makeStore();
    for (const target of [await before.open(SPEC), oracle]) await target.upsert(documents);
    await execute(
      ['rows', 'segments', 'postings', 'deletions']
        .map((part) => `DROP TABLE ${schema}.word_${part}_1;`)
        .join(''),
    );
    await execute(`UPDATE ${schema}.collection SET format = 1`);
    const opened = await Promise.all([makeStore().open(SPEC), makeStore().open(SPEC)]);
    const query = { terms: ['card', 'limit', 'rule'], topK: 9, filter: EVERYTHING };
    const expected = idsOf((await oracle.searchText?.(query)) ?? []);
    for (const collection of opened)
      expect(await collection.rankText?.(query)).toMatchObject(expected.map((id) => ({ id })));
    expect(await execute(`SELECT count(*)::int AS count FROM ${schema}.word_segments_1`)).toEqual([
      { count: 1 },
    ]);
  });

  it('go with their collection', async () => {
    const store = makeStore();
    await store.open(SPEC);
    await store.drop(SPEC.name);
    const sql = `SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname = '${schema}' AND relname LIKE 'word%'`;
    expect(await execute(sql)).toEqual([]);
  });

  it('and identifiers are found by an index, names of any length', async () => {
    const collection = await makeStore({ vectorIndexRows: 500 }).open(SPEC);
    const long = 'x'.repeat(20_000);
    await collection.upsert(
      Array.from({ length: 2_000 }, (_, i) =>
        record(`r${i}`, { vector: axis(i), identifiers: i === 7 ? ['ppr-9087', long] : [`ppr-${i}`] }),
      ),
    );
    await collection.optimize();
    for (const identifier of ['ppr-9087', long])
      expect(await collection.count(contains('$identifiers', identifier))).toBe(1);
    expect(await collection.count(oneOf('$chunkId', ['r7']))).toBe(1);
    const sql = `SELECT sum(idx_scan)::int AS scans FROM pg_stat_user_indexes
      WHERE schemaname = '${schema}' AND indexrelname LIKE '%identifiers'`;
    await expect.poll(async () => (await execute(sql))[0]?.scans).toBeGreaterThan(0);
  });
});

async function execute(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(sql);
  await client.end();
  return rows;
}
