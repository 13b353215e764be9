import { randomUUID } from 'node:crypto';
import * as lancedb from '@lancedb/lancedb';
import * as arrow from 'apache-arrow';
import { describe, it } from 'vitest';
import { testVectorStore } from '../../testing/index.js';
import { withTestServer } from '../../testing/with-test-server.js';
import { createLanceDbStore } from './lancedb-store.js';
import { SCHEMA_VERSION, tableSchema } from './table-schema.js';

const BUCKET = 'ragstone';

withTestServer({ describe, it }, { store: 'lancedb-s3', variable: 'RAGSTONE_TEST_S3_URL' }, (endpoint) => {
  const storageOptions = {
    endpoint,
    region: 'us-east-1',
    awsAccessKeyId: process.env.RAGSTONE_TEST_S3_KEY ?? 'testkey',
    awsSecretAccessKey: process.env.RAGSTONE_TEST_S3_SECRET ?? 'testsecret123',
    allowHttp: 'true',
    virtualHostedStyleRequest: 'false',
  };
  testVectorStore({
    name: 'lancedb on S3',
    runner: { describe, it },
    timeoutMs: 240_000,
    randomFilters: 40,
    differences: {
      lexicalStatisticsAtOptimize:
        'Lance keeps BM25 statistics in the index and merges new rows into it at optimize().',
    },
    create: async () => {
      const path = `s3://${BUCKET}/${randomUUID()}`;
      await fetch(new URL(BUCKET, endpoint), { method: 'PUT' });
      const make = () => createLanceDbStore({ path, storageOptions });
      return {
        store: make(),
        reopen: () => Promise.resolve(make()),
        makeSchemaNewer: async (name) => {
          const spec = { name, dimensions: 8, fingerprint: 'model-a@1:8' };
          const connection = await lancedb.connect(path, { storageOptions });
          const schema = tableSchema(arrow, spec, SCHEMA_VERSION + 1);
          await connection.createEmptyTable(name, schema, { mode: 'overwrite' });
        },
        cleanup: async () => {
          const store = make();
          for (const name of ['contract', 'notes', 'other-notes_2']) await store.drop(name);
          await store.close();
        },
      };
    },
  });
});
