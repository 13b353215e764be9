import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import { runtime, sleep } from '../../core/runtime.js';
import { ledgerError } from '../../ledger/sqlite/ledger-errors.js';
import { makePrivateFolder, PRIVATE_FILE } from '../../platform/security/private-files.js';
import { readRegularFileSync } from '../../platform/security/regular-file.js';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import type { SqliteFaultKind } from '../../platform/sqlite/sqlite-fault.js';

const POLL_MS = 10;

/** Prefix of files that mark a writer. */
const MARK = 'writing-';

/** How long to wait at a gate, and when to stop. */
export interface GateWait {
  /** In milliseconds. */
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

// A connection that is garbage collected is closed, and a lock whose holder dropped the reference would be lost.
const held = new Set<SqliteDatabase>();

/**
 * Writers of one tenant go through together; the mover of the tenant waits until they are out and lets none in meanwhile. It
 * holds over all processes that share the data folder.
 *
 * Two locks of the operating system, each on a small file that SQLite locks for us, so that they end with their holders: `door`
 * is held for a moment by a writer on its way in, and by the mover until it is done; `room` is held by each writer. A writer that
 * waits at the door keeps nothing in the room, so a stream of writers cannot keep the mover waiting.
 *
 * Each writer leaves a mark while it is in. Those that are there while the gate is closed are of writers that died.
 */
export class WriteGate {
  readonly #folder: string;

  readonly #tenantId: string;

  /**
   * @param folder of one tenant; made where it is missing
   * @param tenantId whose it is, written into the marks
   */
  constructor(folder: string, tenantId: string) {
    this.#folder = folder;
    this.#tenantId = tenantId;
  }

  /** Marks of writers: of those that are in, and of those that died. */
  marks(): string[] {
    return marksIn(this.#folder);
  }

  /** Removes marks of writers that died, when what they left is finished. */
  forget(marks: readonly string[]): void {
    for (const mark of marks) rmSync(join(this.#folder, mark), { force: true });
  }

  /** Goes in as a writer. Call what it gives to go out. @throws RAGError `INDEX_LOCKED`, `ABORTED` */
  async enter(wait: GateWait): Promise<() => void> {
    const leaveDoor = await this.#take('door', 'shared', wait);
    try {
      const leaveRoom = await this.#take('room', 'shared', wait);
      const unmark = this.#mark();
      return () => {
        try {
          unmark();
        } finally {
          leaveRoom();
        }
      };
    } finally {
      leaveDoor();
    }
  }

  #mark(): () => void {
    const path = join(this.#folder, `${MARK}${runtime().uniqueName()}`);
    try {
      writeFileSync(path, this.#tenantId, { mode: PRIVATE_FILE, flag: 'wx' });
    } catch {
      // On a full disk documents can still be deleted. Without a mark the next move finds what is unfinished.
      return () => undefined;
    }
    return () => rmSync(path, { force: true });
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

/** Names of the marks in the folder of a tenant. */
export function marksIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(MARK));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Whose folder it is, by a mark there; undefined where no mark says so. */
export function markedTenant(folder: string): string | undefined {
  for (const mark of marksIn(folder))
    try {
      const tenantId = readRegularFileSync(join(folder, mark)).toString('utf8');
      if (tenantId !== '') return tenantId;
    } catch (error) {
      // Its writer has gone out meanwhile.
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    }
  return undefined;
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
