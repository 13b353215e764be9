import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as lancedb from '@lancedb/lancedb';
import * as arrow from 'apache-arrow';
import { describe, it } from 'vitest';
import { testVectorStore } from '../../testing/index.js';
import { createLibsqlStore } from '../libsql/libsql-store.js';
import type { VectorStore } from '../vector-store.js';
import { withLexicalIndex } from '../with-lexical-index.js';
import { createLanceDbStore } from './lancedb-store.js';
import { SCHEMA_VERSION, tableSchema } from './table-schema.js';

/** The store as an engine has it: with an index of words beside it. */
const openStore = (folder: string): VectorStore =>
  withLexicalIndex(
    createLanceDbStore({ path: join(folder, 'vectors') }),
    createLibsqlStore({ path: join(folder, 'words.db') }),
  );

testVectorStore({
  name: 'lancedb',
  runner: { describe, it },
  create: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ragstone-lancedb-'));
    return {
      store: openStore(folder),
      reopen: () => Promise.resolve(openStore(folder)),
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
