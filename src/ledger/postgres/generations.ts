import { RAGError } from '../../core/errors.js';
import type { PostgresDatabase } from '../../platform/postgres/postgres-database.js';
import type { Generation, GenerationTarget } from '../ledger.js';
import { storableText } from '../ledger-text.js';
import { ROW_TABLES } from '../rows/document-rows.js';
import { forgetGoneFacts } from '../rows/facts.js';
import { dropHistory } from '../rows/history.js';
import { numberOf } from './row.js';
import { runProgram } from './run-program.js';

/** Puts changes of generations in a row. */
const LOCK = 'SELECT last_generation FROM ragstone_ledger_counter FOR UPDATE';

/** See `Generations.begin`. */
export async function beginGeneration(
  database: PostgresDatabase,
  targetOf: (generation: number) => GenerationTarget,
  at: string,
): Promise<Generation> {
  const call = { action: 'begin a generation', isIdempotent: false };
  return database.transaction(call, async (run) => {
    const counted = await run(
      'UPDATE ragstone_ledger_counter SET last_generation = last_generation + 1 RETURNING last_generation',
    );
    const generation = numberOf(counted.rows[0] ?? {}, 'last_generation');
    const { provider, collection, dimensions, fingerprint, embedder } = targetOf(generation);
    await run(
      `INSERT INTO ragstone_ledger_generation (generation, state, provider, collection, dimensions, fingerprint, embedder,
         started_at) VALUES ($1, 'building', $2, $3, $4, $5, $6, $7)`,
      [
        generation,
        storableText(provider),
        storableText(collection),
        dimensions,
        storableText(fingerprint),
        storableText(embedder),
        at,
      ],
    );
    const target = { provider, collection, dimensions, fingerprint, embedder };
    return { ...target, generation, state: 'building', startedAt: at };
  });
}

/** Tables whose rows belong to a generation by a column, those first that refer to others. */
const OF_GENERATION = [
  ...ROW_TABLES.map((table) => `ragstone_ledger_${table}`),
  'ragstone_ledger_chunk',
  'ragstone_ledger_document',
  'ragstone_ledger_item',
  'ragstone_ledger_owed',
  'ragstone_ledger_source_cursor',
  'ragstone_ledger_source_state',
  'ragstone_ledger_lease',
  'ragstone_ledger_generation',
] as const;

/** See `Generations.drop`. */
export async function dropGeneration(database: PostgresDatabase, generation: number): Promise<void> {
  const timeoutMs = database.settings.maintenanceTimeoutMs;
  await database.transaction({ action: `drop generation ${generation}`, timeoutMs }, async (run) => {
    await run("SELECT set_config('statement_timeout', $1, true)", [String(timeoutMs)]);
    await run(LOCK);
    // Waits for writers of the generation; those that come later find it gone.
    const sql = 'SELECT state FROM ragstone_ledger_generation WHERE generation = $1 FOR UPDATE';
    const [row] = (await run(sql, [generation])).rows;
    if (row?.state === 'live')
      throw new RAGError(
        'USAGE',
        `Generation ${generation} is live: switch to another one before it is dropped.`,
      );
    await run(
      `DELETE FROM ragstone_ledger_revision
       WHERE document IN (SELECT id FROM ragstone_ledger_document WHERE generation = $1)`,
      [generation],
    );
    for (const table of OF_GENERATION) await run(`DELETE FROM ${table} WHERE generation = $1`, [generation]);
    await runProgram(run, forgetGoneFacts());
    await runProgram(run, dropHistory(generation));
  });
}
