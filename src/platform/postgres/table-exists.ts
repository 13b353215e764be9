import type { RunStatement } from './postgres-database.js';

/**
 * Whether a schema has a table. Read from the catalogue itself: `to_regclass` may answer from a cache of the session that does
 * not yet know what another session has just made, also while both hold an advisory lock in turn.
 */
export async function tableExists(run: RunStatement, schema: string, table: string): Promise<boolean> {
  const { count } = await run(
    `SELECT 1 FROM pg_catalog.pg_class AS class JOIN pg_catalog.pg_namespace AS namespace
       ON namespace.oid = class.relnamespace
     WHERE namespace.nspname = $1 AND class.relname = $2`,
    [schema, table],
  );
  return count > 0;
}
