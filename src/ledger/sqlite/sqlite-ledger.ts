import { RAGError } from '../../core/errors.js';
import { numberAt } from '../../platform/sqlite/row.js';
import { bytesOf, type SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import type { Generation, GenerationReader, GenerationTarget, GenerationWriter, Ledger } from '../ledger.js';
import { storableText } from '../ledger-text.js';
import { countChange } from '../rows/changes.js';
import { text } from '../rows/columns.js';
import { ROW_TABLES } from '../rows/document-rows.js';
import { FACT_TABLES, forgetGoneFacts } from '../rows/facts.js';
import { LedgerGenerationReader } from '../rows/generation-reader.js';
import { liveGeneration } from '../rows/generations.js';
import { dropHistory, HISTORY_TABLES } from '../rows/history.js';
import { insert, select } from '../rows/program.js';
import { startRun } from '../rows/runs.js';
import { sql } from '../rows/sql.js';
import { StoredLedger } from '../rows/stored-ledger.js';
import { damagedTexts } from './damaged-texts.js';
import { runProgram, sqlitePrograms } from './run-program.js';
import { SqliteGenerationWriter } from './sqlite-generation.js';

export interface SqliteLedgerOptions {
  readonly keepRevisions: number;
  /** What is written is written down in the history too; without it, the record ends. */
  readonly keepsHistory: boolean;
  readonly readOnly: boolean;
  /** Milliseconds since 1970; leases are measured by it. */
  readonly now: () => number;
}

/** Every table that `clear` empties, those first that refer to others. */
export const TABLES: readonly string[] = [
  ...HISTORY_TABLES,
  ...FACT_TABLES,
  ...ROW_TABLES,
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
];

const SOURCE_ROOT = { tenant: text('tenant'), source: text('source'), root: text('root') };

/** The ledger over one SQLite file. Every method that writes is one transaction; every read is one snapshot. */
export class SqliteLedger extends StoredLedger implements Ledger {
  readonly #database: SqliteDatabase;
  readonly #options: SqliteLedgerOptions;

  constructor(database: SqliteDatabase, options: SqliteLedgerOptions) {
    super(sqlitePrograms(database), options);
    this.#database = database;
    this.#options = options;
  }

  async begin(target: (generation: number) => GenerationTarget, at: string): Promise<Generation> {
    return this.#database.transaction(() => beginGeneration(this.#database, target, at));
  }

  async drop(generation: number): Promise<void> {
    this.#database.transaction(() => {
      dropGeneration(this.#database, generation);
      runProgram(this.#database, dropHistory(generation));
    });
    this.#database.eraseDeleted();
  }

  reader(generation: number): GenerationReader {
    return new LedgerGenerationReader({ programs: this.programs, generation });
  }

  writer(generation: number, holder: string): GenerationWriter {
    return new SqliteGenerationWriter(this.#database, { ...this.#options, generation, holder });
  }

  async sourceRoots(tenant: string): Promise<Map<string, string>> {
    const rows = await this.programs.read('read where its sources lie', () =>
      select(SOURCE_ROOT, sql`FROM @source_root WHERE tenant = ${storableText(tenant)}`),
    );
    return new Map(rows.map(({ source, root }) => [source, root]));
  }

  async recordSourceRoots(tenant: string, roots: ReadonlyMap<string, string>): Promise<void> {
    if (roots.size === 0) return;
    const rows = Array.from(roots, ([source, root]) => ({ tenant, source, root }));
    await this.programs.transaction('record where its sources lie', () =>
      insert('source_root', SOURCE_ROOT, rows, sql`ON CONFLICT DO UPDATE SET root = excluded.root`),
    );
  }

  startRun(command: string, at: string): Promise<number> {
    return this.programs.transaction('record a run', () => startRun(command, at));
  }

  async reclaim(): Promise<void> {
    this.#database.rewrite();
  }

  async clear(): Promise<void> {
    this.#database.transaction(() => {
      for (const table of TABLES) this.#database.run(`DELETE FROM ${table}`);
      runProgram(this.#database, countChange());
    });
    this.#database.eraseDeleted();
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

/** See `Generations.begin`. */
function beginGeneration(
  database: SqliteDatabase,
  targetOf: (generation: number) => GenerationTarget,
  at: string,
): Generation {
  const row = database.row(
    `INSERT INTO generation (state, provider, collection, dimensions, fingerprint, embedder, started_at)
     VALUES ('building', '', '', 0, '', '', ?) RETURNING generation`,
    at,
  );
  const generation = numberAt(row ?? [], 0);
  const target = targetOf(generation);
  database.run(
    `UPDATE generation SET provider = ?, collection = ?, dimensions = ?, fingerprint = ?, embedder = ?
     WHERE generation = ?`,
    target.provider,
    storableText(target.collection),
    target.dimensions,
    storableText(target.fingerprint),
    storableText(target.embedder),
    generation,
  );
  return { ...target, generation, state: 'building', startedAt: at };
}

/** Tables whose rows belong to a generation by a column. */
const OF_GENERATION = [
  ...ROW_TABLES,
  'chunk',
  'document',
  'item',
  'source_cursor',
  'source_state',
  'lease',
  'generation',
] as const;

/** See `Generations.drop`. */
function dropGeneration(database: SqliteDatabase, generation: number): void {
  const live = runProgram(database, liveGeneration());
  if (live?.generation === generation)
    throw new RAGError(
      'USAGE',
      `Generation ${generation} is live: switch to another one before it is dropped.`,
    );
  database.run(
    'DELETE FROM revision WHERE document IN (SELECT id FROM document WHERE generation = ?)',
    generation,
  );
  for (const table of OF_GENERATION) database.run(`DELETE FROM ${table} WHERE generation = ?`, generation);
  runProgram(database, forgetGoneFacts());
}
