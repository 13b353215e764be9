import { numberAt } from '../../sqlite/row.js';
import { bytesOf, type SqliteDatabase } from '../../sqlite/sqlite-database.js';
import { KEPT_RUNS } from '../kept-runs.js';
import type {
  GenerationReader,
  GenerationTarget,
  GenerationWriter,
  IndexFacts,
  KeptOutNames,
  Ledger,
  RunRecord,
} from '../ledger.js';
import { storableText } from '../ledger-text.js';
import { countChange, revisionOf } from './changes.js';
import { damagedTexts } from './damaged-texts.js';
import { editRuns, keepOut, keptOut, letIn } from './forgotten.js';
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
import { dropHistory, SqliteHistory, switchHistory } from './history.js';
import { breakHistory } from './history-log.js';
import {
  forgetRememberedSource,
  ownSources,
  recordSourceRoots,
  rememberedSources,
  rememberSource,
  sourceOwners,
  sourceRoots,
} from './sources.js';
import { SqliteGenerationReader, SqliteGenerationWriter } from './sqlite-generation.js';
import { findLastRun } from './summaries.js';

export interface SqliteLedgerOptions {
  readonly keepRevisions: number;
  /** What is written is written down in the history too; without it, the record ends. */
  readonly keepsHistory: boolean;
  readonly readOnly: boolean;
  /** Milliseconds since 1970; leases are measured by it. */
  readonly now: () => number;
}

/** Every table that `clear` empties, those first that refer to others. */
export const TABLES = [
  'history_part',
  'history_version',
  'history_mark',
  'history_live',
  'history_state',
  'fact_source',
  'fact_summary',
  'fact_name',
  'fact',
  'graph_name',
  'graph_reference',
  'statement',
  'revision',
  'chunk',
  'document',
  'item',
  'source_cursor',
  'source_state',
  'lease',
  'generation',
  'remembered_source',
  'source_owner',
  'source_root',
  'run',
] as const;

/** The ledger over one SQLite file. Every method that writes is one transaction; every read is one snapshot. */
export class SqliteLedger implements Ledger {
  readonly #database: SqliteDatabase;
  readonly #options: SqliteLedgerOptions;
  readonly history: SqliteHistory;

  constructor(database: SqliteDatabase, options: SqliteLedgerOptions) {
    this.#database = database;
    this.#options = options;
    this.history = new SqliteHistory(database);
  }

  async revision(): Promise<string | undefined> {
    return this.#database.guard(() => revisionOf(this.#database));
  }

  /** A transaction that changes what a search may show. */
  #changing<Result>(work: () => Result): Result {
    return this.#database.transaction(() => {
      const result = work();
      countChange(this.#database);
      return result;
    });
  }

  async live(): Promise<IndexFacts | undefined> {
    return this.#database.guard(() => liveGeneration(this.#database));
  }

  async generations(): Promise<IndexFacts[]> {
    return this.#database.guard(() => allGenerations(this.#database));
  }

  async begin(target: (generation: number) => GenerationTarget, at: string): Promise<IndexFacts> {
    return this.#database.transaction(() => beginGeneration(this.#database, target, at));
  }

  async switchTo(generation: number, at: string, from?: number): Promise<void> {
    this.#changing(() => {
      switchGeneration(this.#database, generation, at, from);
      this.#recordSwitch(generation, at);
    });
  }

  async makeFirst(generation: number, at: string): Promise<boolean> {
    return this.#changing(() => {
      const before = liveGeneration(this.#database);
      const isLive = makeFirstGeneration(this.#database, generation, at);
      if (before === undefined && isLive) this.#recordSwitch(generation, at);
      return isLive;
    });
  }

  #recordSwitch(generation: number, at: string): void {
    if (this.#options.keepsHistory) switchHistory(this.#database, generation, Date.parse(at));
    else breakHistory(this.#database);
  }

  async drop(generation: number): Promise<void> {
    this.#database.transaction(() => {
      dropGeneration(this.#database, generation);
      dropHistory(this.#database, generation);
    });
    this.#database.tryTruncateLog();
  }

  async learned(generation: number): Promise<Uint8Array | undefined> {
    return this.#database.guard(() => learnedBytes(this.#database, generation));
  }

  async setLearned(...[generation, learned]: Parameters<Ledger['setLearned']>): Promise<void> {
    this.#changing(() => recordLearned(this.#database, generation, learned));
  }

  async setUpgrade(generation: number, upgrade: string): Promise<void> {
    this.#changing(() => recordUpgrade(this.#database, generation, upgrade));
  }

  reader(generation: number): GenerationReader {
    return new SqliteGenerationReader(this.#database, generation);
  }

  writer(generation: number, holder: string): GenerationWriter {
    return new SqliteGenerationWriter(this.#database, { ...this.#options, generation, holder });
  }

  async rememberedSources(tenant: string): Promise<string[]> {
    return this.#database.guard(() => rememberedSources(this.#database, tenant));
  }

  async rememberSources(tenant: string, sources: readonly string[]): Promise<void> {
    if (sources.length === 0) return;
    this.#database.transaction(() => {
      for (const source of sources) rememberSource(this.#database, tenant, source);
    });
  }

  async forgetSources(tenant: string, sources: readonly string[]): Promise<void> {
    if (sources.length === 0) return;
    this.#database.transaction(() => {
      for (const source of sources) forgetRememberedSource(this.#database, tenant, source);
    });
  }

  async sourceOwners(tenant: string): Promise<Map<string, string[]>> {
    return this.#database.guard(() => sourceOwners(this.#database, tenant));
  }

  async ownSources(tenant: string, owner: string, sources: readonly string[]): Promise<void> {
    this.#database.transaction(() => ownSources(this.#database, tenant, { owner, sources }));
  }

  async sourceRoots(tenant: string): Promise<Map<string, string>> {
    return this.#database.guard(() => sourceRoots(this.#database, tenant));
  }

  async recordSourceRoots(tenant: string, roots: ReadonlyMap<string, string>): Promise<void> {
    if (roots.size === 0) return;
    this.#database.transaction(() => recordSourceRoots(this.#database, tenant, roots));
  }

  async startRun(command: string, at: string): Promise<number> {
    return this.#changing(() => {
      const sql = 'INSERT INTO run (command, started_at) VALUES (?, ?) RETURNING run_id';
      const runId = numberAt(this.#database.row(sql, storableText(command), at) ?? [], 0);
      this.#database.run('DELETE FROM run WHERE run_id <= ?', runId - KEPT_RUNS);
      return runId;
    });
  }

  async finishRun(
    runId: number,
    { at, success, stats }: { at: string; success: boolean; stats: string },
  ): Promise<void> {
    const sql = 'UPDATE run SET finished_at = ?, success = ?, stats = ? WHERE run_id = ?';
    this.#changing(() => this.#database.run(sql, at, success ? 1 : 0, stats, runId));
  }

  async lastRun(): Promise<RunRecord | undefined> {
    return this.#database.guard(() => findLastRun(this.#database));
  }

  async keptOut(tenant: string): Promise<KeptOutNames[]> {
    return this.#database.guard(() => keptOut(this.#database, tenant));
  }

  async keepOut(...[tenant, names]: Parameters<Ledger['keepOut']>): Promise<void> {
    this.#database.transaction(() => keepOut(this.#database, tenant, names));
  }

  async letIn(tenant: string, receipt: string): Promise<number> {
    return this.#database.transaction(() => letIn(this.#database, tenant, receipt));
  }

  async editRuns(edit: (stats: string) => string): Promise<number> {
    return this.#database.transaction(() => editRuns(this.#database, edit));
  }

  async reclaim(): Promise<void> {
    this.#database.rewrite();
  }

  async clear(): Promise<void> {
    this.#changing(() => {
      for (const table of TABLES) this.#database.run(`DELETE FROM ${table}`);
    });
    this.#database.tryTruncateLog();
  }

  async bytes(): Promise<number> {
    return bytesOf(this.#database.path) + bytesOf(`${this.#database.path}-wal`);
  }

  async integrity(): Promise<string[]> {
    try {
      const problems = this.#database.guard(() =>
        this.#database.rows('PRAGMA quick_check').map((row) => String(row[0])),
      );
      const faults = problems.filter((problem) => problem !== 'ok');
      return faults.length > 0 ? faults : this.#database.snapshot(() => damagedTexts(this.#database, TABLES));
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  }

  async close(): Promise<void> {
    if (!this.#options.readOnly) this.#database.tryTruncateLog();
    this.#database.close();
  }
}
