import { RAGError } from '../../core/errors.js';
import {
  connectionSettings,
  type PostgresConnectionOptions,
} from '../../platform/postgres/connection-settings.js';
import { PostgresDatabase } from '../../platform/postgres/postgres-database.js';
import type { Generation, GenerationReader, GenerationTarget, GenerationWriter, Ledger } from '../ledger.js';
import type { LockRequest, WriterLock } from '../lock.js';
import { startRun } from '../rows/runs.js';
import { StoredLedger } from '../rows/stored-ledger.js';
import { countChange } from './changes.js';
import { ledgerError } from './faults.js';
import { beginGeneration, dropGeneration } from './generations.js';
import { acquireIndexLock } from './index-lock.js';
import { forgetOldLeases } from './leases.js';
import {
  PostgresGenerationReader,
  PostgresGenerationWriter,
  type PostgresWriterOptions,
} from './postgres-generation.js';
import { numberOf } from './row.js';
import { postgresPrograms, runProgram } from './run-program.js';
import { prepareSchema, remakeSchema, schemaVersion, TABLES } from './schema.js';

export interface PostgresLedgerOptions extends PostgresConnectionOptions {
  /** Indexed revisions of a document whose text is kept for citations, the current one included. @default 3 */
  readonly keepRevisions?: number | undefined;
  /** Open for reading: nothing is made, migrated or written, and a missing ledger is `INDEX_EMPTY`. @default false */
  readonly readOnly?: boolean | undefined;
  /**
   * Whether what is written is written down in the history too (`Ledger.history`). All hosts must say the same: what is written without it
   * makes the record end. @default false
   */
  readonly keepsHistory?: boolean | undefined;
  /** Milliseconds since 1970; leases are measured by it. @default the server's clock, which all hosts share */
  readonly now?: (() => number) | undefined;
}

/**
 * Opens a ledger in PostgreSQL (13 or later): tables `ragstone_ledger_*` in one schema, which are made and migrated where that is
 * needed, by several processes at once if need be. Several hosts may write one index at a time.
 *
 * Every transaction is durable when its promise resolves, as far as the server's settings of `fsync` and replication go:
 * `synchronous_commit = off` is overruled. Transactions of two writers that meet wait for each other in one order; one
 * that the server ends to resolve a conflict is tried again. A connection pooler in front must keep sessions.
 *
 * Needs the optional package `pg`. Throws `PACKAGE_MISSING`, `CONFIG_INVALID`, `INDEX_UNAVAILABLE`, `INDEX_READ_ONLY`,
 * `INDEX_SCHEMA_TOO_NEW`, `INDEX_DISK_FULL` or `INDEX_EMPTY`.
 */
export async function openPostgresLedger({
  keepRevisions = 3,
  readOnly = false,
  keepsHistory = false,
  now,
  ...connection
}: PostgresLedgerOptions): Promise<Ledger> {
  const settings = connectionSettings(connection);
  const database = new PostgresDatabase({
    settings,
    prepareSession: `SELECT set_config('search_path', '"${settings.schema}"', false),
      ${readOnly ? "set_config('default_transaction_read_only', 'on', false)," : ''}
      CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', false) END`,
    toError: ledgerError,
    closedError,
  });
  try {
    if (readOnly) await assertThere(database);
    else await prepareSchema(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return new PostgresLedger(database, { keepRevisions: Math.max(1, keepRevisions), keepsHistory, now });
}

/** Makes the tables of a ledger anew and empty, whatever is damaged in them. Hold its lock for the whole. */
export async function remakePostgresLedger(connection: PostgresConnectionOptions): Promise<void> {
  const settings = connectionSettings(connection);
  const database = new PostgresDatabase({
    settings,
    prepareSession: `SELECT set_config('search_path', '"${settings.schema}"', false)`,
    toError: ledgerError,
    closedError,
  });
  try {
    await remakeSchema(database);
  } finally {
    await database.close();
  }
}

const closedError = (): RAGError => new RAGError('USAGE', 'The ledger is closed; open it again.');

async function assertThere(database: PostgresDatabase): Promise<void> {
  const { schema } = database.settings;
  const version = await database.withConnection({ action: 'be opened' }, (run) => schemaVersion(run, schema));
  if (version === 0)
    throw new RAGError(
      'INDEX_EMPTY',
      `There is no index in schema "${schema}" of PostgreSQL at ${database.address}. Run \`ragstone index\` first.`,
    );
}

/** The ledger over one PostgreSQL database. */
class PostgresLedger extends StoredLedger implements Ledger {
  readonly #database: PostgresDatabase;
  readonly #options: Omit<PostgresWriterOptions, 'generation' | 'holder'>;

  constructor(database: PostgresDatabase, options: Omit<PostgresWriterOptions, 'generation' | 'holder'>) {
    super(postgresPrograms(database), options);
    this.#database = database;
    this.#options = options;
  }

  begin(target: (generation: number) => GenerationTarget, at: string): Promise<Generation> {
    return beginGeneration(this.#database, target, at);
  }

  drop(generation: number): Promise<void> {
    return dropGeneration(this.#database, generation);
  }

  reader(generation: number): GenerationReader {
    return new PostgresGenerationReader(this.#database, generation);
  }

  writer(generation: number, holder: string): GenerationWriter {
    return new PostgresGenerationWriter(this.#database, { ...this.#options, generation, holder });
  }

  /** The ledger is tidied at this moment too, which comes once a run. */
  startRun(command: string, at: string): Promise<number> {
    return this.#database.transaction({ action: 'record a run', isIdempotent: false }, async (run) => {
      await forgetOldLeases(run);
      return runProgram(run, startRun(command, at));
    });
  }

  /** Dead rows are removed, and the pages that they leave at the end of a table given back. The bytes of others are written over in time. */
  async reclaim(): Promise<void> {
    await this.#database.maintain({ action: 'give up dead rows' }, 'ragstone ledger reclaim', async (run) => {
      await run(`VACUUM ${TABLES.join(', ')}`);
    });
  }

  async clear(): Promise<void> {
    const timeoutMs = this.#database.settings.maintenanceTimeoutMs;
    await this.#database.transaction({ action: 'be cleared', timeoutMs }, async (run) => {
      await run("SELECT set_config('statement_timeout', $1, true)", [String(timeoutMs)]);
      // Waits for writers, in the order in which `drop` and `switchTo` take their locks.
      await run('SELECT last_generation FROM ragstone_ledger_counter FOR UPDATE');
      await run('SELECT generation FROM ragstone_ledger_generation ORDER BY generation FOR UPDATE');
      for (const table of TABLES) await run(`DELETE FROM ${table}`);
      await countChange(run);
    });
  }

  lock(request: LockRequest): Promise<WriterLock> {
    return acquireIndexLock(this.#database, request);
  }

  async bytes(): Promise<number> {
    const [row] = await this.#database.rows(
      `SELECT coalesce(sum(pg_total_relation_size(name::regclass)), 0) AS bytes FROM unnest($1::text[]) AS name`,
      [TABLES],
      { action: 'tell its size' },
    );
    return numberOf(row ?? {}, 'bytes');
  }

  /** Whether every table is there; the server checks its own pages when it reads them. */
  async integrity(): Promise<string[]> {
    const rows = await this.#database.rows(
      'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL',
      [TABLES],
      { action: 'be checked' },
    );
    return rows.map(({ name }) => `table ${String(name)} is missing`);
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
