import { RAGError } from '../../core/errors.js';
import type { RunStatement } from '../../platform/postgres/postgres-database.js';
import { isConflict } from '../../platform/postgres/postgres-fault.js';
import { numberOf, textOf } from './row-reader.js';

/** Names of pgvector's types and operators, qualified, because the extension may be in any schema. */
export interface VectorTypes {
  readonly version: string;
  /** Identity of the type `vector` in this database. */
  readonly typeId: number;
  readonly vector: string;
  readonly halfvec: string;
  /** Cosine distance. */
  readonly distance: string;
  readonly vectorOperators: string;
  readonly halfvecOperators: string;
}

const FIND = `SELECT e.extversion AS version, quote_ident(n.nspname) AS schema, t.oid::bigint AS type_id
  FROM pg_catalog.pg_extension e
  JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
  JOIN pg_catalog.pg_type t ON t.typnamespace = n.oid AND t.typname = 'vector'
  WHERE e.extname = 'vector'`;

/** The extension as it is installed in this database, or undefined. Throws `CONFIG_INVALID` where it is older than 0.8. */
export async function findVectorExtension(run: RunStatement): Promise<VectorTypes | undefined> {
  const [row] = (await run(FIND)).rows;
  if (row === undefined) return undefined;
  const [version, schema] = [textOf(row, 'version'), textOf(row, 'schema')];
  if (!isNewEnough(version))
    throw new RAGError(
      'CONFIG_INVALID',
      `The database has pgvector ${version}; 0.8.0 or later is needed, for filters in HNSW search. Install it and run ALTER EXTENSION vector UPDATE.`,
    );
  return {
    version,
    typeId: numberOf(row, 'type_id'),
    vector: `${schema}.vector`,
    halfvec: `${schema}.halfvec`,
    distance: `OPERATOR(${schema}.<=>)`,
    vectorOperators: `${schema}.vector_cosine_ops`,
    halfvecOperators: `${schema}.halfvec_cosine_ops`,
  };
}

/** The extension, installed where it is missing. Throws `CONFIG_INVALID` saying who has to install what. */
export async function ensureVectorExtension(run: RunStatement): Promise<VectorTypes> {
  const found = await findVectorExtension(run);
  if (found !== undefined) return found;
  try {
    await run('CREATE EXTENSION IF NOT EXISTS vector');
  } catch (error) {
    if (RAGError.isInstance(error) || isConflict(error)) throw error;
    throw new RAGError(
      'CONFIG_INVALID',
      'The database has no pgvector extension and it could not be added. Install pgvector 0.8 or later on the server and let an administrator run CREATE EXTENSION vector in this database.',
      { cause: error },
    );
  }
  const added = await findVectorExtension(run);
  if (added === undefined) throw new RAGError('INTERNAL', 'pgvector was installed and is not there.');
  return added;
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 0 || minor >= 8;
}
