import type { PostgresDatabase, RunStatement } from '../../platform/postgres/postgres-database.js';

/** The rows of one generation in a database. */
export interface GenerationDatabase {
  readonly database: PostgresDatabase;
  readonly generation: number;
}

/** One generation inside a transaction that has fenced off what it writes. */
export interface GenerationTransaction {
  readonly run: RunStatement;
  readonly generation: number;
}
