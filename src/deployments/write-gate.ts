import { join } from 'node:path';
import { RAGError } from '../core/errors.js';
import { runtime, sleep } from '../core/runtime.js';
import { ledgerError } from '../ledger/sqlite/ledger-errors.js';
import { makePrivateFolder } from '../security/private-files.js';
import { SqliteDatabase } from '../sqlite/sqlite-database.js';
import type { SqliteFaultKind } from '../sqlite/sqlite-fault.js';

const POLL_MS = 10;

/** How long to wait at a gate, and when to stop. */
export interface GateWait {
  /** In milliseconds. */
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

// A connection that is garbage collected is closed, and a lock whose holder dropped the reference would be lost.
const held = new Set<SqliteDatabase>();

/**
 * Writers of one tenant go through together; whoever moves the tenant waits until they are out and lets nobody in meanwhile. It
 * holds over all processes that share the data folder.
 *
 * Two locks of the operating system, each on a small file that SQLite locks for us, so that they end with whoever holds them: `door`
 * is held for a moment by a writer on its way in, and by the mover until it is done; `room` is held by each writer. A writer that
 * waits at the door keeps nothing in the room, so a stream of writers cannot keep the mover waiting.
 */
export class WriteGate {
  readonly #folder: string;

  /** @param folder of one tenant; made where it is missing */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Goes in as a writer. Call what it gives to go out. @throws RAGError `INDEX_LOCKED`, `ABORTED` */
  async enter(wait: GateWait): Promise<() => void> {
    const leaveDoor = await this.#take('door', 'shared', wait);
    try {
      return await this.#take('room', 'shared', wait);
    } finally {
      leaveDoor();
    }
  }

  /** Waits until all writers are out, and keeps others out until what it gives is called. @throws RAGError `INDEX_LOCKED`, `ABORTED` */
  async close(wait: GateWait): Promise<() => void> {
    const leaveDoor = await this.#take('door', 'alone', wait);
    try {
      const leaveRoom = await this.#take('room', 'alone', wait);
      return () => {
        leaveRoom();
        leaveDoor();
      };
    } catch (error) {
      leaveDoor();
      throw error;
    }
  }

  async #take(
    name: 'door' | 'room',
    kind: 'shared' | 'alone',
    { waitMs, signal }: GateWait,
  ): Promise<() => void> {
    makePrivateFolder(this.#folder);
    const path = join(this.#folder, `${name}.lock`);
    const deadline = runtime().elapsed() + waitMs;
    for (;;) {
      const database = tryLock(path, kind);
      if (database !== undefined) {
        held.add(database);
        return () => release(database);
      }
      if (runtime().elapsed() >= deadline)
        throw new RAGError(
          'INDEX_LOCKED',
          'The documents of this tenant are being moved to another index, or written for long. Try again later.',
        );
      await sleep(POLL_MS, signal);
    }
  }
}

function tryLock(path: string, kind: 'shared' | 'alone'): SqliteDatabase | undefined {
  let isBusy = false;
  const toError = (fault: SqliteFaultKind, cause: unknown): RAGError => {
    isBusy = fault === 'busy';
    return ledgerError(path, fault, cause);
  };
  let database: SqliteDatabase | undefined;
  try {
    database = SqliteDatabase.open(path, { busyTimeoutMs: 0, toError });
    if (kind === 'alone') database.exec('BEGIN EXCLUSIVE');
    else {
      database.exec('BEGIN');
      // The first read takes the lock, and the transaction keeps it.
      database.rows('SELECT count(*) FROM sqlite_master');
    }
    return database;
  } catch (error) {
    database?.close();
    if (isBusy) return undefined;
    throw error;
  }
}

function release(database: SqliteDatabase): void {
  if (!held.delete(database)) return;
  database.exec('ROLLBACK');
  database.close();
}
