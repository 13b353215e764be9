import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as lancedb from '@lancedb/lancedb';
import * as arrow from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { withTestServer } from '../../../tests/with-test-server.js';
import { createEngine } from '../../index.js';
import { testVectorStore } from '../../testing/index.js';
import { createLibsqlStore } from '../libsql/libsql-store.js';
import { withLexicalIndex } from '../with-lexical-index.js';
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
    create: async () => {
      const path = `s3://${BUCKET}/${randomUUID()}`;
      await fetch(new URL(BUCKET, endpoint), { method: 'PUT' });
      const words = await mkdtemp(join(tmpdir(), 'ragstone-s3-words-'));
      const make = () =>
        withLexicalIndex(
          createLanceDbStore({ path, storageOptions }),
          createLibsqlStore({ path: join(words, 'words.db') }),
        );
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
          await rm(words, { recursive: true });
        },
      };
    },
  });

  describe('an index in object storage, chosen by its configuration', () => {
    it('is built, searched, verified and cleared; keys stay out of sight', async () => {
      await fetch(new URL(BUCKET, endpoint), { method: 'PUT' });
      const dataDir = await mkdtemp(join(tmpdir(), 'ragstone-s3-'));
      const s3 = {
        url: `s3://${BUCKET}/${randomUUID()}`,
        endpoint,
        region: storageOptions.region,
        accessKeyId: storageOptions.awsAccessKeyId,
        secretAccessKey: storageOptions.awsSecretAccessKey,
      };
      const engine = await createEngine({ dataDir, config: { provider: 'lancedb', storage: { s3 } } });
      const documents = [{ id: 'note', text: 'The marmalade is on the third shelf.' }];
      expect(await engine.index({ documents })).toMatchObject({ success: true });
      const { results } = await engine.search('marmalade shelf');
      expect(results.map(({ metadata }) => metadata.source)).toEqual(['note']);
      const status = await engine.status();
      expect(status).toMatchObject({ provider: 'lancedb', chunks: 1 });
      expect(JSON.stringify(status)).not.toContain(s3.secretAccessKey);
      expect(await engine.verify()).toMatchObject({ ok: true });
      await engine.clear();
      await engine.close();
      await rm(dataDir, { recursive: true });
    });
  });
});
