import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import {
  type ControlledTransaction,
  Kysely,
  PostgresDialect,
  type SqliteDatabase,
  SqliteDialect,
  sql,
} from 'kysely';
import type * as PgModule from 'pg';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import { momentOf } from '../../core/moment.js';
import { realPathOf } from '../../platform/security/path-containment.js';
import { assertOpenable } from '../../platform/security/regular-file.js';
import { rootError } from '../file-patterns.js';
import { exactNumber } from './sql-values.js';
import { rowOfBytes, withTextsAsBytes } from './sqlite-texts.js';

/** Where rows are. Secrets in here are never part of a message. */
export type SqlConnection =
  | {
      readonly dialect: 'postgres';
      readonly connectionString?: string;
      readonly host?: string;
      readonly port?: number;
      readonly database?: string;
      readonly user?: string;
      readonly password?: string;
      readonly ssl?: boolean;
    }
  | {
      readonly dialect: 'sqlite';
      /** An existing file. It is opened for reading alone. */
      readonly path: string;
      /** Told the file with its links resolved, before it is opened. Throws where it must not be. */
      readonly assertRoot?: ((real: string) => void) | undefined;
    };

/** No table is known beforehand. */
type AnyTables = Record<string, Record<string, unknown>>;

export type SqlTransaction = ControlledTransaction<AnyTables>;

/** Longest time that an unused connection stays open, in milliseconds. */
const IDLE_MS = 2_000;

/** Opens a database for reading. The caller destroys it. */
export async function openSqlDatabase(
  connection: SqlConnection,
  { source, timeoutMs }: { readonly source: string; readonly timeoutMs: number },
): Promise<Kysely<AnyTables>> {
  if (connection.dialect === 'sqlite')
    return new Kysely({
      dialect: new SqliteDialect({ database: await openSqlite(connection, source, timeoutMs) }),
    });
  const { Pool, types } = (await loadPg(source)).default;
  const { dialect: _, ...where } = connection;
  const options: PgModule.PoolConfig = {
    ...where,
    application_name: 'ragstone',
    max: 2,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs + 1_000,
    idleTimeoutMillis: IDLE_MS,
    // A program that is done is not kept alive by a connection that nobody uses.
    allowExitOnIdle: true,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        TEXT_PARSERS.get(oid) ?? types.getTypeParser(oid, format),
    },
  };
  const pool = new Pool(options);
  // A connection that breaks while idle is replaced by the next use; without a listener it would end the process.
  pool.on('error', () => undefined);
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

/**
 * A transaction that sees one state and can write nothing; it must be rolled back when done. PostgreSQL ends each statement after
 * `timeoutMs`; SQLite has no such limit, there it is the longest wait for a lock.
 */
export async function beginReading(
  database: Kysely<AnyTables>,
  connection: SqlConnection,
  timeoutMs: number,
): Promise<SqlTransaction> {
  if (connection.dialect === 'sqlite') return database.startTransaction().execute();
  const transaction = await database
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute();
  await sql
    .raw(
      `SET LOCAL statement_timeout = ${Math.round(timeoutMs)}; SET LOCAL TIME ZONE 0; SET LOCAL datestyle = 'ISO'`,
    )
    .execute(transaction);
  return transaction;
}

// Numbers of PostgreSQL's types (pg_type.dat). Its driver takes dates for local ones and makes texts of whole numbers.
const INT8 = 20;
const DATE = 1082;
const TIMESTAMP = 1114;
const NUMERIC = 1700;
const TEXT_PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map([
  [INT8, exactNumber],
  [NUMERIC, exactNumber],
  [DATE, (text: string) => text],
  [TIMESTAMP, (text: string) => momentOf(text) ?? text],
]);

async function loadPg(source: string): Promise<typeof PgModule> {
  try {
    return await import('pg');
  } catch (error) {
    const isMissing = systemErrorCode(error) === 'ERR_MODULE_NOT_FOUND';
    throw new RAGError(
      'PACKAGE_MISSING',
      `Source "${source}" needs the driver of PostgreSQL, which ${isMissing ? 'is not installed' : 'could not be loaded'}. Run \`npm install pg@8.23.1\`.`,
      { cause: error, details: { package: 'pg' } },
    );
  }
}

async function openSqlite(
  { path: stated, assertRoot }: Extract<SqlConnection, { dialect: 'sqlite' }>,
  source: string,
  timeoutMs: number,
): Promise<SqliteDatabase> {
  const path = realPathOf(stated);
  assertRoot?.(path);
  await access(path, constants.R_OK).catch((error: unknown) => {
    throw rootError(stated, source, error);
  });
  // It opens each of them by itself, and would wait for a pipe without an end.
  for (const suffix of ['', '-wal', '-shm', '-journal']) assertOpenable(path + suffix);
  const { default: Database } = await import('libsql');
  const database = new Database(`${pathToFileURL(path).href}?mode=ro`, { timeout: timeoutMs });
  // Whole numbers above 2^53 come whole.
  database.defaultSafeIntegers(true);
  return {
    close: () => database.close(),
    prepare: (text) => {
      const plain = database.prepare(text);
      const columns = (plain.columns() as readonly { readonly name: string }[]).map(({ name }) => name);
      if (columns.length === 0)
        return {
          reader: plain.reader,
          all: (values) => plain.all([...values]),
          run: (values) => plain.run([...values]),
          iterate: (values) => plain.iterate([...values]),
        };
      const statement = database.prepare(withTextsAsBytes(text, columns.length));
      const all = (values: readonly unknown[]): unknown[] =>
        statement.all([...values]).map((row) => rowOfBytes(row as Record<string, unknown>, columns));
      return {
        reader: true,
        all,
        run: (values) => statement.run([...values]),
        iterate: (values) => all(values).values(),
      };
    },
  };
}
