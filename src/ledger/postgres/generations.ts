import { RAGError } from '../../core/errors.js';
import type { PostgresDatabase, RunStatement } from '../../postgres/postgres-database.js';
import type { SqlRow } from '../../postgres/postgres-session.js';
import type { GenerationState, GenerationTarget, IndexFacts } from '../ledger.js';
import { storableText } from '../ledger-text.js';
import { ROW_TABLES } from '../rows/document-rows.js';
import { forgetGoneFacts } from '../rows/facts.js';
import { dropHistory, switchHistory } from '../rows/history.js';
import { breakHistory } from '../rows/history-log.js';
import { assertStillLive } from '../still-live.js';
import { unknownGeneration } from './books.js';
import { countChange } from './changes.js';
import { bytesOf, numberOf, oneOf, storedTextOf, textOf } from './row.js';
import { runProgram } from './run-program.js';

const COLUMNS = `generation, state, provider, collection, dimensions, fingerprint, embedder, started_at, switched_at,
  learned, upgrade`;

const STATES: readonly GenerationState[] = ['building', 'live', 'retired'];

/** Puts changes of generations in a row. */
const LOCK = 'SELECT last_generation FROM ragstone_ledger_counter FOR UPDATE';

export async function liveGeneration(database: PostgresDatabase): Promise<IndexFacts | undefined> {
  const sql = `SELECT ${COLUMNS} FROM ragstone_ledger_generation WHERE state = 'live'`;
  const [row] = await database.rows(sql, [], { action: 'read which generation is live' });
  return row === undefined ? undefined : readGeneration(row);
}

/** Newest first. */
export async function allGenerations(database: PostgresDatabase): Promise<IndexFacts[]> {
  const sql = `SELECT ${COLUMNS} FROM ragstone_ledger_generation ORDER BY generation DESC`;
  return (await database.rows(sql, [], { action: 'list its generations' })).map(readGeneration);
}

/** See `Generations.begin`. */
export async function beginGeneration(
  database: PostgresDatabase,
  targetOf: (generation: number) => GenerationTarget,
  at: string,
): Promise<IndexFacts> {
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

/** See `Generations.switchTo`. */
export async function switchGeneration(
  database: PostgresDatabase,
  generation: number,
  {
    at,
    from,
    keepsHistory,
  }: { readonly at: string; readonly from?: number | undefined; readonly keepsHistory: boolean },
): Promise<void> {
  await database.transaction({ action: `switch to generation ${generation}` }, async (run) => {
    await run(LOCK);
    if (from !== undefined) {
      const { rows } = await run("SELECT generation FROM ragstone_ledger_generation WHERE state = 'live'");
      const live = rows[0] === undefined ? undefined : numberOf(rows[0], 'generation');
      assertStillLive(live, { from, to: generation });
    }
    await run(
      "UPDATE ragstone_ledger_generation SET state = 'retired' WHERE state = 'live' AND generation <> $1",
      [generation],
    );
    const { count } = await run(
      "UPDATE ragstone_ledger_generation SET state = 'live', switched_at = $2 WHERE generation = $1",
      [generation, at],
    );
    if (count === 0) throw unknownGeneration(generation);
    await recordSwitch(run, generation, { at, keepsHistory });
    await countChange(run);
  });
}

const recordSwitch = (
  run: RunStatement,
  generation: number,
  { at, keepsHistory }: { readonly at: string; readonly keepsHistory: boolean },
): Promise<unknown> =>
  runProgram(run, keepsHistory ? switchHistory(generation, Date.parse(at)) : breakHistory());

/** See `Generations.makeFirst`. */
export async function makeFirstGeneration(
  database: PostgresDatabase,
  generation: number,
  { at, keepsHistory }: { readonly at: string; readonly keepsHistory: boolean },
): Promise<boolean> {
  return database.transaction({ action: `begin with generation ${generation}` }, async (run) => {
    await run(LOCK);
    const known = await run("SELECT generation FROM ragstone_ledger_generation WHERE state = 'live'");
    if (known.rows[0] !== undefined) return numberOf(known.rows[0], 'generation') === generation;
    const { count } = await run(
      "UPDATE ragstone_ledger_generation SET state = 'live', switched_at = $2 WHERE generation = $1",
      [generation, at],
    );
    if (count === 0) throw unknownGeneration(generation);
    await recordSwitch(run, generation, { at, keepsHistory });
    await countChange(run);
    return true;
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

export async function learnedBytes(
  database: PostgresDatabase,
  generation: number,
): Promise<Uint8Array | undefined> {
  const [row] = await database.rows(
    `SELECT learned_bytes FROM ragstone_ledger_generation WHERE generation = $1 AND learned_bytes IS NOT NULL`,
    [generation],
    { action: 'read what was learnt of the index' },
  );
  return row === undefined ? undefined : bytesOf(row, 'learned_bytes');
}

export async function recordLearned(
  database: PostgresDatabase,
  generation: number,
  learned: { readonly stamp: string; readonly bytes: Uint8Array } | undefined,
): Promise<void> {
  await database.transaction({ action: 'record what was learnt of the index' }, async (run) => {
    await run(
      'UPDATE ragstone_ledger_generation SET learned = $2, learned_bytes = $3 WHERE generation = $1',
      [
        generation,
        learned === undefined ? null : storableText(learned.stamp),
        learned === undefined ? null : Buffer.from(learned.bytes),
      ],
    );
    await countChange(run);
  });
}

/** See `Generations.setUpgrade`. */
export async function recordUpgrade(
  database: PostgresDatabase,
  generation: number,
  upgrade: string,
): Promise<void> {
  await database.transaction({ action: 'record how a generation was made' }, async (run) => {
    await run('UPDATE ragstone_ledger_generation SET upgrade = $2 WHERE generation = $1', [
      generation,
      storableText(upgrade),
    ]);
    await countChange(run);
  });
}

function readGeneration(row: SqlRow): IndexFacts {
  const optional = (column: string) => (row[column] === null ? undefined : storedTextOf(row, column));
  return {
    generation: numberOf(row, 'generation'),
    state: oneOf(row, 'state', STATES),
    provider: textOf(row, 'provider'),
    collection: textOf(row, 'collection'),
    dimensions: numberOf(row, 'dimensions'),
    fingerprint: textOf(row, 'fingerprint'),
    embedder: textOf(row, 'embedder'),
    startedAt: optional('started_at'),
    switchedAt: optional('switched_at'),
    learned: row.learned === null ? undefined : textOf(row, 'learned'),
    ...(row.upgrade === null ? {} : { upgrade: storedTextOf(row, 'upgrade') }),
  };
}
