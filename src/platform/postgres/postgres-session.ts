import type { PoolClient } from 'pg';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { withDeadline } from '../../core/with-deadline.js';
import { PostgresTimeout } from './postgres-fault.js';

/** A value that can be bound. Bytes travel in the binary format of the parameter's type, all else as text. */
export type SqlParameter =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly (string | null)[]
  | readonly number[]
  | readonly boolean[]
  | readonly Buffer[];

/** A row, its columns by name, as the driver reads them (bigint as text). */
export type SqlRow = Readonly<Record<string, unknown>>;

export interface SqlResult {
  readonly rows: readonly SqlRow[];
  /** Rows changed or returned. */
  readonly count: number;
}

export interface StatementLimits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One connection while it is checked out of the pool. A statement that does not answer in time, or is cancelled, ends the
 * connection: what it had not committed is rolled back, and the server stops working on it.
 */
export class PostgresSession {
  readonly #client: PoolClient;
  #isBroken = false;

  constructor(client: PoolClient) {
    this.#client = client;
    client.on('error', this.#markBroken);
  }

  /** Throws what the driver throws; `PostgresTimeout` or `ABORTED` where it was ended by the limits. */
  async query(sql: string, parameters: readonly SqlParameter[], limits: StatementLimits): Promise<SqlResult> {
    throwIfAborted(limits.signal);
    const answer = this.#client.query<Record<string, unknown>>(sql, [...parameters]);
    const { rows, rowCount } = await withinLimits(answer, limits, () => this.#destroy());
    return { rows, count: rowCount ?? 0 };
  }

  /** Gives the connection back; a broken one is thrown away. */
  release(): void {
    this.#client.off('error', this.#markBroken);
    this.#client.release(this.#isBroken);
  }

  /** The connection is not used again. */
  discard(): void {
    this.#isBroken = true;
  }

  readonly #markBroken = (): void => {
    this.#isBroken = true;
  };

  // Ending it politely would wait for an answer that does not come.
  #destroy(): void {
    this.#isBroken = true;
    this.#client.connection.stream.destroy();
  }
}

/**
 * The result of work, unless the time is up (`PostgresTimeout`) or the signal fires (`ABORTED`) first; then `giveUp` is called
 * and the work's own end is no longer waited for.
 */
export async function withinLimits<T>(
  work: Promise<T>,
  { timeoutMs, signal }: StatementLimits,
  giveUp: () => void,
): Promise<T> {
  const deadline = { timeoutMs, signal, lateError: () => new PostgresTimeout(timeoutMs) };
  try {
    return await withDeadline(deadline, () => work);
  } catch (error) {
    if (error instanceof PostgresTimeout || RAGError.isInstance(error)) {
      // The work fails later, when its connection is ended, and nobody is listening then.
      work.catch(() => undefined);
      giveUp();
    }
    throw error;
  }
}
