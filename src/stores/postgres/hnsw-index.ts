import { systemErrorCode } from '../../core/errors.js';
import type { RunStatement } from '../../platform/postgres/postgres-database.js';
import type { VectorIndexSettings } from './postgres-options.js';
import { numberOf, textOf } from './row-reader.js';

/** Most dimensions that pgvector's HNSW takes. */
const MAX_DIMENSIONS = { vector: 2_000, halfvec: 4_000 } as const;
/** Most memory that a build asks the server for, in kilobytes; a graph that does not fit is built far slower. */
const MAX_BUILD_KILOBYTES = 1_048_576;
/** Bytes of a graph node beside its vector, and of a link, measured generously. */
const NODE_BYTES = 200;
const LINK_BYTES = 16;

/** Which index a table is to have. */
export interface VectorIndexPlan extends VectorIndexSettings {
  /** Quoted. */
  readonly schema: string;
  readonly table: string;
  readonly index: string;
  /** Of the index by which filters on metadata find their rows. */
  readonly metadataIndex: string;
  /** Of the index by which an exact identifier finds its rows. */
  readonly identifierIndex: string;
  readonly expression: string;
  readonly operators: string;
  readonly dimensions: number;
  readonly bytesPerRow: number;
}

/** Makes the indexes where the table has rows enough and none that are whole. Readers and writers go on meanwhile. */
export async function ensureIndexes(run: RunStatement, plan: VectorIndexPlan): Promise<void> {
  const [row] = (await run(`SELECT count(*) AS rows FROM ${plan.schema}.${plan.table}`)).rows;
  const rows = row === undefined ? 0 : numberOf(row, 'rows');
  if (rows < plan.vectorIndexRows) return;
  for (const [index, method] of [
    [plan.metadataIndex, 'gin (metadata jsonb_path_ops)'],
    [plan.identifierIndex, `gin (${plan.schema}.identifier_keys(identifiers))`],
  ] as const)
    if (!(await isWhole(run, plan.schema, index))) await build(run, plan, { index, method });
  if (plan.dimensions > MAX_DIMENSIONS[plan.halfvec ? 'halfvec' : 'vector']) return;
  if (await isWhole(run, plan.schema, plan.index)) return;
  await giveMemory(run, rows, plan);
  await buildVectorIndex(run, plan);
}

async function buildVectorIndex(run: RunStatement, plan: VectorIndexPlan): Promise<void> {
  const { index, expression, operators, hnswM, hnswEfConstruction } = plan;
  const parameters = `m = ${hnswM}, ef_construction = ${hnswEfConstruction}`;
  const method = `hnsw (${expression} ${operators}) WITH (${parameters})`;
  try {
    await build(run, plan, { index, method });
  } catch (error) {
    // A container's small shared memory is full at once when several workers build.
    if (systemErrorCode(error) !== '53100') throw error;
    await run(`SELECT set_config('max_parallel_maintenance_workers', '0', false)`);
    await build(run, plan, { index, method });
  }
}

async function build(
  run: RunStatement,
  { schema, table }: VectorIndexPlan,
  { index, method }: { readonly index: string; readonly method: string },
): Promise<void> {
  // What a build that was interrupted has left.
  await run(`DROP INDEX IF EXISTS ${schema}.${index}`);
  await run(`CREATE INDEX CONCURRENTLY ${index} ON ${schema}.${table} USING ${method}`);
}

async function isWhole(run: RunStatement, schema: string, index: string): Promise<boolean> {
  const sql =
    'SELECT indisvalid AS is_valid FROM pg_catalog.pg_index WHERE indexrelid = to_regclass($1::text)';
  const [row] = (await run(sql, [`${schema}.${index}`])).rows;
  return row?.is_valid === true;
}

async function giveMemory(
  run: RunStatement,
  rows: number,
  { hnswM, bytesPerRow }: VectorIndexPlan,
): Promise<void> {
  const kilobytes = Math.ceil((rows * (bytesPerRow + NODE_BYTES + 2 * hnswM * LINK_BYTES)) / 1_024);
  await run(
    `SELECT set_config(name, $1::text, false) FROM pg_catalog.pg_settings
      WHERE name = 'maintenance_work_mem' AND setting::bigint < $1::bigint`,
    [String(Math.min(kilobytes, MAX_BUILD_KILOBYTES))],
  );
}

/** The vector index of a table in words, or undefined where it has none that is whole. */
export async function describeVectorIndex(run: RunStatement, table: string): Promise<string | undefined> {
  const [row] = (
    await run(
      `SELECT pg_catalog.pg_get_indexdef(i.indexrelid) AS definition
        FROM pg_catalog.pg_index i
        JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
        JOIN pg_catalog.pg_am a ON a.oid = c.relam
        WHERE i.indrelid = to_regclass($1::text) AND i.indisvalid AND a.amname = 'hnsw'`,
      [table],
    )
  ).rows;
  if (row === undefined) return undefined;
  const definition = textOf(row, 'definition');
  const parameters = /WITH \((.*)\)/.exec(definition)?.[1]?.replaceAll("'", '') ?? 'defaults';
  return `HNSW${definition.includes('halfvec') ? ' in half precision' : ''} (${parameters})`;
}
