import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AT, planned, targetOf } from '../../testing/ledger/records.js';
import { ledgerError } from './faults.js';
import { openPostgresLedger } from './postgres-ledger.js';

const connectionString = process.env.RAGSTONE_TEST_POSTGRES_URL;
const SECRET = 'p4ss-w0rd';

describe('faults of the server', () => {
  it('have a reason by their SQLSTATE, and a message that says what to do, without data', () => {
    const errorOf = (code: string) =>
      ledgerError(Object.assign(new Error('secret text'), { code, detail: 'secret row' }), {
        action: 'plan documents',
        address: 'host:1/db',
      });
    const reasons = {
      ECONNREFUSED: 'INDEX_UNAVAILABLE',
      '57P01': 'INDEX_UNAVAILABLE',
      '53300': 'INDEX_UNAVAILABLE',
      '57014': 'INDEX_UNAVAILABLE',
      '28P01': 'CONFIG_INVALID',
      '3D000': 'CONFIG_INVALID',
      '25006': 'INDEX_READ_ONLY',
      '42501': 'INDEX_READ_ONLY',
      '53100': 'INDEX_DISK_FULL',
      '40P01': 'INDEX_LOCKED',
      '42P01': 'INDEX_DAMAGED',
      XX001: 'INDEX_DAMAGED',
      '22P02': 'INTERNAL',
    };
    for (const [code, reason] of Object.entries(reasons)) {
      const error = errorOf(code);
      expect([code, error.reason]).toEqual([code, reason]);
      expect(error.message).toContain('host:1/db');
      expect(error.message).toContain(code);
      expect(error.message).not.toContain('secret');
    }
  });

  it('that is not there is INDEX_UNAVAILABLE, named without credentials', async () => {
    const url = `postgres://user:${SECRET}@127.0.0.1:1/db`;
    const error: unknown = await openPostgresLedger({ connectionString: url, retries: 0 }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      reason: 'INDEX_UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('127.0.0.1:1/db') as string,
    });
    expect(String(error)).not.toContain(SECRET);
  });
});

describe.skipIf(connectionString === undefined)(
  'a server that runs (RAGSTONE_TEST_POSTGRES_URL names one)',
  () => {
    let schema: string;
    const open = (changes = {}) => openPostgresLedger({ connectionString, schema, poolSize: 2, ...changes });

    beforeEach(() => {
      schema = `faults_${randomUUID().replaceAll('-', '')}`;
    });

    afterEach(() => execute(`DROP SCHEMA IF EXISTS ${schema} CASCADE`));

    it('without a ledger is INDEX_EMPTY to a reader, which makes nothing', async () => {
      await expect(open({ readOnly: true })).rejects.toMatchObject({ reason: 'INDEX_EMPTY' });
      const [row] = await execute(`SELECT to_regnamespace('${schema}') AS found`);
      expect(row).toEqual({ found: null });
    });

    it('with a ledger of a newer version is INDEX_SCHEMA_TOO_NEW, to readers too', async () => {
      await (await open()).close();
      await execute(`INSERT INTO ${schema}.ragstone_ledger_version VALUES (99)`);
      await expect(open()).rejects.toMatchObject({ reason: 'INDEX_SCHEMA_TOO_NEW' });
      await expect(open({ readOnly: true })).rejects.toMatchObject({ reason: 'INDEX_SCHEMA_TOO_NEW' });
    });

    it('is prepared once by many that open it at the same time', async () => {
      const ledgers = await Promise.all(Array.from({ length: 6 }, () => open()));
      const begun = await Promise.all(ledgers.map((ledger) => ledger.begin(targetOf, AT)));
      expect(begun.map(({ generation }) => generation).sort()).toEqual([1, 2, 3, 4, 5, 6]);
      await Promise.all(ledgers.map((ledger) => ledger.close()));
    });

    it('tells a role that may only read', async () => {
      const owner = await open();
      const { generation } = await owner.begin(targetOf, AT);
      await owner.close();
      const role = `reader_${randomUUID().slice(0, 8)}`;
      await execute(`CREATE ROLE ${role} LOGIN PASSWORD '${SECRET}'; GRANT USAGE ON SCHEMA ${schema} TO ${role};
        GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
      const url = new URL(connectionString ?? '');
      url.username = role;
      url.password = SECRET;
      const reader = await open({ connectionString: url.href });
      expect((await reader.generations()).map((facts) => facts.generation)).toEqual([generation]);
      await expect(reader.writer(generation, 'run').plan([planned('d')])).rejects.toMatchObject({
        reason: 'INDEX_READ_ONLY',
      });
      await reader.close();
      await execute(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    });

    it('that has lost tables is INDEX_DAMAGED, and integrity names them', async () => {
      const ledger = await open();
      const { generation } = await ledger.begin(targetOf, AT);
      await execute(`DROP TABLE ${schema}.ragstone_ledger_chunk`);
      expect(await ledger.integrity()).toEqual(['table ragstone_ledger_chunk is missing']);
      await expect(ledger.reader(generation).allChunks(undefined, 9)).rejects.toMatchObject({
        reason: 'INDEX_DAMAGED',
      });
      await ledger.close();
    });

    it('whose connections are cut is connected to again without the caller noticing', async () => {
      const ledger = await open();
      const { generation } = await ledger.begin(targetOf, AT);
      const writer = ledger.writer(generation, 'run');
      for (let i = 0; i < 3; i++) {
        await execute(
          // Other tests work on the server meanwhile.
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE application_name = 'ragstone' AND query LIKE '%${schema}%' AND pid <> pg_backend_pid()`,
        );
        await writer.plan([planned(`d${i}`)]);
      }
      expect(await writer.documents(undefined, 9)).toHaveLength(3);
      await ledger.close();
    });

    it('is not asked any more after the ledger was closed', async () => {
      const ledger = await open();
      await ledger.close();
      await expect(ledger.live()).rejects.toMatchObject({ reason: 'USAGE' });
    });
  },
);

async function execute(sql: string): Promise<object[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}
