import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, it } from 'vitest';
import { testVectorStore } from '../../testing/index.js';
import { createPostgresStore } from './postgres-store.js';

const connectionString = process.env.RAGSTONE_TEST_POSTGRES_URL;

if (connectionString === undefined)
  describe.skip('VectorStore contract: postgres (set RAGSTONE_TEST_POSTGRES_URL to a server with pgvector)', () => {
    it('needs a server', () => undefined);
  });
else
  testVectorStore({
    name: 'postgres',
    runner: { describe, it },
    create: async () => {
      const schema = `test_${randomUUID().replaceAll('-', '')}`;
      const make = () => createPostgresStore({ connectionString, schema, poolSize: 4 });
      return {
        store: make(),
        reopen: () => Promise.resolve(make()),
        makeSchemaNewer: (name) =>
          execute(`UPDATE ${schema}.collection SET format = format + 1 WHERE name = '${name}'`),
        cleanup: () => execute(`DROP SCHEMA IF EXISTS ${schema} CASCADE`),
      };
    },
  });

async function execute(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql);
  await client.end();
}
