import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../core/filter.js';
import { record } from '../../testing/vector-store/records.js';
import type { VectorStore } from '../vector-store.js';
import { createPostgresStore } from './postgres-store.js';

const connectionString = process.env.RAGSTONE_TEST_POSTGRES_URL;
const SPEC = { name: 'faults', dimensions: 8, fingerprint: 'm' };
const SECRET = 'p4ss-w0rd';

describe('a server that is not there', () => {
  it('is STORE_UNAVAILABLE, named without credentials', async () => {
    const store = createPostgresStore({
      connectionString: `postgres://user:${SECRET}@127.0.0.1:1/db`,
      retries: 0,
    });
    const opening = store.open(SPEC);
    await expect(opening).rejects.toMatchObject({
      reason: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('127.0.0.1:1/db') as string,
    });
    const error: unknown = await opening.catch((thrown: unknown) => thrown);
    expect(String(error)).not.toContain(SECRET);
    expect((await store.health()).ok).toBe(false);
    await store.close();
  });

  it('whose connection string cannot be read is CONFIG_INVALID, without the string', async () => {
    const store = createPostgresStore({ connectionString: `postgres://user:${SECRET}@host:no port/x` });
    const error: unknown = await store.open(SPEC).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: 'CONFIG_INVALID' });
    const { message, cause } = error as Error;
    expect(`${message} ${JSON.stringify(cause)}`).not.toContain(SECRET);
    await store.close();
  });
});

const TITLE = 'a server that runs (RAGSTONE_TEST_POSTGRES_URL names one with pgvector)';

describe.skipIf(connectionString === undefined)(TITLE, () => {
  let schema: string;
  let store: VectorStore;

  beforeEach(async () => {
    schema = `faults_${randomUUID().replaceAll('-', '')}`;
    store = createPostgresStore({
      connectionString: connectionString ?? '',
      schema,
      poolSize: 2,
      timeoutMs: 400,
    });
    // Made with time to spare: what is tested comes after.
    const maker = createPostgresStore({ connectionString: connectionString ?? '', schema });
    await (await maker.open(SPEC)).upsert([record('a')]);
    await maker.close();
  });

  afterEach(async () => {
    await store.close();
    await execute(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  });

  it('whose table is locked by another session is STORE_TIMEOUT, and leaves no statement behind', async () => {
    const collection = await store.open(SPEC);
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ${schema}.chunks_1 IN ACCESS EXCLUSIVE MODE`);
    await expect(collection.upsert([record('b')])).rejects.toMatchObject({ reason: 'STORE_TIMEOUT' });
    await client.query('ROLLBACK');
    await client.end();
    expect(await collection.count(EVERYTHING)).toBe(1);
  });

  it('tells a role that may only read', async () => {
    const role = `reader_${randomUUID().slice(0, 8)}`;
    await execute(`CREATE ROLE ${role} LOGIN PASSWORD '${SECRET}'; GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
    const url = new URL(connectionString ?? '');
    const reader = createPostgresStore({
      host: url.hostname,
      port: Number(url.port || 5432),
      database: url.pathname.slice(1),
      user: role,
      password: SECRET,
      schema,
    });
    const collection = await reader.open(SPEC);
    expect(await collection.count(EVERYTHING)).toBe(1);
    await expect(collection.upsert([record('b')])).rejects.toMatchObject({ reason: 'STORE_READ_ONLY' });
    await expect(reader.open({ ...SPEC, name: 'new' })).rejects.toMatchObject({ reason: 'STORE_READ_ONLY' });
    await reader.close();
    await execute(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  it('has lost a table: STORE_DAMAGED, dropped and made again', async () => {
    await execute(`DROP TABLE ${schema}.chunks_1`);
    await expect(store.open(SPEC)).rejects.toMatchObject({ reason: 'STORE_DAMAGED' });
    await store.drop(SPEC.name);
    expect(await (await store.open(SPEC)).count(EVERYTHING)).toBe(0);
  });

  it('tells a handle that its collection was dropped', async () => {
    const collection = await store.open(SPEC);
    await store.drop(SPEC.name);
    await store.open(SPEC);
    await expect(collection.count(EVERYTHING)).rejects.toMatchObject({ reason: 'COLLECTION_NOT_FOUND' });
  });
});

async function execute(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql);
  await client.end();
}
