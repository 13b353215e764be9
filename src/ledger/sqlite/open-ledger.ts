import { existsSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import { makePrivateFolder } from '../../platform/security/private-files.js';
import { componentVersion, setComponentVersion } from '../../platform/sqlite/component-versions.js';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import type { Ledger } from '../ledger.js';
import { damagedTexts } from './damaged-texts.js';
import { ledgerError } from './ledger-errors.js';
import { MIGRATIONS } from './schema.js';
import { SqliteLedger, TABLES } from './sqlite-ledger.js';

export interface OpenLedgerOptions {
  /** File of the ledger; it and its folder are made where they are missing. */
  readonly path: string;
  /** Indexed revisions of a document whose text is kept for citations, the current one included. @default 3 */
  readonly keepRevisions?: number | undefined;
  /** Open for reading: nothing is made, migrated or written, and a missing file is `INDEX_EMPTY`. @default false */
  readonly readOnly?: boolean | undefined;
  /**
   * Whether what is written is written down in the history too (`Ledger.history`). Every process that writes must say the same: what is
   * written without it makes the record end. @default false
   */
  readonly keepsHistory?: boolean | undefined;
  /** See `SqliteOptions.fileKey`. */
  readonly fileKey?: string | undefined;
  /** Milliseconds since 1970; leases are measured by it. @default the clock of the runtime */
  readonly now?: (() => number) | undefined;
}

/**
 * Opens the ledger.
 *
 * Write-ahead logging lets readers of other processes go on while one process writes. `synchronous = FULL` makes every
 * transaction durable when it returns, over a power cut too, which the order of ledger and store writes relies on (see
 * `chunk-log.ts`); it costs one flush per transaction, so callers write in batches.
 *
 * Throws `INDEX_DAMAGED`, `INDEX_SCHEMA_TOO_NEW`, `INDEX_READ_ONLY`, `INDEX_DISK_FULL`, `INDEX_LOCKED` or `INDEX_EMPTY`.
 */
export function openLedger({
  path,
  keepRevisions = 3,
  readOnly = false,
  keepsHistory = false,
  fileKey,
  now = () => runtime().now(),
}: OpenLedgerOptions): Ledger {
  const file = resolve(path);
  if (readOnly && !existsSync(file)) throw emptyIndex(file);
  if (!readOnly) makeFolder(dirname(file));
  const open = (forReading: boolean): SqliteDatabase =>
    SqliteDatabase.open(file, {
      readOnly: forReading,
      fileKey,
      toError: (kind, cause) => ledgerError(file, kind, cause),
    });
  let database = open(readOnly);
  try {
    if (readOnly && isOlder(database)) {
      // Readers and writers share one schema, so a reader brings it up to date too.
      database.close();
      database = open(false);
      prepare(database, false);
      database.close();
      database = open(true);
    }
    prepare(database, readOnly);
  } catch (error) {
    database.close();
    throw error;
  }
  return new SqliteLedger(database, {
    keepRevisions: Math.max(1, keepRevisions),
    keepsHistory,
    readOnly,
    now,
  });
}

function isOlder(database: SqliteDatabase): boolean {
  const version = componentVersion(database, 'ledger');
  return version > 0 && version < MIGRATIONS.length;
}

/** Removes a ledger's files, damaged ones too, so that an index can be built anew. Hold the writer lock. */
export function discardLedger(path: string): void {
  // The log goes first: a log without its file is ignored, but a new file would take an old log for its own.
  for (const suffix of ['-wal', '-shm', '']) rmSync(resolve(path) + suffix, { force: true });
}

function prepare(database: SqliteDatabase, readOnly: boolean): void {
  const version = componentVersion(database, 'ledger');
  if (version > MIGRATIONS.length) throw schemaTooNew(database.path, version);
  if (readOnly) {
    if (version === 0) throw emptyIndex(database.path);
    return;
  }
  if (version < MIGRATIONS.length) migrate(database);
  assertTexts(database);
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA foreign_keys = ON');
  // What is deleted is overwritten in the file.
  database.exec('PRAGMA secure_delete = ON');
  // Chunk ids are random: the pages of their index must stay in memory while many are written (KiB).
  database.exec('PRAGMA cache_size = -32768');
  // The log is cut back to this after a large run.
  database.exec(`PRAGMA journal_size_limit = ${16 * 1024 * 1024}`);
}

/** A writer would take what it cannot find by a damaged name for new, or for gone. */
function assertTexts(database: SqliteDatabase): void {
  const [problem] = database.snapshot(() => damagedTexts(database, TABLES));
  if (problem !== undefined) throw ledgerError(database.path, 'damaged', new Error(problem));
}

function migrate(database: SqliteDatabase): void {
  database.exec('PRAGMA journal_mode = WAL');
  // A migration makes tables anew that others refer to.
  database.exec('PRAGMA foreign_keys = OFF');
  database.transaction(() => {
    // Read again under the write lock: another process may have been faster.
    const version = componentVersion(database, 'ledger');
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
    setComponentVersion(database, 'ledger', MIGRATIONS.length);
  });
}

function makeFolder(folder: string): void {
  try {
    makePrivateFolder(folder);
  } catch (error) {
    const isFull = systemErrorCode(error) === 'ENOSPC';
    throw ledgerError(folder, isFull ? 'full' : 'cannot-open', error);
  }
}

const emptyIndex = (path: string): RAGError =>
  new RAGError('INDEX_EMPTY', `There is no index at ${dirname(path)}. Run \`ragstone index\` first.`, {
    details: { path },
  });

const schemaTooNew = (path: string, version: number): RAGError =>
  new RAGError(
    'INDEX_SCHEMA_TOO_NEW',
    `The index's ledger ${path} was written by a newer version of ragstone (this version knows its schema up to ${MIGRATIONS.length}). Update ragstone, or use another data folder.`,
    { details: { path, found: version, supported: MIGRATIONS.length } },
  );
