import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { type StoreDifferences, testVectorStore } from '../../testing/index.js';
import { createUsearchStore, type UsearchStoreOptions } from '../usearch-store.js';

interface Kind extends Omit<UsearchStoreOptions, 'path'> {
  readonly differences?: StoreDifferences;
}

const KINDS: readonly Kind[] = [
  { index: 'flat' },
  { index: 'hnsw' },
  // A graph from the first row on, so that the contract is kept by the graph too.
  {
    index: 'hnsw',
    graphRows: 1,
    differences: {
      approximateVectorSearch: 'HNSW follows edges of a graph and may not reach a near record.',
    },
  },
];

for (const { differences = {}, ...kind } of KINDS)
  testVectorStore({
    name: `usearch ${JSON.stringify(kind)}`,
    runner: { describe, it },
    differences,
    create: async () => {
      const path = mkdtempSync(join(tmpdir(), 'ragstone-usearch-'));
      return {
        store: createUsearchStore({ path, ...kind }),
        reopen: async () => createUsearchStore({ path, ...kind }),
        makeSchemaNewer: async (collection) => {
          const toError = (_kind: string, cause: unknown) => new Error('cannot prepare', { cause });
          const database = SqliteDatabase.open(join(path, 'records.db'), { toError });
          database.run('UPDATE store_collection SET format = 99 WHERE name = ?', collection);
          database.close();
        },
        cleanup: async () => rmSync(path, { recursive: true, force: true }),
      };
    },
  });
