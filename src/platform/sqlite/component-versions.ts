import { numberAt } from './row.js';
import type { SqliteDatabase } from './sqlite-database.js';
import { SqliteValueError } from './sqlite-fault.js';

/** A part of a file with tables and a schema version of its own. Several parts can share one file. */
export type ComponentName = 'ledger' | 'store';

/** `user_version` of a file that keeps the versions of its components in a table. */
const FILE_LAYOUT = 2;

/** Files of 0.1.0 (`user_version` 1) held one component at its first version, known by a table that only it had. */
const FIRST_TABLE: Readonly<Record<ComponentName, string>> = { ledger: 'facts', store: 'collection' };

/** A table that every later version of a component has. */
const PRESENT_TABLE: Readonly<Record<ComponentName, string>> = {
  ledger: 'document',
  store: 'store_collection',
};

/** What a file says whose layout is newer than this version knows. */
export const UNKNOWN_VERSION = Number.MAX_SAFE_INTEGER;

/** Schema version of a component in this file; 0 where the file does not hold it, `UNKNOWN_VERSION` for a newer file. */
export function componentVersion(database: SqliteDatabase, name: ComponentName): number {
  const layout = fileLayout(database);
  if (layout > FILE_LAYOUT) return UNKNOWN_VERSION;
  if (layout < FILE_LAYOUT) return layout === 1 && hasTable(database, FIRST_TABLE[name]) ? 1 : 0;
  const row = database.row('SELECT version FROM component WHERE name = ?', name);
  if (row !== undefined) return numberAt(row, 0);
  // The name was damaged: what is there must not be taken for nothing.
  database.guard(() => {
    if (hasTable(database, PRESENT_TABLE[name])) throw new SqliteValueError(`the component ${name}`, 0);
  });
  return 0;
}

/** Records a component's version; inside the transaction that changed its tables. */
export function setComponentVersion(database: SqliteDatabase, name: ComponentName, version: number): void {
  if (fileLayout(database) < FILE_LAYOUT) beginComponents(database);
  database.run('INSERT OR REPLACE INTO component (name, version) VALUES (?, ?)', name, version);
}

function beginComponents(database: SqliteDatabase): void {
  const present = (['ledger', 'store'] as const).filter((name) => componentVersion(database, name) > 0);
  database.exec('CREATE TABLE component (name TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID');
  for (const name of present) database.run('INSERT INTO component (name, version) VALUES (?, ?)', name, 1);
  // An older program must refuse the file and not take it for one of its own.
  database.exec(`PRAGMA user_version = ${FILE_LAYOUT}`);
}

/** Whether the file has a table of this name. */
export function hasTable(database: SqliteDatabase, table: string): boolean {
  return database.row("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", table) !== undefined;
}

function fileLayout(database: SqliteDatabase): number {
  const version = database.pragma('user_version');
  return typeof version === 'number' ? version : 0;
}
