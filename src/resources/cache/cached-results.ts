import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILES } from '../../core/data-folder.js';
import { RAGError } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import { makePrivateFolder } from '../../platform/security/private-files.js';
import { textAt } from '../../platform/sqlite/row.js';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS result (
    key TEXT PRIMARY KEY,
    revision TEXT NOT NULL,
    value BLOB NOT NULL,
    at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS result_by_age ON result (at);
`;

const WAIT_MS = 200;
/** What is too much is removed after so many results. */
const CLEAN_AFTER = 32;

/**
 * Results of searches in a file of the data folder, so that a process that starts while a part is out has what others found. Of one
 * revision of the index alone. A file that cannot be read or written is left out: nothing here throws.
 */
export class CachedResults {
  readonly #folder: string;
  readonly #maxEntries: number;
  #opened: SqliteDatabase | undefined;
  #isOff = false;
  #written = 0;

  constructor({ folder, maxEntries }: { readonly folder: string; readonly maxEntries: number }) {
    this.#folder = folder;
    this.#maxEntries = maxEntries;
  }

  /** @param maxAgeMs what is older is not found. @default any age will do, for the revision says that nothing has changed since */
  get(key: string, maxAgeMs = Number.MAX_SAFE_INTEGER): string | undefined {
    return this.#attempt((database) => {
      const row = database.row(
        'SELECT value FROM result WHERE key = ? AND at >= ?',
        key,
        Math.max(0, runtime().now() - maxAgeMs),
      );
      return row === undefined ? undefined : textAt(row, 0);
    });
  }

  set(key: string, revision: string, value: string): void {
    this.#attempt((database) =>
      database.transaction(() => {
        this.#dropOthers(database, revision);
        database.run(
          'INSERT OR REPLACE INTO result (key, revision, value, at) VALUES (?, ?, ?, ?)',
          ...[key, revision, Buffer.from(value), Math.round(runtime().now())],
        );
        if (this.#written++ % CLEAN_AFTER === 0)
          database.run(
            'DELETE FROM result WHERE key IN (SELECT key FROM result ORDER BY at DESC LIMIT -1 OFFSET ?)',
            this.#maxEntries,
          );
      }),
    );
  }

  /** Leaves nothing of what was found in another state of the index: it may hold text that is gone. */
  dropOthers(revision: string | undefined): void {
    this.#attempt((database) => this.#dropOthers(database, revision ?? ''));
  }

  clear(): number {
    return this.#attempt((database) => database.run('DELETE FROM result')) ?? 0;
  }

  close(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }

  #dropOthers(database: SqliteDatabase, revision: string): void {
    if (database.row('SELECT 1 FROM result WHERE revision <> ? LIMIT 1', revision) !== undefined)
      database.run('DELETE FROM result WHERE revision <> ?', revision);
  }

  #attempt<Result>(work: (database: SqliteDatabase) => Result): Result | undefined {
    if (this.#isOff) return undefined;
    try {
      this.#opened ??= openFile(this.#folder);
      return work(this.#opened);
    } catch {
      this.#isOff = true;
      this.close();
      // Nothing in it is worth a search that fails, and what it holds may be gone from the index.
      removeCachedResults(this.#folder);
      return undefined;
    }
  }
}

/** Removes the file, whatever process wrote it. */
export function removeCachedResults(folder: string): void {
  for (const suffix of ['-journal', ''])
    rmSync(join(folder, DATA_FILES.searchResults + suffix), { force: true });
}

function openFile(folder: string): SqliteDatabase {
  makePrivateFolder(folder);
  const database = SqliteDatabase.open(join(folder, DATA_FILES.searchResults), {
    busyTimeoutMs: WAIT_MS,
    toError: (_, cause) => new RAGError('SERVICE_UNAVAILABLE', 'Kept results cannot be read.', { cause }),
  });
  try {
    // A crash of the machine may cost what is kept; its journal goes with each write, so no log holds what was deleted.
    database.exec(`PRAGMA synchronous = OFF; PRAGMA secure_delete = ON; ${SCHEMA}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
