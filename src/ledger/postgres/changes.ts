import type { RunStatement } from '../../platform/postgres/postgres-database.js';
import { CHANGE_SLOTS, countChange as countOneChange } from '../rows/changes.js';
import { runProgram } from './run-program.js';

/** Ends the record of the history, and what was planned for it. */
const BREAK_HISTORY = `broken AS (DELETE FROM ragstone_ledger_history_state),
  unplanned AS (DELETE FROM ragstone_ledger_history_version WHERE valid_from IS NULL)`;

export const countChange = (run: RunStatement): Promise<unknown> => runProgram(run, countOneChange());

/** The same of what is not written down in the history, which ends by it. */
export const countUnrecorded = (run: RunStatement): Promise<unknown> =>
  run(
    `WITH ${BREAK_HISTORY}
     UPDATE ragstone_ledger_change SET changes = changes + 1 WHERE slot = pg_backend_pid() % ${CHANGE_SLOTS}`,
  );
