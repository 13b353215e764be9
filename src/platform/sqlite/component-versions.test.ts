import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { componentVersion, setComponentVersion, UNKNOWN_VERSION } from './component-versions.js';
import { SqliteDatabase } from './sqlite-database.js';

let folder: string;
let database: SqliteDatabase;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-versions-'));
  database = SqliteDatabase.open(join(folder, 'file.db'), {
    toError: (_, cause) => new Error('sqlite', { cause }),
  });
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('versions of components', () => {
  it('are 0 in an empty file, and kept apart', () => {
    expect(componentVersion(database, 'ledger')).toBe(0);
    setComponentVersion(database, 'ledger', 3);
    expect(componentVersion(database, 'store')).toBe(0);
    setComponentVersion(database, 'store', 7);
    setComponentVersion(database, 'ledger', 4);
    expect([componentVersion(database, 'ledger'), componentVersion(database, 'store')]).toEqual([4, 7]);
  });

  it.each([
    ['ledger', 'facts', 'store'],
    ['store', 'collection', 'ledger'],
  ] as const)('of 0.1.0 were in user_version, and outlive the other part (%s)', (name, table, other) => {
    database.exec(`CREATE TABLE ${table} (x)`);
    database.exec('PRAGMA user_version = 1');
    expect([componentVersion(database, name), componentVersion(database, other)]).toEqual([1, 0]);
    setComponentVersion(database, other, 2);
    expect([componentVersion(database, name), componentVersion(database, other)]).toEqual([1, 2]);
  });

  it('of a newer file are not known', () => {
    database.exec('PRAGMA user_version = 99');
    expect(componentVersion(database, 'ledger')).toBe(UNKNOWN_VERSION);
  });

  it('are part of the transaction that changes the tables', () => {
    expect(() =>
      database.transaction(() => {
        setComponentVersion(database, 'store', 2);
        throw new Error('died');
      }),
    ).toThrow('died');
    expect(componentVersion(database, 'store')).toBe(0);
  });
});
