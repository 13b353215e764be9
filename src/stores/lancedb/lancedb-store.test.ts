import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as lancedb from '@lancedb/lancedb';
import * as arrow from 'apache-arrow';
import { describe, it } from 'vitest';
import { testVectorStore } from '../../testing/index.js';
import { createLanceDbStore } from './lancedb-store.js';
import { SCHEMA_VERSION, tableSchema } from './table-schema.js';

testVectorStore({
  name: 'lancedb',
  runner: { describe, it },
  differences: {
    lexicalStatisticsAtOptimize:
      'Lance keeps BM25 statistics in the index and merges new rows into it at optimize().',
    lexicalStatisticsOfAllTenants:
      'Lance ranks by the statistics of its index, which is one for all tenants.',
  },
  create: async () => {
    const path = await mkdtemp(join(tmpdir(), 'ragstone-lancedb-'));
    return {
      store: createLanceDbStore({ path }),
      reopen: () => Promise.resolve(createLanceDbStore({ path })),
      makeSchemaNewer: async (name) => {
        const spec = { name, dimensions: 8, fingerprint: 'model-a@1:8' };
        const connection = await lancedb.connect(path);
        const schema = tableSchema(arrow, spec, SCHEMA_VERSION + 1);
        await connection.createEmptyTable(name, schema, { mode: 'overwrite' });
      },
      cleanup: () => rm(path, { recursive: true, force: true }),
    };
  },
});
