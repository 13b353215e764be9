import { RAGError } from '../../core/errors.js';
import type { PostgresDatabase, RunStatement } from '../../platform/postgres/postgres-database.js';
import { tableExists } from '../../platform/postgres/table-exists.js';
import { numberOf } from './row-reader.js';
import { ensureVectorExtension, findVectorExtension, type VectorTypes } from './vector-extension.js';

/** One lock for every store of a database, for the extension is common to all schemas: "ragstone" in ASCII. */
const MIGRATION_LOCK = '8241922870284579429';

/** Version n of our schema is made by the n-th of these from the one before; each gets the quoted name of the schema. */
const MIGRATIONS: readonly ((schema: string) => readonly string[])[] = [
  (schema) => [
    `CREATE TABLE ${schema}.collection (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      layout text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      format integer NOT NULL,
      dimensions integer NOT NULL,
      fingerprint text COLLATE "C" NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (layout, name)
    )`,
  ],
  // Identifiers may be longer than an index takes, their hashes are not. Dear to the planner, so that it is asked last.
  (schema) => [
    `CREATE FUNCTION ${schema}.identifier_keys(text[]) RETURNS bigint[]
      LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
      AS 'SELECT array_agg(pg_catalog.hashtextextended(identifier COLLATE "C", 0)) FROM unnest($1) AS identifier'`,
  ],
];

/** Version of the schema that this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Brings our schema to this program's version and finds pgvector. Several processes may do so at once; only one of them
 * works, under an advisory lock. Nothing is written where there is nothing to do, so a role that only reads may call it.
 * Throws `STORE_SCHEMA_TOO_NEW` where a newer program has been here.
 */
export async function prepareSchema(database: PostgresDatabase): Promise<VectorTypes> {
  const action = 'prepare its schema';
  const ready = await database.withConnection({ action }, async (run) => {
    const types = await findVectorExtension(run);
    return types !== undefined && (await schemaVersion(run, database.settings.schema)) === SCHEMA_VERSION
      ? types
      : undefined;
  });
  if (ready !== undefined) return ready;
  return database.transaction({ action }, async (run) => {
    await run('SELECT pg_advisory_xact_lock($1::bigint)', [MIGRATION_LOCK]);
    const types = await ensureVectorExtension(run);
    await migrate(run, database.settings.schema);
    return types;
  });
}

/** Version of the schema as it is: 0 where there is none. Throws `STORE_SCHEMA_TOO_NEW`. */
export async function schemaVersion(run: RunStatement, schema: string): Promise<number> {
  if (!(await tableExists(run, schema, 'schema_version'))) return 0;
  const [row] = (await run(`SELECT COALESCE(max(version), 0) AS version FROM "${schema}".schema_version`))
    .rows;
  const version = row === undefined ? 0 : numberOf(row, 'version');
  if (version > SCHEMA_VERSION)
    throw new RAGError(
      'STORE_SCHEMA_TOO_NEW',
      `Schema "${schema}" has version ${version}; this Ragstone knows ${SCHEMA_VERSION}. Upgrade Ragstone, or use another schema.`,
      { details: { expected: SCHEMA_VERSION, actual: version } },
    );
  return version;
}

async function migrate(run: RunStatement, schema: string): Promise<void> {
  // Read again under the lock: another process may have done it meanwhile.
  const version = await schemaVersion(run, schema);
  if (version === 0) {
    await run(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
    await run(`CREATE TABLE IF NOT EXISTS "${schema}".schema_version (
      version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`);
  }
  for (const [index, statementsOf] of MIGRATIONS.entries()) {
    if (index < version) continue;
    for (const statement of statementsOf(`"${schema}"`)) await run(statement);
    await run(`INSERT INTO "${schema}".schema_version (version) VALUES ($1)`, [index + 1]);
  }
}
