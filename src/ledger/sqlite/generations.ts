import { RAGError } from '../../core/errors.js';
import { numberAt } from '../../platform/sqlite/row.js';
import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import type { GenerationTarget, IndexFacts } from '../ledger.js';
import { storableText } from '../ledger-text.js';
import { ROW_TABLES } from '../rows/document-rows.js';
import { forgetGoneFacts } from '../rows/facts.js';
import { liveGeneration } from '../rows/generations.js';
import { runProgram } from './run-program.js';

/** See `Generations.begin`. */
export function beginGeneration(
  database: SqliteDatabase,
  targetOf: (generation: number) => GenerationTarget,
  at: string,
): IndexFacts {
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
export function dropGeneration(database: SqliteDatabase, generation: number): void {
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
