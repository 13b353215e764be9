import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { testVectorStore } from '../../testing/index.js';
import { createLibsqlStore } from './libsql-store.js';
import { storeError } from './store-errors.js';

testVectorStore({
  name: 'libsql',
  runner: { describe, it },
  create: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ragstone-libsql-'));
    const path = join(folder, 'store.db');
    return {
      store: createLibsqlStore({ path }),
      reopen: async () => createLibsqlStore({ path }),
      makeSchemaNewer: async (collection) => {
        const database = SqliteDatabase.open(path, {
          toError: (kind, cause) => storeError(path, kind, cause),
        });
        database.run('UPDATE store_collection SET format = 99 WHERE name = ?', collection);
        database.close();
      },
      cleanup: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
});
