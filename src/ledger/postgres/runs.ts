import type { PostgresDatabase } from '../../postgres/postgres-database.js';
import { KEPT_RUNS } from '../kept-runs.js';
import type { RunRecord } from '../ledger.js';
import { storableText } from '../ledger-text.js';
import { countChange } from './changes.js';
import { forgetOldLeases } from './leases.js';
import { numberOf, storedTextOf, textOf } from './row.js';

/** A new run's number. The books are tidied at this moment too, which comes once a run. */
export async function startRun(database: PostgresDatabase, command: string, at: string): Promise<number> {
  return database.transaction({ action: 'record a run', isIdempotent: false }, async (run) => {
    await forgetOldLeases(run);
    const sql = 'INSERT INTO ragstone_ledger_run (command, started_at) VALUES ($1, $2) RETURNING run_id';
    const runId = numberOf((await run(sql, [storableText(command), at])).rows[0] ?? {}, 'run_id');
    await run('DELETE FROM ragstone_ledger_run WHERE run_id <= $1', [runId - KEPT_RUNS]);
    await countChange(run);
    return runId;
  });
}

export async function finishRun(
  database: PostgresDatabase,
  runId: number,
  { at, success, stats }: { readonly at: string; readonly success: boolean; readonly stats: string },
): Promise<void> {
  await database.transaction({ action: 'record the end of a run' }, async (run) => {
    await run('UPDATE ragstone_ledger_run SET finished_at = $2, success = $3, stats = $4 WHERE run_id = $1', [
      runId,
      at,
      success,
      storableText(stats),
    ]);
    await countChange(run);
  });
}

/** The run that was started last, finished or not. */
export async function findLastRun(database: PostgresDatabase): Promise<RunRecord | undefined> {
  const [row] = await database.rows(
    `SELECT run_id, command, started_at, finished_at, success, stats FROM ragstone_ledger_run
     ORDER BY run_id DESC LIMIT 1`,
    [],
    { action: 'read its last run' },
  );
  if (row === undefined) return undefined;
  return {
    runId: numberOf(row, 'run_id'),
    command: textOf(row, 'command'),
    startedAt: storedTextOf(row, 'started_at'),
    ...(row.finished_at === null
      ? {}
      : { finishedAt: storedTextOf(row, 'finished_at'), success: row.success === true }),
    ...(row.stats === null ? {} : { stats: textOf(row, 'stats') }),
  };
}
