import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { and, contains, EVERYTHING, eq, not, oneOf, prefix, range } from '../../core/filter.js';
import { LOCAL_SCOPE, scopeFilter } from '../../core/scope.js';
import { axis, direction, idsOf, record, stored } from '../../testing/vector-store/records.js';
import type { VectorCollection, VectorStore } from '../vector-store.js';
import { createRagDocumentsStore, ragDocumentsOf } from './rag-documents-store.js';

const connectionString = process.env.RAGSTONE_TEST_POSTGRES_URL;
const FINGERPRINT = '["transformers:all-MiniLM-L6-v2","r1",8]';
const SPEC = { name: 'main', dimensions: 8, fingerprint: FINGERPRINT };
const TITLE =
  'a rag_documents table of another application (RAGSTONE_TEST_POSTGRES_URL names a server with pgvector)';

let schema: string;
let client: pg.Client;
let store: VectorStore;

// As the application's migration makes it, with fewer dimensions.
// Two sessions that add the extension at once hinder each other, hence the lock (the stores' own).
const tableSql = (name: string) => `
  SELECT pg_advisory_xact_lock(8241922870284579429);
  CREATE EXTENSION IF NOT EXISTS vector;
  CREATE SCHEMA ${name};
  CREATE TABLE ${name}.rag_documents (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    source_type VARCHAR(30) NOT NULL,
    source_id VARCHAR(100) NOT NULL,
    chunk_text TEXT NOT NULL,
    chunk_metadata JSONB,
    embedding vector(8) NOT NULL,
    created_at TIMESTAMPTZ DEFAULT now(),
    updated_at TIMESTAMPTZ DEFAULT now()
  );
  CREATE INDEX idx_rag_documents_source ON ${name}.rag_documents (source_type, source_id);
  CREATE INDEX idx_rag_documents_embedding_hnsw ON ${name}.rag_documents
    USING hnsw (embedding vector_cosine_ops) WITH (m = 16, ef_construction = 64);`;

// As the application stores rows: vectors as text, metadata as JSON.
const ROWS = [
  [
    'bug_report',
    'BUG-001',
    'Bug ID: BUG-001\nSeverity: P1',
    { severity: 'P1', services: ['pay'] },
    '[1,0,0,0,0,0,0,0]',
  ],
  [
    'investigation',
    'BUG-001',
    'Summary: \\u0001 odd \u0001\u0001 text',
    { confidence: 0.92 },
    '[0.9,0.1,0,0,0,0,0,0]',
  ],
  ['finding', 'BUG-002:7d2f', "Finding: it's slow", null, '[0,1,0,0,0,0,0,0]'],
] as const;

const own = (id: string, changes: Parameters<typeof record>[1] = {}) =>
  record(id, { tenant: 'default', documentId: 'doc', ...changes });

const makeStore = (
  changes: { tenant?: string; model?: string; tableSchema?: string; efSearch?: number } = {},
) =>
  createRagDocumentsStore({
    connectionString: connectionString ?? '',
    schema: `${schema}_own`,
    tableSchema: schema,
    ...changes,
  });

const allRows = async () =>
  (await client.query('SELECT * FROM rag_documents ORDER BY created_at, id')).rows as Record<
    string,
    unknown
  >[];

describe.skipIf(connectionString === undefined)(TITLE, () => {
  let collection: VectorCollection;

  beforeEach(async () => {
    schema = `rag_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
    client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(tableSql(schema));
    await client.query(`SET search_path = ${schema}, public`);
    const sql =
      'INSERT INTO rag_documents (source_type, source_id, chunk_text, chunk_metadata, embedding) VALUES ($1, $2, $3, $4, $5)';
    for (const row of ROWS) await client.query(sql, [...row]);
    store = makeStore();
    collection = await store.open(SPEC);
  });

  afterEach(async () => {
    await store.close();
    await client.query(`DROP SCHEMA ${schema} CASCADE; DROP SCHEMA IF EXISTS ${schema}_own CASCADE`);
    await client.end();
  });

  it('has its rows found by vector, with their columns as facts', async () => {
    const hits = await collection.searchVector({
      vector: axis(0),
      topK: 2,
      filter: scopeFilter(LOCAL_SCOPE),
    });
    expect(hits.map(({ score }) => score)).toEqual([1, expect.closeTo(0.9939, 3)]);
    const [first] = hits;
    expect(first?.chunk).toMatchObject({
      documentId: 'bug_report:BUG-001',
      tenant: 'default',
      source: 'bug_report',
      access: { groups: ['*'], level: 0 },
      content: 'Bug ID: BUG-001\nSeverity: P1',
      identifiers: ['bug-001', 'bug-001'],
      metadata: {
        source: 'BUG-001',
        sourceType: 'bug_report',
        source_id: 'BUG-001',
        severity: 'P1',
        services: ['pay'],
      },
    });
    expect(first?.chunk.metadata.createdAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(hits[1]?.chunk.content).toBe(ROWS[1][2]);
    expect(await collection.get([first?.chunk.id ?? ''])).toEqual([first?.chunk]);
  });

  it('has its rows filtered by columns, metadata and system fields', async () => {
    const find = async (filter: Parameters<typeof and>[0]) => {
      const hits = await collection.searchVector({ vector: axis(0), topK: 9, filter });
      return hits.map(({ chunk }) => chunk.documentId);
    };
    expect(await find(eq('severity', 'P1'))).toEqual(['bug_report:BUG-001']);
    expect(await find(contains('services', 'pay'))).toEqual(['bug_report:BUG-001']);
    expect(await find(range('confidence', { gt: 0.9 }))).toEqual(['investigation:BUG-001']);
    expect(await find(eq('source_type', 'finding'))).toEqual(['finding:BUG-002:7d2f']);
    expect(await find(contains('$identifiers', 'bug-002'))).toEqual(['finding:BUG-002:7d2f']);
    expect(await find(and(prefix('source_id', 'BUG-001'), not(eq('sourceType', 'bug_report'))))).toEqual([
      'investigation:BUG-001',
    ]);
  });

  it('has what we write found by words, until the application deletes it', async () => {
    await collection.upsert([
      own('a', { searchText: 'cards fees' }),
      own('b', { searchText: 'cards limits' }),
    ]);
    const find = async (...terms: string[]) => {
      const hits = (await collection.rankText?.({ terms, topK: 9, filter: scopeFilter(LOCAL_SCOPE) })) ?? [];
      return hits.map(({ id, score }) => [id, Number(score.toFixed(4))]);
    };
    expect(await find('bug')).toEqual([]);
    expect(await find('cards', 'fees')).toEqual([
      ['a', 0.8755],
      ['b', 0.1823],
    ]);
    await client.query("DELETE FROM rag_documents WHERE chunk_metadata #>> '{$ragstone,id}' = 'b'");
    expect(await find('limits')).toEqual([]);
    await collection.optimize();
    expect(await find('cards')).toEqual([['a', 0.2877]]);
  });

  it('keeps every row of the application through all that we do', async () => {
    const before = await allRows();
    await collection.upsert([own('a'), own('b', { content: 'nul \0 and \u0001' })]);
    await collection.upsert([own('a', { content: 'again' })]);
    const ids = before.map(({ id }) => String(id));
    expect(await collection.delete(oneOf('$chunkId', ids))).toBe(0);
    expect(idsOf((await collection.list({ filter: EVERYTHING, limit: 9 })).chunks)).toEqual(['a', 'b']);
    expect(await collection.count(EVERYTHING)).toBe(2);
    await collection.optimize();
    expect(await collection.delete(EVERYTHING)).toBe(2);
    await collection.upsert([own('c')]);
    await store.drop('main');
    expect(await store.describe('main')).toBeUndefined();
    expect(await allRows()).toEqual(before);
  });

  it('lists, counts and deletes rows of the application by source type and id', async () => {
    const filter = and(scopeFilter(LOCAL_SCOPE), ragDocumentsOf('bug_report', 'BUG-001'));
    expect(await collection.count(filter)).toBe(1);
    expect((await collection.list({ filter, limit: 5 })).chunks).toHaveLength(1);
    expect(await collection.delete(filter)).toBe(1);
    expect((await allRows()).map(({ source_type }) => source_type)).toEqual(['investigation', 'finding']);
  });

  it('gets rows of ours that its application can read and delete', async () => {
    const long = `docs/${'x'.repeat(120)}.md`;
    const records = [
      own('r1', {
        content: 'One',
        source: 'wiki',
        metadata: { sourceType: 'markdown', source: 'docs/a.md', n: 1 },
      }),
      own('r2', {
        metadata: { sourceType: 'a kind with a very long name indeed', source: long, nul: 'a\0b' },
      }),
    ];
    await collection.upsert(records);
    const rows = (await allRows()).slice(ROWS.length);
    expect(rows.find(({ source_id }) => source_id === 'docs/a.md')).toMatchObject({
      source_type: 'markdown',
      chunk_text: 'One',
      chunk_metadata: { sourceType: 'markdown', source: 'docs/a.md', n: 1 },
      created_at: expect.any(Date) as Date,
    });
    expect(rows.every(({ source_id }) => String(source_id).length <= 100)).toBe(true);
    expect(await collection.get(['r2', 'r1'])).toEqual(stored(...records.toReversed()));
    const hits = await collection.searchVector({ vector: direction(1), topK: 9, filter: eq('nul', 'a\0b') });
    expect(idsOf(hits)).toEqual(['r2']);
    await client.query(
      "DELETE FROM rag_documents WHERE source_type = 'markdown' AND source_id = 'docs/a.md'",
    );
    expect(idsOf((await collection.list({ filter: EVERYTHING, limit: 9 })).chunks)).toEqual(['r2']);
  });

  it('keeps created_at and moves updated_at when a row of ours is written again', async () => {
    await collection.upsert([own('a')]);
    await client.query("UPDATE rag_documents SET created_at = '2020-01-01', updated_at = '2020-01-01'");
    await collection.upsert([own('a')]);
    const [row] = (await allRows()).filter(({ chunk_metadata }) =>
      JSON.stringify(chunk_metadata).includes('"a"'),
    );
    expect(row?.created_at).toEqual(new Date(await dateOf('2020-01-01')));
    expect(row?.updated_at).not.toEqual(row?.created_at);
  });

  it('refuses every scope but the one', async () => {
    const other = scopeFilter({ ...LOCAL_SCOPE, tenant: 'globex' });
    const project = scopeFilter({ ...LOCAL_SCOPE, project: 'p' });
    for (const filter of [other, project]) {
      const refused = {
        reason: 'STORE_FILTER_UNSUPPORTED',
        message: expect.stringContaining('one tenant') as string,
      };
      await expect(collection.searchVector({ vector: axis(0), topK: 1, filter })).rejects.toMatchObject(
        refused,
      );
      await expect(collection.delete(filter)).rejects.toMatchObject(refused);
      await expect(collection.list({ filter, limit: 1 })).rejects.toMatchObject(refused);
      await expect(collection.count(filter)).rejects.toMatchObject(refused);
    }
    for (const changes of [
      { tenant: 'globex' },
      { project: 'p' },
      { access: { groups: ['dev'], level: 0 } },
      { access: { groups: ['*'], level: 1 } },
      { metadata: { $ragstone: {} } },
    ])
      await expect(collection.upsert([own('good'), own('bad', changes)])).rejects.toMatchObject({
        reason: 'STORE_INVALID_RECORD',
      });
    expect(await collection.count(EVERYTHING)).toBe(0);
  });

  it('refuses another model, other dimensions and a table that is not there', async () => {
    await expect(store.open({ ...SPEC, dimensions: 9 })).rejects.toMatchObject({
      reason: 'STORE_DIMENSION_MISMATCH',
    });
    const foreign = { ...SPEC, name: 'other', fingerprint: '["builtin","1",8]' };
    await expect(store.open(foreign)).rejects.toMatchObject({ reason: 'STORE_FINGERPRINT_MISMATCH' });
    await expect(store.open({ ...SPEC, fingerprint: 'all-MiniLM-L6-v2 r2' })).rejects.toMatchObject({
      reason: 'STORE_FINGERPRINT_MISMATCH',
    });
    const missing = makeStore({ tableSchema: 'nowhere' });
    await expect(missing.open(SPEC)).rejects.toMatchObject({ reason: 'CONFIG_INVALID' });
    await missing.close();
  });

  it('keeps collections of ours apart in one table', async () => {
    const second = await store.open({ ...SPEC, name: 'second' });
    await collection.upsert([own('a', { content: 'main' })]);
    await second.upsert([own('a', { content: 'second' })]);
    expect((await collection.get(['a']))[0]?.content).toBe('main');
    await store.drop('second');
    expect((await collection.get(['a']))[0]?.content).toBe('main');
    expect(await collection.count(EVERYTHING)).toBe(1);
  });

  it('is searched through its own index', async () => {
    const sql = `INSERT INTO rag_documents (source_type, source_id, chunk_text, embedding)
      SELECT 'finding', 'F-' || i, 'text', ARRAY[random(), random(), random(), random(), random(), random(), random(), random()]::vector
      FROM generate_series(1, 3000) AS i`;
    await client.query(sql);
    await client.query('ANALYZE rag_documents');
    const scansBefore = await indexScans();
    const filter = scopeFilter(LOCAL_SCOPE);
    // Visiting the default's candidates costs as much as reading a table this small, and the planner knows.
    const hasty = makeStore({ efSearch: 40 });
    const table = await hasty.open(SPEC);
    const hits = await table.searchVector({ vector: direction(1, 1, 1, 1), topK: 5, filter });
    await hasty.close();
    expect(hits).toHaveLength(5);
    await expect.poll(indexScans).toBeGreaterThan(scansBefore);
  });
});

async function indexScans(): Promise<number> {
  const sql = `SELECT idx_scan::int AS scans FROM pg_stat_user_indexes
    WHERE schemaname = $1 AND indexrelname = 'idx_rag_documents_embedding_hnsw'`;
  const { rows } = await client.query<{ scans: number }>(sql, [schema]);
  return rows[0]?.scans ?? 0;
}

async function dateOf(text: string): Promise<Date> {
  const { rows } = await client.query<{ date: Date }>('SELECT $1::timestamptz AS date', [text]);
  return rows[0]?.date ?? new Date(0);
}
