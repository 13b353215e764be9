import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { bytes, integer, key, optional, text } from '../rows/columns.js';
import { each, insert, run, select } from '../rows/program.js';
import { GIVEN, oneOf, sql } from '../rows/sql.js';
import { sqlitePrograms } from './run-program.js';

const ROW = { name: key('name'), at: integer('at'), note: optional(text('note')), packed: bytes('packed') };
const NAMES = ['', 'a', 'a\0', 'a\u0001', '"quoted" \\ and\n', '\ud800', '\ue000', 'é', '𝄞'];

function openTable() {
  const folder = mkdtempSync(join(tmpdir(), 'ragstone-programs-'));
  const database = SqliteDatabase.open(join(folder, 'rows.db'), {
    toError: (_, cause) => new Error(String(cause)),
  });
  onTestFinished(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  database.exec(
    'CREATE TABLE kept (name TEXT PRIMARY KEY, at INTEGER NOT NULL, note TEXT, packed BLOB NOT NULL)',
  );
  return sqlitePrograms(database);
}

test('rows come back as they were, by any name, one or many at once', async () => {
  const programs = openTable();
  const rows = NAMES.map((name, at) => ({
    ...{ name, at, note: at % 2 === 0 ? undefined : `of ${name}` },
    packed: Buffer.from([at]),
  }));
  await programs.transaction('keep', () => insert('kept', ROW, rows));
  const read = (names: readonly string[]) =>
    programs.read('read', () => select(ROW, sql`FROM @kept WHERE name ${oneOf('key', names)} ORDER BY at`));
  expect(await read(NAMES)).toEqual(rows);
  expect(await read([])).toEqual([]);
  for (const [at, name] of NAMES.entries()) expect(await read([name])).toEqual([rows[at]]);
});

test('a query for each of some names says which of them it was', async () => {
  const programs = openTable();
  const rows = NAMES.map((name, at) => ({ name, at, note: undefined, packed: Buffer.alloc(0) }));
  await programs.transaction('keep', () => insert('kept', ROW, rows));
  const wanted = ['é', 'nobody', 'a\0'];
  const found = await programs.read('read', () =>
    each(wanted, { at: integer('at') }, sql`FROM @kept WHERE name = ${GIVEN}`),
  );
  expect(found).toEqual([
    { place: 0, at: 7 },
    { place: 2, at: 2 },
  ]);
});

test('a transaction that throws leaves nothing', async () => {
  const programs = openTable();
  const failing = programs.transaction('keep', function* () {
    yield* run(sql`INSERT INTO @kept (name, at, packed) VALUES (${'a'}, ${1}, ${Buffer.alloc(1)})`);
    throw new Error('It ends here.');
  });
  await expect(failing).rejects.toThrow('It ends here.');
  expect(await programs.read('read', () => select(ROW, sql`FROM @kept`))).toEqual([]);
});
