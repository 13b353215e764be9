import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { FaultyStore } from '../../../tests/failover/faulty-store.js';
import { IS_LONG } from '../../../tests/long-forms.js';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { testVectorStore } from '../../testing/index.js';
import { createLibsqlStore } from '../libsql/libsql-store.js';
import { storeError } from '../libsql/store-errors.js';
import { createMemoryStore } from '../memory/memory-store.js';
import { VectorStoreManager } from './store-manager.js';

const runner = { describe, it };

/** Work of two managers in one process, in turn, as a lock would have it. */
function inTurns() {
  let turn: Promise<unknown> = Promise.resolve();
  return <Result>(what: 'write' | 'copy', work: () => Promise<Result>): Promise<Result> => {
    if (what === 'copy') return work();
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  };
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'ragstone-failover-'));

testVectorStore({
  name: 'two stores in memory, kept in step',
  runner,
  create: async () => {
    const folder = newFolder();
    const stores = { first: createMemoryStore(), second: createMemoryStore() };
    const { store } = new VectorStoreManager({ stores, folder });
    return { store, cleanup: async () => rmSync(folder, { recursive: true, force: true }) };
  },
});

/** The whole contract of all four takes minutes. */

for (const out of IS_LONG ? (['first', 'second'] as const) : (['first'] as const))
  testVectorStore({
    name: `two stores kept in step, of which the ${out} does not answer`,
    runner,
    randomFilters: 50,
    create: async () => {
      const folder = newFolder();
      const stores = { first: new FaultyStore('first'), second: new FaultyStore('second') };
      const manager = new VectorStoreManager({
        stores: { first: stores.first.handle(), second: stores.second.handle() },
        folder,
      });
      // The first journal of an index needs the first store.
      await manager.adopt([]);
      stores[out].isOut = true;
      const store: typeof manager.store = {
        ...manager.store,
        capabilities: { ...manager.store.capabilities, persistent: false },
      };
      return { store, cleanup: async () => rmSync(folder, { recursive: true, force: true }) };
    },
  });

(IS_LONG ? testVectorStore : () => undefined)({
  name: 'two libSQL stores kept in step',
  runner,
  randomFilters: 50,
  create: async () => {
    const folder = newFolder();
    const exclusively = inTurns();
    const open = () =>
      new VectorStoreManager({
        stores: {
          first: createLibsqlStore({ path: join(folder, 'first.db') }),
          second: createLibsqlStore({ path: join(folder, 'second.db') }),
        },
        folder: join(folder, 'failover'),
        exclusively,
      }).store;
    return {
      store: open(),
      reopen: async () => open(),
      makeSchemaNewer: async (collection) => {
        for (const name of ['first.db', 'second.db']) {
          const path = join(folder, name);
          const toError = (kind: Parameters<typeof storeError>[1], cause: unknown) =>
            storeError(path, kind, cause);
          const database = SqliteDatabase.open(path, { toError });
          database.run('UPDATE store_collection SET format = 99 WHERE name = ?', collection);
          database.close();
        }
      },
      cleanup: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
});
