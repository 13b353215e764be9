import type { RunRecord } from '../ledger.js';
import { storableText } from '../ledger-text.js';
import { countChange } from './changes.js';
import { bigint, boolean, optional, text, word } from './columns.js';
import { type Program, returning, run, select } from './program.js';
import { FOR_UPDATE, sql } from './sql.js';

/** Runs that a ledger remembers: every push is one. */
export const KEPT_RUNS = 1_000;

const RUN_ID = { runId: bigint('run_id') };
const RUN = {
  ...RUN_ID,
  command: text('command'),
  startedAt: word('started_at'),
  finishedAt: optional(word('finished_at')),
  success: optional(boolean('success')),
  stats: optional(text('stats')),
};

/** A new run's number. */
export function* startRun(command: string, at: string): Program<number> {
  const [started] = yield* returning(
    RUN_ID,
    sql`INSERT INTO @run (command, started_at) VALUES (${storableText(command)}, ${at})`,
  );
  const runId = started?.runId ?? 0;
  yield* run(sql`DELETE FROM @run WHERE run_id <= ${runId - KEPT_RUNS}`);
  yield* countChange();
  return runId;
}

export function* finishRun(
  runId: number,
  { at, success, stats }: { readonly at: string; readonly success: boolean; readonly stats: string },
): Program<void> {
  yield* run(
    sql`UPDATE @run SET finished_at = ${at}, success = ${success ? 1 : 0}, stats = ${storableText(stats)}
      WHERE run_id = ${runId}`,
  );
  yield* countChange();
}

/** The run that was started last, finished or not. */
export function* lastRun(): Program<RunRecord | undefined> {
  const [last] = yield* select(RUN, sql`FROM @run ORDER BY run_id DESC LIMIT 1`);
  if (last === undefined) return undefined;
  const { runId, command, startedAt, finishedAt, success = false, stats } = last;
  return {
    ...{ runId, command, startedAt },
    ...(finishedAt === undefined ? {} : { finishedAt, success }),
    ...(stats === undefined ? {} : { stats }),
  };
}

/** See `ForgottenNames.editRuns`. */
export function* editRuns(edit: (stats: string) => string): Program<number> {
  const runs = yield* select(
    { ...RUN_ID, stats: text('stats') },
    sql`FROM @run WHERE stats IS NOT NULL ORDER BY run_id ${FOR_UPDATE}`,
  );
  let edited = 0;
  for (const { runId, stats } of runs) {
    const after = edit(stats);
    if (after === stats) continue;
    yield* run(sql`UPDATE @run SET stats = ${storableText(after)} WHERE run_id = ${runId}`);
    edited++;
  }
  return edited;
}
