import type { RAGError } from '../core/errors.js';
import { SqliteDatabase } from '../platform/sqlite/sqlite-database.js';
import type { SqliteFaultKind } from '../platform/sqlite/sqlite-fault.js';
import { ledgerError } from './sqlite/ledger-errors.js';

/** An operating system lock on a file, which ends with the process. */
export interface LockFile {
  readonly isHeld: boolean;
  /** Without effect where it was released before. */
  release(): void;
}

// A connection that is garbage collected is closed, and a lock whose holder dropped the reference would be lost.
const held = new Set<SqliteDatabase>();

/**
 * Takes the lock where nobody has it: an exclusive SQLite transaction on a small file of its own. The file is never deleted, since two
 * processes could then each lock a file of that name. Not reliable on network file systems without POSIX locks.
 *
 * @throws RAGError `INDEX_READ_ONLY`, `INDEX_DISK_FULL`
 */
export function tryLockFile(path: string): LockFile | undefined {
  let isBusy = false;
  const toError = (kind: SqliteFaultKind, cause: unknown): RAGError => {
    isBusy = kind === 'busy';
    return ledgerError(path, kind, cause);
  };
  let database: SqliteDatabase | undefined;
  try {
    database = SqliteDatabase.open(path, { busyTimeoutMs: 0, toError });
    database.exec('BEGIN EXCLUSIVE');
    return heldFile(database);
  } catch (error) {
    database?.close();
    if (isBusy) return undefined;
    throw error;
  }
}

function heldFile(database: SqliteDatabase): LockFile {
  held.add(database);
  return {
    get isHeld() {
      return held.has(database);
    },
    release: () => {
      if (!held.delete(database)) return;
      database.exec('ROLLBACK');
      database.close();
    },
  };
}
