import { type Program, run } from './program.js';
import { spelled, sql } from './sql.js';

/** Rows that changes are counted in on a server: writers that commit at once seldom wait for each other. */
export const CHANGE_SLOTS = 64;

const SLOT = spelled({ sqlite: '', postgres: `WHERE slot = pg_backend_pid() % ${CHANGE_SLOTS}` });

/** Counts a change that a search may show. The last statement of the transaction that makes it, so that the row is held for a moment. */
export const countChange = (): Program<number> => run(sql`UPDATE @change SET changes = changes + 1 ${SLOT}`);
