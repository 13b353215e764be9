import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, it } from 'vitest';
import { withTestServer } from '../../../tests/with-test-server.js';
import { type ServerRoute, testVectorStore } from '../../testing/index.js';
import type { PostgresStoreOptions } from './postgres-options.js';
import { createPostgresStore } from './postgres-store.js';

const VARIABLE = 'RAGSTONE_TEST_POSTGRES_URL';

withTestServer({ describe, it }, { store: 'postgres', variable: VARIABLE }, (connectionString) => {
  const execute = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  testVectorStore({
    name: 'postgres',
    runner: { describe, it },
    server: connectionString,
    create: async () => {
      const schema = `test_${randomUUID().replaceAll('-', '')}`;
      const make = (changes: Partial<PostgresStoreOptions> = {}) =>
        createPostgresStore({ connectionString, schema, poolSize: 4, ...changes });
      return {
        store: make(),
        reopen: async (route) => make(route === undefined ? {} : through(connectionString, route)),
        makeSchemaNewer: (name) =>
          execute(`UPDATE ${schema}.collection SET format = format + 1 WHERE name = '${name}'`),
        cleanup: () => execute(`DROP SCHEMA IF EXISTS ${schema} CASCADE`),
      };
    },
  });
});

function through(
  connectionString: string,
  { host, port, timeoutMs }: ServerRoute,
): Partial<PostgresStoreOptions> {
  const url = new URL(connectionString);
  url.host = `${host}:${port}`;
  return { connectionString: url.href, timeoutMs };
}
