import { RAGError } from '../../core/errors.js';
import { bytesAt, numberAt, optionalTextAt, type SqlRow, text, textAt } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import { SqliteValueError } from '../../sqlite/sqlite-fault.js';
import type { GenerationState, GenerationTarget, IndexFacts } from '../ledger.js';
import { originalText, storableText } from '../ledger-text.js';
import { ROW_TABLES } from '../rows/document-rows.js';
import { forgetGoneFacts } from '../rows/facts.js';
import { assertStillLive } from '../still-live.js';
import { runProgram } from './run-program.js';

const COLUMNS = `generation, ${text('state')}, ${text('provider')}, ${text('collection')}, dimensions,
  ${text('fingerprint')}, ${text('embedder')}, ${text('started_at')}, ${text('switched_at')}, ${text('learned')}, ${text('upgrade')}`;

const STATES: readonly GenerationState[] = ['building', 'live', 'retired'];

export function liveGeneration(database: SqliteDatabase): IndexFacts | undefined {
  // Reads a state that nobody knows too, and fails: one that was live must not be taken for an index that is empty.
  const row = database.row(`SELECT ${COLUMNS} FROM generation WHERE state NOT IN ('building', 'retired')`);
  return row === undefined ? undefined : readGeneration(row);
}

/** Newest first. */
export const allGenerations = (database: SqliteDatabase): IndexFacts[] =>
  database.rows(`SELECT ${COLUMNS} FROM generation ORDER BY generation DESC`).map(readGeneration);

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

/** See `Generations.switchTo`. */
export function switchGeneration(
  database: SqliteDatabase,
  generation: number,
  at: string,
  from?: number,
): void {
  if (from !== undefined) assertStillLive(liveGeneration(database)?.generation, { from, to: generation });
  database.run(
    "UPDATE generation SET state = 'retired' WHERE state = 'live' AND generation <> ?",
    generation,
  );
  const changed = database.run(
    "UPDATE generation SET state = 'live', switched_at = ? WHERE generation = ?",
    at,
    generation,
  );
  if (changed === 0) throw unknownGeneration(generation);
}

/** See `Generations.makeFirst`. */
export function makeFirstGeneration(database: SqliteDatabase, generation: number, at: string): boolean {
  const live = liveGeneration(database);
  if (live !== undefined) return live.generation === generation;
  switchGeneration(database, generation, at);
  return true;
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
  const live = liveGeneration(database);
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

export function learnedBytes(database: SqliteDatabase, generation: number): Uint8Array | undefined {
  const sql = 'SELECT learned_bytes FROM generation WHERE generation = ? AND learned_bytes IS NOT NULL';
  const row = database.row(sql, generation);
  return row === undefined ? undefined : bytesAt(row, 0);
}

export function recordLearned(
  database: SqliteDatabase,
  generation: number,
  learned: { readonly stamp: string; readonly bytes: Uint8Array } | undefined,
): void {
  const sql = 'UPDATE generation SET learned = ?, learned_bytes = ? WHERE generation = ?';
  database.run(sql, learned?.stamp ?? null, learned?.bytes ?? null, generation);
}

/** See `Generations.setUpgrade`. */
export function recordUpgrade(database: SqliteDatabase, generation: number, upgrade: string): void {
  const sql = 'UPDATE generation SET upgrade = ? WHERE generation = ?';
  database.run(sql, storableText(upgrade), generation);
}

const unknownGeneration = (generation: number): RAGError =>
  new RAGError('USAGE', `There is no generation ${generation}: \`ragstone generations\` lists them.`);

function readGeneration(row: SqlRow): IndexFacts {
  const state = STATES.find((candidate) => candidate === textAt(row, 1));
  if (state === undefined) throw new SqliteValueError('a generation state', 1);
  return {
    generation: numberAt(row, 0),
    state,
    provider: textAt(row, 2),
    collection: originalText(textAt(row, 3)),
    dimensions: numberAt(row, 4),
    fingerprint: originalText(textAt(row, 5)),
    embedder: originalText(textAt(row, 6)),
    startedAt: optionalTextAt(row, 7),
    switchedAt: optionalTextAt(row, 8),
    learned: optionalTextAt(row, 9),
    ...upgradeOf(optionalTextAt(row, 10)),
  };
}

const upgradeOf = (upgrade: string | undefined): Pick<IndexFacts, 'upgrade'> =>
  upgrade === undefined ? {} : { upgrade: originalText(upgrade) };
