import { closeSync, existsSync, mkdtempSync, readSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Database from 'libsql';
import { RAGError } from '../../core/errors.js';
import { makePrivateFile } from '../security/private-files.js';
import { openRegularFileSync } from '../security/regular-file.js';
import { sqliteFaultOf } from './sqlite-fault.js';

/** What every file begins with that is not encrypted. */
const PLAIN = 'SQLite format 3\0';
const TIMEOUT_MS = 5_000;
/** How long another process is waited for that encrypts the file: about what a file of a gigabyte takes. */
const WAIT_MS = 60_000;
/** What SQLite keeps beside a database. */
const BESIDE = ['-wal', '-shm', '-journal'];

export type DriverSettings = NonNullable<ConstructorParameters<typeof Database>[1]>;

/** What the driver opens a file with. */
export const driverOptions = (timeout: number, fileKey: string | undefined): DriverSettings => ({
  timeout,
  // AES-256 in CBC mode, page by page, the log too.
  ...(fileKey === undefined ? {} : { encryptionCipher: 'aes256cbc', encryptionKey: fileKey }),
});

/** Whether a file is there and is in clear. */
export function isPlain(path: string): boolean {
  const head = Buffer.alloc(PLAIN.length);
  let file: number;
  try {
    file = openRegularFileSync(path);
  } catch {
    return false;
  }
  try {
    return readSync(file, head, 0, head.length, 0) === head.length && head.toString('latin1') === PLAIN;
  } finally {
    closeSync(file);
  }
}

/**
 * Encrypts a file that an earlier version left in clear. A copy is encrypted, compared and takes its place, so that a death leaves one or the
 * other. Of several processes one does it, and the others wait.
 *
 * @throws RAGError `CONFIG_NOT_BUILT` where the driver of this machine cannot encrypt; `INDEX_LOCKED` where the file, or its encryption,
 * is in another process's hands for long; `ENCRYPTION_FAILED` where the copy is not the same, or a log in clear lies beside a file that
 * is encrypted
 */
export function encryptFile(path: string, fileKey: string): void {
  if (looked.has(path)) return;
  assertEncrypting();
  if (isPlain(path)) encryptPlain(path, fileKey);
  assertEncryptedLog(path);
  looked.add(path);
}

/** Frames of a log that are looked at: of one that is encrypted, chance makes a page in a million look clear. */
const FRAMES_LOOKED_AT = 16;
/** Of a log and of a frame, in bytes (https://www.sqlite.org/fileformat2.html#walformat). */
const LOG_HEADER = 32;
const FRAME_HEADER = 24;
const PAGE_SIZE_AT = 8;
/** Of a page: in clear it says of which kind it is, and where its cells begin. */
const PAGE_HEADER = 8;
const KINDS_OF_PAGES: ReadonlySet<number> = new Set([2, 5, 10, 13]);
const MOST_FRAGMENTED = 60;

/** An encrypted file with a log in clear beside it: SQLite would take the log's pages for encrypted ones, and write them over those of the file. */
function assertEncryptedLog(path: string): void {
  if (!existsSync(path) || isPlain(path) || !isClearLog(`${path}-wal`)) return;
  throw new RAGError(
    'ENCRYPTION_FAILED',
    `${path} is encrypted, and the log beside it is in clear: a process that had the file open before wrote it. Nothing was opened or changed. Stop that process, move ${path}-wal and ${path}-shm to another place, run \`ragstone index\` and push again what was pushed last; then delete what you moved, for its text is in clear.`,
  );
}

function isClearLog(path: string): boolean {
  let file: number;
  try {
    file = openRegularFileSync(path);
  } catch {
    return false;
  }
  try {
    const read = (length: number, at: number): Buffer | undefined => {
      const bytes = Buffer.alloc(length);
      return readSync(file, bytes, 0, length, at) === length ? bytes : undefined;
    };
    const pageSize = read(LOG_HEADER, 0)?.readUInt32BE(PAGE_SIZE_AT) ?? 0;
    const pages = Array.from({ length: FRAMES_LOOKED_AT }, (_, frame) =>
      read(PLAIN.length, LOG_HEADER + frame * (FRAME_HEADER + pageSize) + FRAME_HEADER),
    ).filter((page) => page !== undefined);
    return pages.some((page) => isClearPage(page, pageSize));
  } finally {
    closeSync(file);
  }
}

/** The first page of a file, or one of a tree, as its header says (https://www.sqlite.org/fileformat2.html#b_tree_pages). */
function isClearPage(page: Buffer, pageSize: number): boolean {
  if (page.toString('latin1') === PLAIN) return true;
  const free = page.readUInt16BE(1);
  const cells = page.readUInt16BE(3);
  const content = page.readUInt16BE(5) || 65_536;
  return (
    KINDS_OF_PAGES.has(page.readUInt8(0)) &&
    free < pageSize &&
    content <= pageSize &&
    PAGE_HEADER + 2 * cells <= content &&
    page.readUInt8(7) <= MOST_FRAGMENTED
  );
}

/** Files that are encrypted, or not there yet. To look twice would take the locks of connections that are open: closing a file gives up all of them. */
const looked = new Set<string>();

function encryptPlain(path: string, fileKey: string): void {
  // An empty file, which stays: who waits for one that was removed would hold another one than who comes later.
  const lockFile = `${path}-encrypting.lock`;
  makePrivateFile(lockFile);
  const lock = new Database(lockFile, { timeout: WAIT_MS });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    if (isPlain(path)) replaceByEncrypted(path, fileKey);
  } catch (error) {
    if (sqliteFaultOf(error) !== 'busy') throw error;
    throw new RAGError(
      'INDEX_LOCKED',
      `${path} is in clear and must be encrypted, and another process has it open. Stop that one, or wait for it, and try again.`,
      { cause: error },
    );
  } finally {
    lock.close();
  }
}

/** Hold the lock. */
function replaceByEncrypted(path: string, fileKey: string): void {
  const copy = `${path}-encrypting`;
  removeWith(copy, ['', ...BESIDE]);
  const held = new Database(path, { timeout: TIMEOUT_MS });
  try {
    // From here on nobody else reads or writes the file, and it has no log: that of a file in clear must never stand beside an encrypted one.
    held.exec('PRAGMA main.locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT; PRAGMA journal_mode = DELETE');
    makePrivateFile(copy);
    held.prepare('VACUUM INTO ?').run([copy]);
    inDatabase(copy, undefined, (clear) => clear.exec(`PRAGMA rekey = '${fileKey}'`));
    inDatabase(copy, fileKey, (encrypted) => {
      encrypted.exec('PRAGMA journal_mode = WAL');
      assertSame(held, encrypted, path);
    });
    removeWith(copy, BESIDE);
    assertNoLog(path);
    removeWith(path, ['-shm', '-journal']);
    renameSync(copy, path);
  } catch (error) {
    // On a full disk it would take the room that is to be freed.
    removeWith(copy, ['', ...BESIDE]);
    throw error;
  } finally {
    held.close();
  }
}

function removeWith(path: string, suffixes: readonly string[]): void {
  for (const suffix of suffixes) rmSync(path + suffix, { force: true });
}

function inDatabase(path: string, fileKey: string | undefined, work: (database: Database.Database) => void) {
  const database = new Database(path, driverOptions(TIMEOUT_MS, fileKey));
  try {
    work(database);
  } finally {
    database.close();
  }
}

function assertSame(held: Database.Database, copy: Database.Database, path: string): void {
  const damage = rowsOf(copy, 'PRAGMA integrity_check');
  if (isDeepStrictEqual(damage, [['ok']]) && isDeepStrictEqual(contentsOf(held), contentsOf(copy))) return;
  throw notEncrypted(path, 'its encrypted copy does not hold the same');
}

/** The schema, its version, and how many rows each table has. */
const contentsOf = (database: Database.Database): unknown => [
  rowsOf(database, 'PRAGMA user_version'),
  rowsOf(database, 'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name'),
  rowsOf(database, "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name").map(
    ([name]) => rowsOf(database, `SELECT count(*) FROM "${String(name).replaceAll('"', '""')}"`),
  ),
];

const rowsOf = (database: Database.Database, sql: string): unknown[][] =>
  database.prepare(sql).raw().all([]) as unknown[][];

function assertNoLog(path: string): void {
  if (existsSync(`${path}-wal`)) throw notEncrypted(path, 'its log could not be moved into it');
}

const notEncrypted = (path: string, why: string): RAGError =>
  new RAGError(
    'ENCRYPTION_FAILED',
    `${path} could not be encrypted: ${why}. It was left as it was. Stop whatever else opens it, and try again.`,
  );

let encrypts: boolean | undefined;

/** A driver without encryption would take the key and write in clear. */
function assertEncrypting(): void {
  encrypts ??= triedOut();
  if (encrypts) return;
  throw new RAGError(
    'CONFIG_NOT_BUILT',
    'The SQLite driver of this machine cannot encrypt files, so texts of a tenant with a store of its own cannot be kept beside it. Use `postgres` as the store of the customer, which keeps them itself.',
  );
}

function triedOut(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'ragstone-encrypts-'));
  const path = join(folder, 'try.db');
  try {
    const database = new Database(path, driverOptions(TIMEOUT_MS, '0'.repeat(64)));
    database.exec('CREATE TABLE tried (word TEXT)');
    database.close();
    return !isPlain(path);
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens a file that is encrypted, or is first. Throws `ENCRYPTION_FAILED` for one that the key does not open. */
export function openEncrypted<Opened>(path: string, fileKey: string, open: () => Opened): Opened {
  encryptFile(path, fileKey);
  try {
    return open();
  } catch (error) {
    if (sqliteFaultOf(error) !== 'damaged') throw error;
    // A file in clear was put in its place: of that one nothing is open.
    if (!isPlain(path)) throw wrongKey(path, error);
    encryptPlain(path, fileKey);
    return open();
  }
}

const wrongKey = (path: string, cause: unknown): RAGError =>
  new RAGError(
    'ENCRYPTION_FAILED',
    `${path} cannot be decrypted: it is damaged, or the key that the store of the customer holds for it is another one. Put back the store, or the file, from a backup; without either the tenant's index begins anew.`,
    { cause },
  );
