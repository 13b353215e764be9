import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type Database, openDatabase } from '../src/database.js';

/** A database that a test may fill, and drop. */
export interface TestDatabase {
  readonly kind: 'PGlite' | 'PostgreSQL';
  /** Why tests over it are skipped; false where they run. */
  readonly skip: string | false;
  open(): Promise<{ readonly database: Database; readonly drop: () => Promise<void> }>;
}

const server = process.env.TEST_DATABASE_URL;

/** PGlite, and a database of its own on the server that TEST_DATABASE_URL names. */
export const TEST_DATABASES: readonly TestDatabase[] = [
  {
    kind: 'PGlite',
    skip: false,
    open: async () => {
      const database = await openDatabase(undefined);
      return { database, drop: () => database.close() };
    },
  },
  {
    kind: 'PostgreSQL',
    skip: server === undefined ? 'TEST_DATABASE_URL names no PostgreSQL with pgvector' : false,
    open: async () => {
      const name = `bug_bot_${randomUUID().replaceAll('-', '')}`;
      await onServer(`CREATE DATABASE ${name}`);
      const url = new URL(server ?? '');
      url.pathname = name;
      const database = await openDatabase(url.href);
      const drop = async (): Promise<void> => {
        await database.close();
        await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
      };
      return { database, drop };
    },
  },
];

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
