import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { driverOptions, encryptFile, isPlain } from './encrypted-file.js';

const LOADER = fileURLToPath(import.meta.resolve('tsx'));
const ENCRYPTED_FILE = new URL('./encrypted-file.ts', import.meta.url).href;
const LIBSQL = import.meta.resolve('libsql');
const KEY = 'ab'.repeat(32);
const ROWS = 300;

/** Stops at what a process does with files and databases. What a kill would leave there is copied: the files as they are. */
const HOOKED = `
  import fs from 'node:fs';
  import { dirname } from 'node:path';
  import module from 'node:module';
  import Database from ${JSON.stringify(LIBSQL)};
  const [path, key, mode, to] = process.argv.slice(1);
  let steps = 0;
  const copyFiles = fs.cpSync;
  const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  const onStep = (what) => {
    if (mode === 'copy') copyFiles(dirname(path), to + '/' + steps++, { recursive: true });
    if (mode === 'meet' && what.includes('VACUUM')) {
      fs.writeFileSync(path + '.copied', '');
      // The other one has looked at the file by then, and does what it does.
      while (!fs.existsSync(path + '.met')) pause(10);
      pause(700);
    }
  };
  const hook = (target, name, what = () => name) => {
    const original = target[name];
    target[name] = function (...given) {
      if (mode === 'copy') onStep(what(...given));
      const result = original.apply(this, given);
      onStep(what(...given));
      return result;
    };
  };
  const { encryptFile } = await import(${JSON.stringify(ENCRYPTED_FILE)});
  for (const name of ['exec', 'close']) hook(Database.prototype, name);
  const prepare = Database.prototype.prepare;
  Database.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    if (sql.includes('VACUUM')) hook(statement, 'run', () => sql);
    return statement;
  };
  for (const name of ['renameSync', 'rmSync']) hook(fs, name);
  module.syncBuiltinESMExports();
  if (mode === 'met') fs.writeFileSync(path + '.met', '');
  encryptFile(path, key);
`;

const argumentsOf = (path: string, mode: string, to = ''): string[] => [
  ...['--import', LOADER, '--input-type=module', '-e', HOOKED],
  ...[path, KEY, mode, to],
];

/** A file in clear, whose last rows stand in the log alone: its writer was killed. */
function clearFile(folder: string): string {
  const path = join(folder, 'ledger.db');
  const draft = join(folder, 'draft.db');
  const writer = new Database(draft);
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE doc (id INTEGER PRIMARY KEY, text TEXT)');
  const insert = writer.prepare('INSERT INTO doc (text) VALUES (?)');
  for (let row = 0; row < ROWS; row++) insert.run([`text ${row} ${'x'.repeat(300)}`]);
  for (const suffix of ['', '-wal', '-shm']) copyFileSync(draft + suffix, path + suffix);
  writer.close();
  rmSync(draft);
  return path;
}

function contentsOf(path: string): { rows: unknown; damage: unknown } {
  const database = new Database(path, driverOptions(5_000, KEY));
  try {
    const rows = database.prepare('SELECT count(*) FROM doc').raw().get([]);
    return { rows, damage: database.prepare('PRAGMA integrity_check').raw().get([]) };
  } finally {
    database.close();
  }
}

const WHOLE = { rows: [ROWS], damage: ['ok'] };

it('a file in clear that two processes open at once is encrypted by one of them, whole', async () => {
  const path = clearFile(temporaryFolder());
  const first = spawn(process.execPath, argumentsOf(path, 'meet'), { stdio: 'inherit' });
  const firstEnds = once(first, 'exit');
  while (!existsSync(`${path}.copied`) && first.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const second = spawn(process.execPath, argumentsOf(path, 'met'), { stdio: 'inherit' });
  expect([await once(second, 'exit'), await firstEnds]).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(isPlain(path)).toBe(false);
  expect(contentsOf(path)).toEqual(WHOLE);
});

it('a file in clear with a log is whole wherever its encryption is killed, and after the next opening', () => {
  const path = clearFile(temporaryFolder());
  const copies = temporaryFolder();
  const { status } = spawnSync(process.execPath, argumentsOf(path, 'copy', copies), { stdio: 'inherit' });
  expect([status, contentsOf(path)]).toEqual([0, WHOLE]);
  const steps = readdirSync(copies).sort((a, b) => Number(a) - Number(b));
  expect(steps.length).toBeGreaterThan(20);
  const broken = steps.filter((step) => {
    const killed = join(copies, step, 'ledger.db');
    encryptFile(killed, KEY);
    const isClean = !isPlain(killed) && !existsSync(`${killed}-encrypting`);
    return !isClean || !isDeepStrictEqual(contentsOf(killed), WHOLE);
  });
  expect(broken).toEqual([]);
});
