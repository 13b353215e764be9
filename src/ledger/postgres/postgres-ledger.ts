import { RAGError } from '../../core/errors.js';
import { connectionSettings, type PostgresConnectionOptions } from '../../postgres/connection-settings.js';
import { PostgresDatabase } from '../../postgres/postgres-database.js';
import type {
  GenerationReader,
  GenerationTarget,
  GenerationWriter,
  IndexFacts,
  KeptOutNames,
  Ledger,
  LockRequest,
  RunRecord,
  WriterLock,
} from '../ledger.js';
import { countChange, revisionOf } from './changes.js';
import { ledgerError } from './faults.js';
import { editRuns, keepOut, keptOut, letIn, reclaim } from './forgotten.js';
import {
  allGenerations,
  beginGeneration,
  dropGeneration,
  learnedBytes,
  liveGeneration,
  makeFirstGeneration,
  recordLearned,
  recordUpgrade,
  switchGeneration,
} from './generations.js';
import { PostgresHistory } from './history.js';
import { acquireIndexLock } from './index-lock.js';
import {
  PostgresGenerationReader,
  PostgresGenerationWriter,
  type PostgresWriterOptions,
} from './postgres-generation.js';
import { numberOf } from './row.js';
import { findLastRun, finishRun, startRun } from './runs.js';
import { prepareSchema, remakeSchema, schemaVersion, TABLES } from './schema.js';
import {
  forgetRememberedSources,
  ownSources,
  rememberedSources,
  rememberSources,
  sourceOwners,
} from './sources.js';

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
class PostgresLedger implements Ledger {
  readonly #database: PostgresDatabase;
  readonly #options: Omit<PostgresWriterOptions, 'generation' | 'holder'>;
  readonly history: PostgresHistory;

  constructor(database: PostgresDatabase, options: Omit<PostgresWriterOptions, 'generation' | 'holder'>) {
    this.#database = database;
    this.#options = options;
    this.history = new PostgresHistory(database);
  }

  revision(): Promise<string | undefined> {
    return revisionOf(this.#database);
  }

  live(): Promise<IndexFacts | undefined> {
    return liveGeneration(this.#database);
  }

  generations(): Promise<IndexFacts[]> {
    return allGenerations(this.#database);
  }

  begin(target: (generation: number) => GenerationTarget, at: string): Promise<IndexFacts> {
    return beginGeneration(this.#database, target, at);
  }

  switchTo(generation: number, at: string, from?: number): Promise<void> {
    return switchGeneration(this.#database, generation, {
      ...{ at, from },
      keepsHistory: this.#options.keepsHistory,
    });
  }

  makeFirst(generation: number, at: string): Promise<boolean> {
    return makeFirstGeneration(this.#database, generation, {
      at,
      keepsHistory: this.#options.keepsHistory,
    });
  }

  drop(generation: number): Promise<void> {
    return dropGeneration(this.#database, generation);
  }

  learned(generation: number): Promise<Uint8Array | undefined> {
    return learnedBytes(this.#database, generation);
  }

  setLearned(
    generation: number,
    learned: { readonly stamp: string; readonly bytes: Uint8Array } | undefined,
  ): Promise<void> {
    return recordLearned(this.#database, generation, learned);
  }

  setUpgrade(generation: number, upgrade: string): Promise<void> {
    return recordUpgrade(this.#database, generation, upgrade);
  }

  reader(generation: number): GenerationReader {
    return new PostgresGenerationReader(this.#database, generation);
  }

  writer(generation: number, holder: string): GenerationWriter {
    return new PostgresGenerationWriter(this.#database, { ...this.#options, generation, holder });
  }

  rememberedSources(tenant: string): Promise<string[]> {
    return rememberedSources(this.#database, tenant);
  }

  async rememberSources(tenant: string, sources: readonly string[]): Promise<void> {
    if (sources.length > 0) await rememberSources(this.#database, tenant, sources);
  }

  async forgetSources(tenant: string, sources: readonly string[]): Promise<void> {
    if (sources.length > 0) await forgetRememberedSources(this.#database, tenant, sources);
  }

  sourceOwners(tenant: string): Promise<Map<string, string[]>> {
    return sourceOwners(this.#database, tenant);
  }

  ownSources(tenant: string, owner: string, sources: readonly string[]): Promise<void> {
    return ownSources(this.#database, tenant, { owner, sources });
  }

  startRun(command: string, at: string): Promise<number> {
    return startRun(this.#database, command, at);
  }

  finishRun(runId: number, result: { at: string; success: boolean; stats: string }): Promise<void> {
    return finishRun(this.#database, runId, result);
  }

  lastRun(): Promise<RunRecord | undefined> {
    return findLastRun(this.#database);
  }

  keptOut(tenant: string): Promise<KeptOutNames[]> {
    return keptOut(this.#database, tenant);
  }

  keepOut(...[tenant, names]: Parameters<Ledger['keepOut']>): Promise<void> {
    return keepOut(this.#database, tenant, names);
  }

  letIn(tenant: string, receipt: string): Promise<number> {
    return letIn(this.#database, tenant, receipt);
  }

  editRuns(edit: (stats: string) => string): Promise<number> {
    return editRuns(this.#database, edit);
  }

  reclaim(): Promise<void> {
    return reclaim(this.#database);
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
