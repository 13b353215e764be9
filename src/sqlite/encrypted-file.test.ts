import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { driverOptions, openEncrypted } from './encrypted-file.js';

const KEY = 'ab'.repeat(32);
const WORD = 'zirconflorin';
const open = (path: string, key?: string) => new Database(path, driverOptions(5_000, key));
const rowsIn = (path: string): unknown[] => {
  const database = openEncrypted(path, KEY, () => open(path, KEY));
  const rows = database.prepare('SELECT count(*) FROM note').raw().all([]);
  database.close();
  return rows;
};

/** Copies a file and its log, as they are while a process has them open and has written so many rows to the log. */
function copyWhileOpen(path: string, to: string, { key, rows }: { key?: string; rows: number }): void {
  const database = open(path, key);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS note (text TEXT)');
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  for (let row = 0; row < rows; row += 1)
    database.exec(`INSERT INTO note VALUES ('${WORD} ${row} ${'x '.repeat(row * 40)}')`);
  for (const suffix of ['', '-wal', '-shm']) copyFileSync(path + suffix, to + suffix);
  database.close();
}

test.each([1, 12, 100])(
  'an encrypted file beside a log in clear of %d rows is not opened, and is left as it is',
  (rows) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'left'));
    const path = join(folder, 'a.db');
    const left = join(folder, 'left', 'a.db');
    copyWhileOpen(path, left, { rows });
    expect(rowsIn(path)).toEqual([[rows]]);
    copyFileSync(path, left);
    const before = ['', '-wal', '-shm'].map((suffix) => readFileSync(left + suffix, 'latin1'));
    const opening = (): unknown => rowsIn(left);
    expect(opening).toThrow(expect.objectContaining({ reason: 'ENCRYPTION_FAILED' }));
    expect(opening).toThrow(`${left}-wal`);
    expect(opening).not.toThrow(WORD);
    expect(['', '-wal', '-shm'].map((suffix) => readFileSync(left + suffix, 'latin1'))).toEqual(before);
    for (const suffix of ['-wal', '-shm']) rmSync(left + suffix);
    expect(rowsIn(left)).toEqual([[rows]]);
  },
);

test.each([1, 12, 100])(
  'a log of %d rows that a killed process left of an encrypted file is read',
  (rows) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'left'));
    const left = join(folder, 'left', 'a.db');
    copyWhileOpen(join(folder, 'a.db'), left, { key: KEY, rows });
    expect(existsSync(`${left}-wal`)).toBe(true);
    expect(rowsIn(left)).toEqual([[rows]]);
  },
);
