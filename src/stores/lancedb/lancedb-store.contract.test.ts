import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as lancedb from '@lancedb/lancedb';
import * as arrow from 'apache-arrow';
import { describe, it } from 'vitest';
import { testVectorStore } from '../../testing/index.js';
import { SCHEMA_VERSION, tableSchema } from './table-schema.js';
import { openLanceDbWithWords } from './test-lancedb.js';

testVectorStore({
  name: 'lancedb',
  runner: { describe, it },
  create: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ragstone-lancedb-'));
    return {
      store: openLanceDbWithWords(folder),
      reopen: () => Promise.resolve(openLanceDbWithWords(folder)),
      makeSchemaNewer: async (name) => {
        const spec = { name, dimensions: 8, fingerprint: 'model-a@1:8' };
        const connection = await lancedb.connect(join(folder, 'vectors'));
        const schema = tableSchema(arrow, spec, SCHEMA_VERSION + 1);
        await connection.createEmptyTable(name, schema, { mode: 'overwrite' });
      },
      cleanup: () => rm(folder, { recursive: true, force: true }),
    };
  },
});
