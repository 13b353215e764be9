import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { RAGError } from '../../core/errors.js';
import { isUnreadable, type Source, type SourceItem } from '../source.js';
import { createSqlSource, type SqlSourceOptions } from './sql-source.js';

const postgresUrl = process.env.RAGSTONE_TEST_POSTGRES_URL;
if (postgresUrl === undefined)
  console.warn('skipped: SQL source on PostgreSQL; RAGSTONE_TEST_POSTGRES_URL names no server');

/** A database that a test writes to behind the source's back. */
interface Bench {
  readonly connection: SqlSourceOptions['connection'];
  run(sql: string): Promise<void>;
  close(): Promise<void>;
}

async function sqliteBench(): Promise<Bench> {
  const path = join(mkdtempSync(join(tmpdir(), 'ragstone-sql-')), 'bugs #1.db');
  const database = new Database(path);
  return {
    connection: { dialect: 'sqlite', path },
    run: async (sql) => void database.exec(sql),
    close: async () => void database.close(),
  };
}

async function postgresBench(): Promise<Bench> {
  const client = new pg.Client(postgresUrl);
  await client.connect();
  const name = `ragstone_sql_${process.pid}`;
  await client.query(`DROP DATABASE IF EXISTS ${name}`);
  await client.query(`CREATE DATABASE ${name}`);
  const url = new URL(postgresUrl ?? '');
  url.pathname = `/${name}`;
  const inside = new pg.Client(url.href);
  await inside.connect();
  return {
    connection: { dialect: 'postgres', connectionString: url.href },
    run: async (sql) => void (await inside.query(sql)),
    close: async () => {
      await inside.end();
      await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await client.end();
    },
  };
}

const listed = async (source: Source): Promise<SourceItem[]> => {
  const items: SourceItem[] = [];
  for await (const item of source.list()) if (!isUnreadable(item)) items.push(item);
  return items;
};

const versions = async (source: Source): Promise<Map<string, string>> =>
  new Map((await listed(source)).map(({ id, version }) => [id, version]));

const readOne = async (source: Source, id: string) => {
  const { documents } = await source.read({ id, version: '' });
  const [document] = documents;
  if (document === undefined) throw new Error('no document');
  return document;
};

const reasonOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => (RAGError.isInstance(error) ? error.reason : error),
  );

describe.for([
  { dialect: 'SQLite', open: sqliteBench, isSkipped: false },
  { dialect: 'PostgreSQL', open: postgresBench, isSkipped: postgresUrl === undefined },
])('rows of $dialect', ({ dialect, open, isSkipped }) => {
  const test = it.skipIf(isSkipped);
  let bench: Bench;
  beforeAll(async () => {
    if (!isSkipped) bench = await open();
  });
  afterAll(async () => {
    if (!isSkipped) await bench.close();
  });
  beforeEach(async () => {
    if (isSkipped) return;
    await bench.run('DROP TABLE IF EXISTS bugs');
    await bench.run(
      'CREATE TABLE bugs (id bigint PRIMARY KEY, title text, body text, priority text, votes bigint, changed timestamp, gone timestamp)',
    );
    await bench.run(
      "INSERT INTO bugs VALUES (1, 'Crash', 'It falls', 'P1', 3, '2024-05-01 10:00:00', NULL), (9007199254740993, 'Big', 'Large key', 'P2', 9007199254740995, '2024-05-02 10:00:00', NULL), (10, 'Old', 'Deleted', 'P3', 0, '2024-05-01 10:00:00', '2024-05-03 00:00:00')",
    );
  });

  const open1 = (options: Partial<SqlSourceOptions> = {}): Source =>
    createSqlSource({
      name: 'bugs',
      connection: bench.connection,
      table: 'bugs',
      key: ['id'],
      title: '{title}',
      content: ['body'],
      fields: { priority: 'priority', votes: 'votes' },
      updatedAt: 'changed',
      deletedAt: 'gone',
      link: 'https://bugs.example/{id}?t={title}',
      ...options,
    });

  test('become documents with typed fields, and rows marked as deleted are left out', async () => {
    const source = open1();
    expect([...(await versions(source)).keys()]).toEqual(['1', '9007199254740993']);
    expect(source.listingNotices?.()).toEqual(['1 row marked as deleted by "gone" left out.']);
    expect(await readOne(source, '1')).toMatchObject({
      externalId: '1',
      title: 'Crash',
      content: 'It falls',
      mediaType: 'text/plain',
      url: 'https://bugs.example/1?t=Crash',
      updatedAt: '2024-05-01T10:00:00.000Z',
      metadata: { priority: 'P1', votes: 3 },
    });
    expect((await readOne(source, '9007199254740993')).metadata.votes).toBe('9007199254740995');
    expect(await reasonOf(source.read({ id: '10', version: '' }))).toBe('DOCUMENT_VANISHED');
    expect(await reasonOf(source.read({ id: '77', version: '' }))).toBe('DOCUMENT_VANISHED');
  });

  test('change their version with `updatedAt` alone, where one is named', async () => {
    const source = open1();
    const before = await versions(source);
    await bench.run("UPDATE bugs SET body = 'unseen' WHERE id = 1");
    expect(await versions(source)).toEqual(before);
    await bench.run("UPDATE bugs SET changed = '2024-05-01 10:00:01' WHERE id = 1");
    expect((await versions(source)).get('1')).not.toBe(before.get('1'));
  });

  test('change their version with any column that is used, where none is named', async () => {
    const source = createSqlSource({
      name: 'bugs',
      connection: bench.connection,
      table: 'bugs',
      key: ['id'],
      content: ['body'],
    });
    const before = await versions(source);
    await bench.run("UPDATE bugs SET priority = 'P9' WHERE id = 1");
    expect(await versions(source)).toEqual(before);
    await bench.run("UPDATE bugs SET body = 'seen' WHERE id = 1");
    expect((await versions(source)).get('1')).not.toBe(before.get('1'));
  });

  test('come in pages by key, none twice and none missing, and are read in batches', async () => {
    await bench.run('DELETE FROM bugs');
    const rows = Array.from(
      { length: 6_001 },
      (_, n) => `(${n * 3 - 900}, 't', 'body ${n}', '2024-05-01 10:00:00')`,
    );
    await bench.run(`INSERT INTO bugs (id, title, body, changed) VALUES ${rows.join(', ')}`);
    const source = open1();
    const items = await listed(source);
    expect(items).toHaveLength(6_001);
    expect(new Set(items.map(({ id }) => id)).size).toBe(6_001);
    const wanted = items.filter((_, index) => index % 7 === 0);
    source.expectReads?.(wanted);
    const texts = await Promise.all(wanted.map(async ({ id }) => (await readOne(source, id)).content));
    expect(texts).toEqual(wanted.map(({ id }) => `body ${(Number(id) + 900) / 3}`));
  });

  test('may have keys of several columns, whose ids never meet', async () => {
    await bench.run('DROP TABLE IF EXISTS findings');
    await bench.run(
      'CREATE TABLE findings (bug_id text, id text, category text, severity text, finding text)',
    );
    await bench.run(
      "INSERT INTO findings VALUES ('a:b', 'c', 'x', 'high', 'one'), ('a', 'b:c', 'x', 'low', 'two')",
    );
    const source = createSqlSource({
      name: 'f',
      connection: bench.connection,
      table: 'findings',
      template: 'finding',
    });
    const ids = (await listed(source)).map(({ id }) => id).sort();
    expect(ids).toEqual(['a%3Ab:c', 'a:b%3Ac']);
    const fresh = createSqlSource({
      name: 'f',
      connection: bench.connection,
      table: 'findings',
      template: 'finding',
    });
    expect((await readOne(fresh, 'a:b%3Ac')).content).toBe(
      'Bug ID: a\nCategory: x\nSeverity: low\nFinding: two',
    );
  });

  test('without a key, or with the same, are reported', async () => {
    await bench.run('DROP TABLE IF EXISTS loose');
    await bench.run('CREATE TABLE loose (k text, body text)');
    await bench.run("INSERT INTO loose VALUES ('a', '1'), ('a', '2'), (NULL, '3')");
    const source = createSqlSource({
      name: 'l',
      connection: bench.connection,
      table: 'loose',
      key: ['k'],
      content: ['body'],
    });
    await listed(source);
    expect(source.listingNotices?.()).toEqual([
      '1 row without a key (k) left out: nothing tells them apart.',
    ]);
    expect(await reasonOf(source.read({ id: 'a', version: '' }))).toBe('DOCUMENT_DUPLICATE_ID');
  });

  test('may come from a query', async () => {
    const query =
      "SELECT id, body AS text, 'a;b' AS c FROM bugs WHERE priority = 'P1'; -- only urgent; not others";
    const source = createSqlSource({
      name: 'q',
      connection: bench.connection,
      query,
      key: ['id'],
      text: '{text}: {c}',
    });
    expect(await listed(source)).toHaveLength(1);
    expect((await readOne(source, '1')).content).toBe('It falls: a;b');
  });

  test('are not touched by hostile names and queries', async () => {
    const hostile = createSqlSource({
      name: 'h',
      connection: bench.connection,
      table: 'bugs"; DROP TABLE bugs; --',
      key: ['id'],
      content: ['body'],
    });
    expect(await reasonOf(listed(hostile))).toBe('SOURCE_REJECTED');
    const query = (text: string) => () =>
      createSqlSource({
        name: 'h',
        connection: bench.connection,
        query: text,
        key: ['id'],
        content: ['body'],
      });
    expect(query('SELECT id, body FROM bugs) x; COMMIT; DELETE FROM bugs; SELECT (1')).toThrow(
      /must be one SELECT/,
    );
    expect(query("SELECT id, ''';''' AS body FROM bugs")).not.toThrow();
    expect(await reasonOf(listed(query('DELETE FROM bugs RETURNING id, body')()))).toBe('SOURCE_REJECTED');
    expect(await listed(open1())).toHaveLength(2);
  });

  test('that are not there are named with what to do, and without the secret', async () => {
    const source = open1({ table: 'nothing' });
    const error = await listed(source).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(
      dialect === 'SQLite' ? /no such table: nothing/ : /"nothing" does not exist/,
    );
    expect(String(error)).toContain('Check `table`, `query` and the names of the columns.');
  });
});

describe('a text of SQLite that is no UTF-8', () => {
  const BROKEN = "CAST(x'6f616bfe' AS TEXT)";
  let bench: Bench;
  beforeAll(async () => {
    bench = await sqliteBench();
  });
  afterAll(() => bench.close());
  beforeEach(async () => {
    await bench.run('DROP TABLE IF EXISTS notes');
    await bench.run('CREATE TABLE notes (id text PRIMARY KEY, body text, changed text)');
    await bench.run(
      "INSERT INTO notes VALUES ('a', 'The oak.', '2024-05-01'), ('b', 'The elm.', '2024-05-01')",
    );
  });
  const open1 = (options: Partial<SqlSourceOptions> = {}): Source =>
    createSqlSource({
      name: 'notes',
      connection: bench.connection,
      table: 'notes',
      key: ['id'],
      content: ['body'],
      ...options,
    });

  it.each([{}, { updatedAt: 'changed' }])('fails its row and no other one (%j)', async (options) => {
    await bench.run(`UPDATE notes SET body = ${BROKEN} WHERE id = 'a'`);
    const source = open1(options);
    expect([...(await versions(source)).keys()]).toEqual(['a', 'b']);
    await expect(readOne(source, 'a')).rejects.toMatchObject({
      reason: 'DOCUMENT_INVALID',
      message: expect.stringContaining('"body"') as string,
    });
    expect((await readOne(source, 'b')).content).toBe('The elm.');
  });

  it('changes the version of its row', async () => {
    const before = await versions(open1());
    await bench.run(`UPDATE notes SET body = ${BROKEN} WHERE id = 'a'`);
    const broken = await versions(open1());
    expect(broken.get('a')).not.toBe(before.get('a'));
    expect(broken.get('b')).toBe(before.get('b'));
  });

  it('as a key, or as the time of a change, is said', async () => {
    await bench.run(`UPDATE notes SET changed = ${BROKEN} WHERE id = 'a'`);
    expect([...(await versions(open1({ updatedAt: 'changed' }))).keys()]).toEqual(['a', 'b']);
    await bench.run(`UPDATE notes SET id = ${BROKEN} WHERE id = 'a'`);
    const error: unknown = await listed(open1()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: 'SOURCE_UNREADABLE' });
    expect(String(error)).toContain('6f616bfe');
  });
});

describe('a source of PostgreSQL', () => {
  const test = it.skipIf(postgresUrl === undefined);

  test('ends a statement that takes too long', async () => {
    const source = createSqlSource({
      name: 'slow',
      connection: { dialect: 'postgres', connectionString: postgresUrl ?? '' },
      query: 'SELECT 1 AS id, pg_sleep(20)::text AS body',
      key: ['id'],
      content: ['body'],
      timeoutMs: 200,
    });
    const error = await listed(source).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/57014.*timeoutMs/);
  });

  test.each([
    ['people', { table: 'ragstone_people' }, 'ragstone_people'],
    ['a schema', { table: 'public.ragstone_people' }, 'ragstone_people'],
    ['a query', { query: 'SELECT * FROM ragstone_people' }, 'ragstone:rows'],
    ['the name of all rows', { table: 'ragstone_people' }, 'ragstone:rows'],
  ])(
    'gives no text a whole row, with what is marked in it, under the name of %s',
    async (_, origin, name) => {
      const client = new pg.Client(postgresUrl);
      await client.connect();
      onTestFinished(() => client.end());
      await client.query('DROP TABLE IF EXISTS public.ragstone_people');
      await client.query('CREATE TABLE public.ragstone_people (id text, note text, salary text)');
      await client.query("INSERT INTO ragstone_people VALUES ('1', 'Ann works.', 'zirconflorin')");
      const read = async (text: string) => {
        const source = createSqlSource({
          ...{ name: 'people', key: ['id'], text, markedFields: ['salary'] },
          connection: { dialect: 'postgres', connectionString: postgresUrl ?? '' },
          ...origin,
        });
        await listed(source);
        return (await readOne(source, '1')).content;
      };
      await expect(read(`{note} {${name}}`)).rejects.toMatchObject({
        message: expect.stringContaining(name) as string,
      });
      expect(await read('{note} {salary}')).toBe('Ann works. ');
      await client.query('DROP TABLE ragstone_people');
    },
  );

  test('cannot write, whatever its query calls', async () => {
    const source = createSqlSource({
      name: 'writer',
      connection: { dialect: 'postgres', connectionString: postgresUrl ?? '' },
      query: 'SELECT 1 AS id, lo_create(0)::text AS body',
      key: ['id'],
      content: ['body'],
    });
    const error = await listed(source).catch((thrown: unknown) => thrown);
    expect(RAGError.isInstance(error) && error.details.code).toBe('25006');
  });
});

describe('settings that do not say what to read', () => {
  const connection = { dialect: 'sqlite', path: '/nowhere.db' } as const;
  it.each([
    [{ table: 't', content: ['a'] }, /lacks `key`/],
    [{ table: 't', key: ['id'] }, /lacks `text`/],
    [{ key: ['id'], content: ['a'] }, /needs one of `table` and `query`/],
    [{ table: 't', query: 'SELECT 1', key: ['id'], content: ['a'] }, /not both/],
  ])('%j', (options, message) => {
    expect(() => createSqlSource({ name: 's', connection, ...options })).toThrow(message);
  });

  it('a file that is not there is never made', async () => {
    const source = createSqlSource({ name: 's', connection, table: 't', key: ['id'], content: ['a'] });
    expect(await reasonOf(listed(source))).toBe('SOURCE_NOT_FOUND');
  });
});
