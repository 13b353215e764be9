import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';

/** The rows of one generation in a ledger's file. */
export interface GenerationDatabase {
  readonly database: SqliteDatabase;
  readonly generation: number;
}
