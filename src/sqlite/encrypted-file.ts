import { closeSync, mkdtempSync, readSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { RAGError } from '../core/errors.js';
import { makePrivateFile } from '../security/private-files.js';
import { openRegularFileSync } from '../security/regular-file.js';
import { sqliteFaultOf } from './sqlite-fault.js';

/** What every file begins with that is not encrypted. */
const PLAIN = 'SQLite format 3\0';
const TIMEOUT_MS = 5_000;

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
 * Encrypts a file that an earlier version left in clear. A copy is encrypted and takes its place, so that a death leaves one or the other; nobody
 * else may write meanwhile.
 *
 * @throws RAGError `CONFIG_NOT_BUILT` where the driver of this machine cannot encrypt
 */
export function encryptFile(path: string, fileKey: string): void {
  if (looked.has(path)) return;
  assertEncrypting();
  if (isPlain(path)) replaceByEncrypted(path, fileKey);
  looked.add(path);
}

/** Files that are encrypted, or not there yet. To look twice would take the locks of connections that are open: closing a file gives up all of them. */
const looked = new Set<string>();

function replaceByEncrypted(path: string, fileKey: string): void {
  const copy = `${path}-encrypting`;
  rmSync(copy, { force: true });
  const held = new Database(path, { timeout: TIMEOUT_MS });
  try {
    held.exec('BEGIN IMMEDIATE');
    makePrivateFile(copy);
    const reader = new Database(path, { timeout: TIMEOUT_MS });
    try {
      reader.prepare('VACUUM INTO ?').run([copy]);
    } finally {
      reader.close();
    }
    const encrypted = new Database(copy, { timeout: TIMEOUT_MS });
    try {
      encrypted.exec(`PRAGMA rekey = '${fileKey}'`);
    } finally {
      encrypted.close();
    }
    const opened = new Database(copy, driverOptions(TIMEOUT_MS, fileKey));
    try {
      opened.exec('PRAGMA journal_mode = WAL');
    } finally {
      opened.close();
    }
    for (const suffix of ['-wal', '-shm']) rmSync(copy + suffix, { force: true });
    renameSync(copy, path);
  } finally {
    held.close();
  }
  // They are of the file that is gone.
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
}

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
    replaceByEncrypted(path, fileKey);
    return open();
  }
}

const wrongKey = (path: string, cause: unknown): RAGError =>
  new RAGError(
    'ENCRYPTION_FAILED',
    `${path} cannot be decrypted: it is damaged, or the key that the store of the customer holds for it is another one. Put back the store, or the file, from a backup; without either the tenant's index begins anew.`,
    { cause },
  );
