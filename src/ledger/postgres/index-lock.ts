import { hostname } from 'node:os';
import { RAGError, throwIfAborted, toRAGError } from '../../core/errors.js';
import { repeat, runtime, sleep } from '../../core/runtime.js';
import type {
  HeldConnection,
  PostgresDatabase,
  RunStatement,
} from '../../platform/postgres/postgres-database.js';
import type { LockRequest, LockSubject, WriterLock } from '../lock.js';

/** Pause between two attempts, in milliseconds. Waiting on the server would hold a snapshot, which index builds wait for. */
const POLL_MS = 100;
/** How often it is made sure that the lock's connection still stands, in milliseconds. */
const WATCH_MS = 2_000;

/** Writers of items share the lock that a writer of the whole has for itself. */
const KEYS: Readonly<Record<LockSubject, string>> = {
  items: 'index',
  whole: 'index',
  learning: 'learning',
  upgrading: 'upgrading',
  extracting: 'extracting',
};

/**
 * An advisory lock of the server on a connection of its own, so that the server frees it when the process dies or is cut off.
 * The connection's name says who holds it.
 */
export async function acquireIndexLock(
  database: PostgresDatabase,
  { subject, command, waitMs = 0, givesWay = false, signal }: LockRequest,
): Promise<WriterLock> {
  const key = `ragstone ${KEYS[subject]} in ${database.settings.schema}`;
  const connection = await database.hold({ action: 'be locked for writing', signal }, key);
  const deadline = runtime().elapsed() + waitMs;
  try {
    const name = `${command} (process ${process.pid} on ${hostname()})`;
    await connection.run("SELECT set_config('application_name', $1, false)", [name]);
    const wanted = `ragstone whole wanted in ${database.settings.schema}`;
    // Held as long as this connection is: those that give way see that somebody waits.
    if (subject === 'whole' && waitMs > 0)
      await connection.run('SELECT pg_advisory_lock_shared(hashtextextended($1, 0))', [wanted]);
    const isWanted = async (): Promise<boolean> => givesWay && !(await isFree(connection.run, wanted));
    while ((await isWanted()) || !(await tryLock(connection.run, key, subject))) {
      throwIfAborted(signal);
      if (runtime().elapsed() >= deadline) throw await lockedError(connection.run, key, database);
      await sleep(Math.min(POLL_MS, Math.max(1, deadline - runtime().elapsed())), signal);
    }
    return heldLock(connection, subject);
  } catch (error) {
    await connection.run('SELECT pg_advisory_unlock_all()').catch(() => undefined);
    connection.release();
    throw error;
  }
}

async function tryLock(run: RunStatement, key: string, subject: LockSubject): Promise<boolean> {
  const mode = subject === 'items' ? '_shared' : '';
  const sql = `SELECT pg_try_advisory_lock${mode}(hashtextextended($1, 0)) AS is_mine`;
  return (await run(sql, [key])).rows[0]?.is_mine === true;
}

async function isFree(run: RunStatement, key: string): Promise<boolean> {
  const held = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS is_mine';
  if ((await run(held, [key])).rows[0]?.is_mine !== true) return false;
  await run('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [key]);
  return true;
}

function heldLock({ run, release }: HeldConnection, subject: LockSubject): WriterLock {
  const lost = new AbortController();
  let asking: Promise<unknown> = Promise.resolve();
  const watch = (): void => {
    asking = run('SELECT 1').catch((error: unknown) => {
      forget();
      const failure = toRAGError(error, 'INDEX_UNAVAILABLE', 'The connection that held the lock was lost.');
      lost.abort(failure);
    });
  };
  const forget = repeat(watch, WATCH_MS, { isBackground: true });
  return {
    lost: lost.signal,
    isShared: subject === 'items',
    release: async () => {
      forget();
      await asking;
      // Closing the connection frees it too, but only when the server comes to notice.
      await run('SELECT pg_advisory_unlock_all()').catch(() => undefined);
      release();
    },
  };
}

async function lockedError(run: RunStatement, key: string, database: PostgresDatabase): Promise<RAGError> {
  const { rows } = await run(
    `SELECT activity.application_name AS holder, activity.backend_start AS since
     FROM pg_catalog.pg_locks AS locks JOIN pg_catalog.pg_stat_activity AS activity USING (pid)
     WHERE locks.locktype = 'advisory' AND locks.granted AND locks.pid <> pg_backend_pid()
       AND locks.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
       AND (locks.classid::bigint << 32) | locks.objid::bigint = hashtextextended($1, 0)
     ORDER BY activity.backend_start LIMIT 1`,
    [key],
  );
  const holder = rows[0]?.holder;
  const who = typeof holder === 'string' && holder !== '' ? holder : 'another process';
  return new RAGError(
    'INDEX_LOCKED',
    `The index in schema "${database.settings.schema}" of PostgreSQL at ${database.address} is being written by ${who}. Wait until it has finished and try again, or let a command wait for it with --wait.`,
    { details: { address: database.address, holder: who } },
  );
}
