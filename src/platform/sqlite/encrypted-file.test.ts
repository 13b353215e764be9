import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
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

// A file-size limit (the unit is 1 KiB) stands for the disk: it needs no rights to set.
test.skipIf(process.platform === 'win32').each([1, 2, 3, 4, 5, 6, 7, 8].map((part) => part / 8))(
  'a disk that is full once %d of a file is copied is told as full, and nothing of the copy stays',
  (part) => {
    const folder = temporaryFolder();
    const path = join(folder, 'a.db');
    const writer = open(path);
    writer.exec('CREATE TABLE note (text TEXT)');
    for (let row = 0; row < 100; row += 1)
      writer.exec(`INSERT INTO note VALUES ('${WORD} ${'x '.repeat(5_000)}')`);
    writer.close();
    const script = `
      import { encryptFile } from ${JSON.stringify(new URL('./encrypted-file.ts', import.meta.url).href)};
      import { sqliteFaultOf } from ${JSON.stringify(new URL('./sqlite-fault.ts', import.meta.url).href)};
      try {
        encryptFile(process.argv[1], ${JSON.stringify(KEY)});
      } catch (error) {
        console.log(sqliteFaultOf(error));
      }`;
    const limit = Math.floor((statSync(path).size / 1024) * part) - 8;
    const { stdout } = spawnSync(
      'bash',
      [
        ...['-c', `ulimit -f ${limit} && exec "$0" "$@"`, process.execPath],
        ...['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', script, path],
      ],
      { encoding: 'utf8' },
    );
    expect(stdout.trim()).toBe('full');
    expect(readdirSync(folder).sort()).toEqual(['a.db', 'a.db-encrypting.lock']);
    expect(rowsIn(path)).toEqual([[100]]);
  },
);
