import { numberAt, optionalTextAt, text, textAt } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import type { RunRecord } from '../ledger.js';
import { originalText } from '../ledger-text.js';

/** The run that was started last, finished or not. */
export function findLastRun(database: SqliteDatabase): RunRecord | undefined {
  const row = database.row(
    `SELECT run_id, ${text('command')}, ${text('started_at')}, ${text('finished_at')}, success, ${text('stats')} FROM run
     ORDER BY run_id DESC LIMIT 1`,
  );
  if (row === undefined) return undefined;
  const finishedAt = optionalTextAt(row, 3);
  const stats = optionalTextAt(row, 5);
  return {
    runId: numberAt(row, 0),
    command: originalText(textAt(row, 1)),
    startedAt: textAt(row, 2),
    ...(finishedAt === undefined ? {} : { finishedAt, success: numberAt(row, 4) === 1 }),
    ...(stats === undefined ? {} : { stats }),
  };
}
