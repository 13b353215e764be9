import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILES } from '../../../config/find-project.js';
import { RAGError, SYSTEM_RUNTIME } from '../../../index.js';
import { numberAt, textAt } from '../../../platform/sqlite/row.js';
import { SqliteDatabase } from '../../../platform/sqlite/sqlite-database.js';
import { digestOf, RETENTION_LIMITS, type RetainedPlace, type RetainedValues } from './retained-values.js';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS kept (
    kind TEXT NOT NULL,
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    value BLOB NOT NULL,
    at INTEGER NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (kind, tenant, key)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS kept_by_age ON kept (kind, tenant, at);
  CREATE INDEX IF NOT EXISTS kept_by_end ON kept (until);
`;

const PRIVATE_FOLDER = 0o700;
const WAIT_MS = 1_000;
/** What is too old or too much is removed after so many values. */
const CLEAN_AFTER = 64;

const FROM = 'FROM kept WHERE kind = ? AND tenant = ?';

/** Kept in a file of the data folder: processes of one machine share it, and a restart loses nothing. */
export class SqliteValues implements RetainedValues {
  readonly #folder: string;
  #opened: SqliteDatabase | undefined;
  #written = 0;

  constructor(dataDir: string) {
    this.#folder = dataDir;
  }

  async get(place: RetainedPlace): Promise<string | undefined> {
    return this.#find(place);
  }

  async set(place: RetainedPlace, value: string, milliseconds: number): Promise<void> {
    this.#write(place, value, milliseconds);
  }

  async claim(place: RetainedPlace, value: string, milliseconds: number): Promise<string | undefined> {
    return this.#database.transaction(() => {
      const known = this.#find(place);
      if (known === undefined) this.#write(place, value, milliseconds);
      return known;
    });
  }

  async remove({ kind, tenant, key }: RetainedPlace): Promise<void> {
    this.#database.run(`DELETE ${FROM} AND key = ?`, kind, digestOf(tenant), digestOf(key));
  }

  close(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }

  /** With the first value: a service that keeps nothing makes no file. */
  get #database(): SqliteDatabase {
    this.#opened ??= openFile(this.#folder);
    return this.#opened;
  }

  #find({ kind, tenant, key }: RetainedPlace): string | undefined {
    const row = this.#database.row(
      `SELECT value ${FROM} AND key = ? AND until > ?`,
      kind,
      digestOf(tenant),
      digestOf(key),
      SYSTEM_RUNTIME.now(),
    );
    return row === undefined ? undefined : textAt(row, 0);
  }

  #write(place: RetainedPlace, value: string, milliseconds: number): void {
    const { kind, tenant, key } = place;
    if (value.length > RETENTION_LIMITS[kind].characters) return;
    const now = SYSTEM_RUNTIME.now();
    this.#database.run(
      'INSERT OR REPLACE INTO kept (kind, tenant, key, value, at, until) VALUES (?, ?, ?, ?, ?, ?)',
      ...[kind, digestOf(tenant), digestOf(key), Buffer.from(value), now, now + milliseconds],
    );
    if (this.#written++ % CLEAN_AFTER === 0) this.#clean(place, now);
  }

  #clean({ kind, tenant }: RetainedPlace, now: number): void {
    const { entries, characters } = RETENTION_LIMITS[kind];
    this.#database.run('DELETE FROM kept WHERE until <= ?', now);
    const owner = [kind, digestOf(tenant)];
    const row = this.#database.row(
      `SELECT max(at) FROM (SELECT at, row_number() OVER youngest AS n, sum(length(value)) OVER youngest AS bytes
       ${FROM} WINDOW youngest AS (ORDER BY at DESC, key)) WHERE n > ? OR bytes > ?`,
      ...[...owner, entries, characters],
    );
    if (typeof row?.[0] === 'number')
      this.#database.run(`DELETE ${FROM} AND at <= ?`, ...owner, numberAt(row, 0));
  }
}

function openFile(folder: string): SqliteDatabase {
  const path = join(folder, DATA_FILES.serviceValues);
  const toError = (_: unknown, cause: unknown): RAGError =>
    new RAGError('SERVICE_UNAVAILABLE', 'What the service keeps cannot be read or written now.', {
      cause,
      details: { path },
    });
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  } catch (cause) {
    throw toError(undefined, cause);
  }
  const database = SqliteDatabase.open(path, { busyTimeoutMs: WAIT_MS, toError });
  try {
    database.pragma('journal_mode = WAL');
    database.exec(`PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; ${SCHEMA}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
