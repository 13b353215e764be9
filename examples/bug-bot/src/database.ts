import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import pg from 'pg';

/** What runs statements: a database, or a transaction in it. */
export interface Queryable {
  /** Rows of one statement. Lists and objects are given as JSON. */
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]>;
}

/** PostgreSQL with pgvector: a server, or PGlite inside this process. */
export interface Database extends Queryable {
  /** For people. */
  readonly name: string;
  /** All of it or nothing. */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens the server that an address names, or else a database in memory. */
export const openDatabase = (url: string | undefined): Promise<Database> =>
  url === undefined ? openPGlite() : openServer(url);

async function openServer(url: string): Promise<Database> {
  const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A connection that breaks while idle is replaced by the next use.
  pool.on('error', () => undefined);
  const over = (client: pg.Pool | pg.PoolClient): Queryable => ({
    query: async <Row>(sql: string, parameters: readonly unknown[] = []) =>
      (await client.query(sql, [...parameters])).rows as Row[],
  });
  return {
    name: 'PostgreSQL',
    ...over(pool),
    transaction: async (work) => {
      const client = await pool.connect();
      let isBroken = false;
      try {
        await client.query('BEGIN');
        const result = await work(over(client));
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch(() => {
          isBroken = true;
        });
        throw error;
      } finally {
        client.release(isBroken);
      }
    },
    close: () => pool.end(),
  };
}

async function openPGlite(): Promise<Database> {
  const database = await PGlite.create({ extensions: { vector } });
  const over = (client: Pick<PGlite, 'query'>): Queryable => ({
    query: async <Row>(sql: string, parameters: readonly unknown[] = []) =>
      (await client.query<Row>(sql, [...parameters])).rows,
  });
  return {
    name: 'PGlite, in memory',
    ...over(database),
    transaction: (work) => database.transaction((transaction) => work(over(transaction))),
    close: () => database.close(),
  };
}

/** Whether an error says that the server cannot be reached, not that a statement was wrong. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    /^(ECONN|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|08|57P)/.test(code) || /timeout|terminated/i.test(error.message)
  );
}
