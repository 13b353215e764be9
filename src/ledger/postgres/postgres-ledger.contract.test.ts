import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, it } from 'vitest';
import { withTestServer } from '../../../tests/with-test-server.js';
import { testLedger } from '../../testing/index.js';
import { openPostgresLedger } from './postgres-ledger.js';

const SERVER = {
  store: 'postgres-ledger',
  contract: 'Ledger contract',
  variable: 'RAGSTONE_TEST_POSTGRES_URL',
};

withTestServer({ describe, it }, SERVER, (connectionString) => {
  testLedger({
    name: 'postgres',
    runner: { describe, it },
    create: async ({ now, keepRevisions, keepsHistory }) => {
      const schema = `test_${randomUUID().replaceAll('-', '')}`;
      const options = { connectionString, schema, poolSize: 4, keepRevisions, keepsHistory, now };
      return {
        open: () => openPostgresLedger(options),
        openForReading: () => openPostgresLedger({ ...options, readOnly: true }),
        cleanup: async () => {
          const client = new pg.Client({ connectionString });
          await client.connect();
          await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
          await client.end();
        },
      };
    },
  });
});
