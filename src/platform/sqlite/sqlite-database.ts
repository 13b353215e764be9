import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'libsql';
import { RAGError } from '../../core/errors.js';
import type { SharedDatabase } from '../../core/shared-database.js';
import { makePrivateFile, tighten } from '../security/private-files.js';
import { assertOpenable } from '../security/regular-file.js';
import { driverOptions, openEncrypted } from './encrypted-file.js';
import type { SqlRow } from './row.js';
import { type SqliteFaultKind, sqliteFaultOf } from './sqlite-fault.js';

/** What can be bound. A boolean is no such value: this driver ends the whole process when it is given one. */
export type SqlValue = string | number | Uint8Array | null;

export interface SqliteOptions {
  /** Refuse every write of this connection. @default false */
  readonly readOnly?: boolean;
  /** How long a statement waits for another connection's lock, in milliseconds. @default 5000 */
  readonly busyTimeoutMs?: number;
  /** Encrypts the file and its log. One that is not encrypted yet is encrypted first. @default it is in clear */
  readonly fileKey?: string | undefined;
  /** Turns a fault into the error its owner shows. */
  readonly toError: (kind: SqliteFaultKind, cause: unknown) => Error;
}

/** How long readers are waited for before the log is left to another time. */
const LOG_TIMEOUT_MS = 200;

/** A file up to this is written anew after deletions: 8 MiB take some 50 ms, during which the thread waits. */
const REWRITTEN_BYTES = 8 * 1024 * 1024;

/**
 * A local SQLite file (libSQL's embedded engine) with cached statements and errors classified in one place. Rows come as
 * arrays. Every read is drained at once, so no statement is left holding a snapshot.
 *
 * Not safe against `fs` calls that open and close the same file in this process where the file lock matters: POSIX drops
 * a process's locks on a file when any of its descriptors is closed.
 */
export class SqliteDatabase implements SharedDatabase {
  readonly path: string;
  readonly #database: Database.Database;
  readonly #toError: SqliteOptions['toError'];
  readonly #busyTimeoutMs: number;
  readonly #statements = new Map<string, Database.Statement>();

  private constructor(
    path: string,
    database: Database.Database,
    {
      toError,
      busyTimeoutMs,
    }: { readonly toError: SqliteOptions['toError']; readonly busyTimeoutMs: number },
  ) {
    this.path = path;
    this.#database = database;
    this.#toError = toError;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /** Opens the file, or makes it where it is missing. A file in a read-only folder is opened for reading alone. */
  static open(
    path: string,
    { readOnly = false, busyTimeoutMs = 5000, fileKey, toError }: SqliteOptions,
  ): SqliteDatabase {
    // An absolute path is never taken for a URL or a URI by the driver.
    const absolute = resolve(path);
    try {
      // SQLite opens each of them by itself, and would wait for a pipe without an end.
      for (const suffix of FILES) assertOpenable(absolute + suffix);
      keepPrivate(absolute);
      const options = { timeout: busyTimeoutMs, readOnly, fileKey };
      const database =
        fileKey === undefined
          ? openDriver(absolute, options)
          : openEncrypted(absolute, fileKey, () => openDriver(absolute, options));
      if (readOnly) database.exec('PRAGMA query_only = ON');
      return new SqliteDatabase(absolute, database, { toError, busyTimeoutMs });
    } catch (error) {
      throw errorOf(error, toError);
    }
  }

  rows(sql: string, ...parameters: readonly SqlValue[]): SqlRow[] {
    return this.guard(() => this.#statement(sql).all([...parameters]) as SqlRow[]);
  }

  row(sql: string, ...parameters: readonly SqlValue[]): SqlRow | undefined {
    return this.guard(() => this.#statement(sql).get([...parameters]) as SqlRow | undefined);
  }

  /** Returns how many rows were changed. */
  run(sql: string, ...parameters: readonly SqlValue[]): number {
    return this.guard(() => this.#statement(sql).run([...parameters]).changes);
  }

  /** Runs statements without parameters; for schemas and pragmas. */
  exec(sql: string): void {
    this.guard(() => this.#database.exec(sql));
  }

  /** The first column of a pragma's first row. */
  pragma(pragma: string): unknown {
    return this.rows(`PRAGMA ${pragma}`)[0]?.[0];
  }

  /**
   * All or nothing, with the write lock taken at the start so that a read inside it is never outdated. Inside another
   * transaction of this connection the work becomes a part of that.
   */
  transaction<T>(work: () => T): T {
    return this.guard(() => {
      if (this.#database.inTransaction) return work();
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        this.#database.exec('COMMIT');
        return result;
      } catch (error) {
        this.#rollback();
        throw error;
      }
    });
  }

  /** One snapshot for several reads; inside a transaction, that of the transaction. */
  snapshot<T>(work: () => T): T {
    return this.guard(() => {
      if (this.#database.inTransaction) return work();
      this.#database.exec('BEGIN');
      try {
        return work();
      } finally {
        this.#rollback();
      }
    });
  }

  /** Runs work and classifies what it throws. */
  guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw errorOf(error, this.#toError);
    }
  }

  /** Moves the write-ahead log into the file, where nobody is reading; without effect otherwise. Returns whether the log was emptied. */
  tryTruncateLog(): boolean {
    if (!this.#database.open) return false;
    try {
      // The thread waits with it, and who reads for long reads on.
      this.#database.exec(`PRAGMA busy_timeout = ${LOG_TIMEOUT_MS}`);
      const busy = this.pragma('wal_checkpoint(TRUNCATE)');
      return busy === 0;
    } catch {
      // The log stays and is read by the next connection: nothing is lost.
      return false;
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${this.#busyTimeoutMs}`);
    }
  }

  /**
   * Writes the file anew, with what is in it and nothing else: where rows were moved between pages, their bytes stay in the room that is free there,
   * which `secure_delete` does not overwrite. Takes room for a copy.
   */
  rewrite(): void {
    this.exec('VACUUM');
    this.tryTruncateLog();
  }

  /** Leaves nothing readable of what was deleted: by `rewrite` in a small file, in the log and in whole pages of a larger one. */
  eraseDeleted(): void {
    const bytes = Number(this.pragma('page_count')) * Number(this.pragma('page_size'));
    if (bytes <= REWRITTEN_BYTES) this.#tryRewrite();
    this.tryTruncateLog();
  }

  /** On a full disk, and while another process writes, the file stays as it is. */
  #tryRewrite(): void {
    try {
      this.#database.exec('VACUUM');
    } catch (error) {
      const kind = sqliteFaultOf(error);
      if (kind !== 'full' && kind !== 'busy') throw this.#toError(kind, error);
    }
  }

  close(): void {
    if (!this.#database.open) return;
    this.#statements.clear();
    this.#database.close();
  }

  #statement(sql: string): Database.Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    const columns = statement.columns() as readonly ResultColumn[];
    const unsafe = columns.find(({ type }) => type === 'TEXT');
    if (unsafe !== undefined)
      throw new Error(`The column ${unsafe.name} must be read by \`text\` and \`textAt\`: ${sql}`);
    // Raw mode is refused for statements without columns.
    if (columns.length > 0) statement.raw();
    this.#statements.set(sql, statement);
    return statement;
  }

  // A full disk ends the transaction by itself; a second rollback would hide the error that matters.
  #rollback(): void {
    if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
  }
}

/** What SQLite keeps in and beside a database. */
const FILES = ['', '-wal', '-shm', '-journal'];

// The driver makes its log and its shared memory with the mode of the file.
function keepPrivate(path: string): void {
  makePrivateFile(path);
  for (const suffix of FILES) tighten(path + suffix);
}

interface ResultColumn {
  readonly name: string;
  /** As the table declares it; null where it is computed. */
  readonly type: string | null;
}

interface DriverOptions {
  readonly timeout: number;
  readonly readOnly: boolean;
  readonly fileKey: string | undefined;
}

function openDriver(path: string, { timeout, readOnly, fileKey }: DriverOptions): Database.Database {
  const options = driverOptions(timeout, fileKey);
  const database = new Database(path, options);
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get([]);
    return database;
  } catch (error) {
    // A reader of a WAL file needs its shared memory file, which cannot be made in a read-only folder or on a full disk.
    // Where there is no log either, nobody is writing, and the file can be read as it stands.
    database.close();
    const kind = sqliteFaultOf(error);
    const isReadable = kind === 'cannot-open' || kind === 'read-only' || (kind === 'full' && readOnly);
    if (!isReadable || bytesOf(`${path}-wal`) > 0) throw error;
    return new Database(`${pathToFileURL(path).href}?immutable=1`, options);
  }
}

// What the caller's own work throws inside a transaction passes through.
function errorOf(error: unknown, toError: SqliteOptions['toError']): Error {
  if (!(error instanceof Error)) return new Error('A value that is no error was thrown.', { cause: error });
  if (RAGError.isInstance(error)) return error;
  const kind = sqliteFaultOf(error);
  const isDrivers = error instanceof Database.SqliteError || error.message.startsWith('ConnectionFailed(');
  return isDrivers || kind !== 'other' ? toError(kind, error) : error;
}

/** Bytes of a file; 0 where it is missing. */
export function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
