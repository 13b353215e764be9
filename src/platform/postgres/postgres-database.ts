import type * as PgModule from 'pg';
import type { Pool, PoolClient, PoolConfig } from 'pg';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { loadDriver } from '../../core/load-driver.js';
import { runtime, sleep } from '../../core/runtime.js';
import { withPermit } from '../../core/semaphore.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import type { ConnectionSettings } from './connection-settings.js';
import { isConflict, isFull, isPassing } from './postgres-fault.js';
import {
  PostgresSession,
  type SqlParameter,
  type SqlResult,
  type SqlRow,
  type StatementLimits,
  withinLimits,
} from './postgres-session.js';

/** First pause before an idempotent call is tried again, in milliseconds; it doubles with each further one. */
const FIRST_PAUSE_MS = 100;
/** Of the pause while the server has no connection to spare. */
const MAX_DOUBLINGS = 3;
/** Longest wait for connections to close, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2_000;
/**
 * Longest wait for a connection to be made, in milliseconds. An attempt cannot be broken off, and holds its place in the
 * pool until it ends: this long a server that is well again may seem not to be.
 */
const MAX_CONNECT_MS = 10_000;

/**
 * Settings of each connection. The server watches the socket of a long statement, so that work nobody waits for any more
 * ends (PostgreSQL 14 and later).
 */
const PREPARE_SESSION = `SELECT set_config('statement_timeout', $1, false),
  (SELECT set_config(name, '1000', false) FROM pg_catalog.pg_settings WHERE name = 'client_connection_check_interval')`;

/** What the user of a pool decides. */
export interface PostgresDatabaseOptions {
  readonly settings: ConnectionSettings;
  /** A statement that every new connection runs first, for settings of its session. */
  readonly prepareSession?: string | undefined;
  /** What an error of the driver or the server is shown as; it names server and action, never data or secrets. */
  readonly toError: (
    error: unknown,
    place: { readonly action: string; readonly address: string },
  ) => RAGError;
  /** What a call after `close` is refused with. */
  readonly closedError: () => RAGError;
}

/** What a call does, for errors, and how it may be treated. */
export interface CallOptions {
  /** Completes "could not ...". */
  readonly action: string;
  readonly signal?: AbortSignal | undefined;
  /** Doing it twice is the same as once. @default true */
  readonly isIdempotent?: boolean;
  /** Of each statement. @default the connection settings' */
  readonly timeoutMs?: number;
}

type PoolUse = 'work' | 'holding';

interface SessionOptions extends CallOptions {
  /** @default work */
  readonly use?: PoolUse;
}

/** Runs one statement on the connection of a transaction. */
export type RunStatement = (sql: string, parameters?: readonly SqlParameter[]) => Promise<SqlResult>;

/** A connection that is its caller's own. */
export interface HeldConnection {
  readonly run: RunStatement;
  /** Closes it. */
  release(): void;
}

/** A pool of connections with limits, retries and one kind of error. Connects on first use. */
export class PostgresDatabase {
  readonly settings: ConnectionSettings;
  readonly #options: PostgresDatabaseOptions;
  readonly #prepared = new WeakSet<object>();
  /** Connections that callers hold have one of their own: holding one, or waiting with one, takes none from work. */
  readonly #pools = new Map<PoolUse, Promise<Pool>>();
  readonly #holders = new Map<string, object>();
  #address = 'the configured address';
  #isClosed = false;

  constructor(options: PostgresDatabaseOptions) {
    this.settings = options.settings;
    this.#options = options;
  }

  /** `host:port/database`, without credentials, once connected. */
  get address(): string {
    return this.#address;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** One statement, committed by itself. */
  async query(sql: string, parameters: readonly SqlParameter[], options: CallOptions): Promise<SqlResult> {
    return this.#withSession(options, (run) => run(sql, parameters));
  }

  async rows(
    sql: string,
    parameters: readonly SqlParameter[],
    options: CallOptions,
  ): Promise<readonly SqlRow[]> {
    return (await this.query(sql, parameters, options)).rows;
  }

  /** All or nothing. Until the end is asked for, a fault or a cancellation leaves nothing behind. */
  async transaction<T>(options: CallOptions, work: (run: RunStatement) => Promise<T>): Promise<T> {
    return this.#inTransaction('BEGIN', options, work);
  }

  /** Several reads that see the same moment. */
  async snapshot<T>(options: CallOptions, work: (run: RunStatement) => Promise<T>): Promise<T> {
    return this.#inTransaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', options, work);
  }

  /** Statements on one connection, without a transaction around them. */
  async withConnection<T>(options: CallOptions, work: (run: RunStatement) => Promise<T>): Promise<T> {
    return this.#withSession(options, work);
  }

  /**
   * Work that no two processes should do on a subject at once, on a connection of its own that is closed afterwards. Where
   * another is at it, nothing is done: its result is the same.
   */
  async maintain(
    options: CallOptions,
    subject: string,
    work: (run: RunStatement) => Promise<void>,
  ): Promise<void> {
    const timeoutMs = options.timeoutMs ?? this.settings.maintenanceTimeoutMs;
    await this.#withSession({ ...options, timeoutMs }, async (run, session) => {
      // Ends its settings and its lock too.
      session.discard();
      await run("SELECT set_config('statement_timeout', $1, false)", [String(timeoutMs)]);
      // Waiting for the lock would hold a snapshot, for whose end the other's index build waits.
      const { rows } = await run('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS is_mine', [
        subject,
      ]);
      if (rows[0]?.is_mine === true) await work(run);
    });
  }

  /**
   * A connection that stays with the caller until it is released, for what belongs to a session, such as a lock; it is closed
   * then. Nothing is tried again on it. As many are held for a subject as the pool has connections; who comes later waits.
   */
  hold(options: CallOptions, subject: string): Promise<HeldConnection> {
    const owner = this.#holders.get(subject) ?? {};
    this.#holders.set(subject, owner);
    return new Promise((resolve, reject) => {
      const hold = async (run: RunStatement, session: PostgresSession): Promise<void> => {
        session.discard();
        await new Promise<void>((release) => resolve({ run: this.#explained(run, options), release }));
      };
      // Only to connect can fail, and may be tried again.
      const call = { ...options, use: 'holding' as const };
      const turn = { owner, concurrency: this.settings.poolSize };
      withPermit(turn, () => this.#withSession(call, hold), options.signal).catch(reject);
    });
  }

  #explained(run: RunStatement, { action }: CallOptions): RunStatement {
    return async (...statement) => {
      try {
        return await run(...statement);
      } catch (error) {
        throw this.#options.toError(error, { action, address: this.#address });
      }
    };
  }

  /** Waits for calls under way, closes every connection; later calls are refused. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const closing = Array.from(this.#pools.values(), async (opening) => (await opening).end());
    const closed = Promise.allSettled(closing);
    await withinLimits(closed, { timeoutMs: CLOSE_TIMEOUT_MS }, () => undefined).catch(() => undefined);
  }

  async #inTransaction<T>(
    begin: string,
    options: CallOptions,
    work: (run: RunStatement) => Promise<T>,
  ): Promise<T> {
    return this.#withSession(options, async (run, session) => {
      await run(begin);
      try {
        const result = await work(run);
        await run('COMMIT');
        return result;
      } catch (error) {
        await run('ROLLBACK').catch(() => session.discard());
        throw error;
      }
    });
  }

  async #withSession<T>(
    options: SessionOptions,
    work: (run: RunStatement, session: PostgresSession) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#tryOnce(options, work);
      } catch (error) {
        const isWorthAnother = options.isIdempotent === false ? isConflict(error) : isPassing(error);
        if (!isWorthAnother || attempt >= this.settings.retries || this.#isClosed)
          throw this.#options.toError(error, { action: options.action, address: this.#address });
        await sleep(pauseBefore(attempt), options.signal);
      }
    }
  }

  async #tryOnce<T>(
    { signal, timeoutMs = this.settings.timeoutMs, use = 'work' }: SessionOptions,
    work: (run: RunStatement, session: PostgresSession) => Promise<T>,
  ): Promise<T> {
    throwIfAborted(signal);
    const session = await this.#connect(use, signal);
    try {
      return await work(
        (sql, parameters = []) => session.query(sql, parameters, { timeoutMs, signal }),
        session,
      );
    } finally {
      session.release();
    }
  }

  async #connect(use: PoolUse, signal: AbortSignal | undefined): Promise<PostgresSession> {
    const pool = await this.#openPool(use);
    const limits = { timeoutMs: this.settings.timeoutMs, signal };
    const client = await connected(pool, limits);
    const session = new PostgresSession(client);
    if (this.#prepared.has(client)) return session;
    try {
      await session.query(PREPARE_SESSION, [String(this.settings.timeoutMs)], limits);
      const { prepareSession } = this.#options;
      if (prepareSession !== undefined) await session.query(prepareSession, [], limits);
      this.#prepared.add(client);
      return session;
    } catch (error) {
      session.discard();
      session.release();
      throw error;
    }
  }

  async #openPool(use: PoolUse): Promise<Pool> {
    if (this.#isClosed) throw this.#options.closedError();
    const opening =
      this.#pools.get(use) ??
      this.#makePool().catch((error: unknown) => {
        this.#pools.delete(use);
        throw error;
      });
    this.#pools.set(use, opening);
    return opening;
  }

  async #makePool(): Promise<Pool> {
    const pg = await loadPostgresDriver();
    const config = poolConfig(this.settings);
    this.#address = addressOf(pg, config);
    const pool = new pg.Pool(config);
    // A connection that dies while it is idle leaves the pool; the next call gets another.
    pool.on('error', () => undefined);
    // One that dies in the packet in which it is made is nobody's yet: without a listener the process would end.
    pool.on('connect', (client) => client.on('error', () => undefined));
    return pool;
  }
}

/** A server without a connection to spare is waited for as long as a pool without one. */
async function connected(pool: Pool, limits: StatementLimits): Promise<PoolClient> {
  const end = runtime().elapsed() + longestConnecting(limits);
  for (let attempt = 0; ; attempt++) {
    const connecting = pool.connect();
    try {
      // A connection that comes too late for its caller goes back at once.
      return await withinLimits(connecting, limits, () => {
        connecting.then((late) => late.release()).catch(() => undefined);
      });
    } catch (error) {
      if (!isFull(error) || runtime().elapsed() >= end) throw error;
      await sleep(pauseBefore(Math.min(attempt, MAX_DOUBLINGS)), limits.signal);
      // Of a pool that ends meanwhile the last answer stands.
      if (pool.ending) throw error;
    }
  }
}

const longestConnecting = ({ timeoutMs }: { readonly timeoutMs: number }): number =>
  Math.min(timeoutMs, MAX_CONNECT_MS);

const pauseBefore = (attempt: number): number => FIRST_PAUSE_MS * 2 ** attempt * (0.5 + runtime().random());

function poolConfig(settings: ConnectionSettings): PoolConfig {
  const { connectionString, host, port, database, user, password, ssl, poolSize } = settings;
  return {
    ...withoutUndefined({ connectionString, host, port, database, user, password }),
    ...(ssl === undefined ? {} : { ssl: typeof ssl === 'boolean' ? ssl : { ...ssl } }),
    max: poolSize,
    connectionTimeoutMillis: longestConnecting(settings),
    allowExitOnIdle: true,
    keepAlive: true,
    fallback_application_name: 'ragstone',
  };
}

/** Where the driver would connect to. Throws `CONFIG_INVALID`, without the string it could not read. */
function addressOf(pg: Pg, config: PoolConfig): string {
  try {
    const { host, port, database } = new pg.Client(config);
    return `${host}:${port}/${database ?? ''}`;
  } catch {
    // The driver's error is not kept: it quotes the connection string, password included.
    throw new RAGError(
      'CONFIG_INVALID',
      'The PostgreSQL connection string cannot be read; it looks like postgres://user:password@host:5432/database, with special characters percent-encoded.',
    );
  }
}

type Pg = typeof PgModule;

let loading: Promise<Pg> | undefined;

/** Loads the optional package `pg` on first use. Throws `PACKAGE_MISSING` with the command that installs it. */
function loadPostgresDriver(): Promise<Pg> {
  loading ??= loadDriver(() => import('pg'), { store: 'PostgreSQL', install: 'pg@8.23.1' }).catch(
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}
