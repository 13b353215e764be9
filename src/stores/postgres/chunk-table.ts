import { createHash } from 'node:crypto';
import type { ChunkRecord } from '../../core/chunk.js';
import type { RunStatement } from '../../platform/postgres/postgres-database.js';
import type { CollectionSpec } from '../vector-store.js';
import { ensureIndexes, type VectorIndexPlan } from './hnsw-index.js';
import type { VectorIndexSettings } from './postgres-options.js';
import { storableJson } from './storable-json.js';
import type { TableLayout } from './table-layout.js';
import { encodeVectors } from './vector-codec.js';
import type { VectorTypes } from './vector-extension.js';
import { createWordTables, dropWordTables, wordTables } from './words/word-tables.js';

/** Records of one statement. More is not faster, and each statement has its own time limit. */
const SLICE = 500;
/** Characters of an id that its index holds: an index row must fit a third of a page. */
const INDEXED_ID_CHARACTERS = 128;
/** Largest row part that the server tries to keep in the page, in bytes, beside the vector. */
const ROW_TARGET_BYTES = 600;
/** Largest vector that is kept in its row's page: a page has 8,192 bytes and every row must fit one. */
const MAX_INLINE_VECTOR_BYTES = 6_500;

const KEY_TYPE = 'bytea';

const COLUMNS = [
  ['key', KEY_TYPE],
  ['id', 'text'],
  ['document_id', 'text'],
  ['tenant', 'text'],
  ['project', 'text'],
  ['source', 'text'],
  ['level', 'float8'],
  ['groups', 'text[]'],
  ['content', 'text'],
  ['identifiers', 'text[]'],
  ['metadata', 'jsonb'],
] as const;

/** Where a collection's chunks are. */
export interface ChunkTablePlace {
  /** Quoted name of our schema. */
  readonly schema: string;
  readonly id: number;
  readonly spec: CollectionSpec;
  readonly types: VectorTypes;
}

/** Name of a collection's table, without the schema. Ids are never given twice, so an old handle cannot meet a new table. */
export const chunkTableName = (id: number): string => `chunks_${id}`;

/** The layout of our own tables: one table a collection, every field of a chunk in a column. */
export function chunkTableLayout(place: ChunkTablePlace, settings: VectorIndexSettings): TableLayout {
  const { schema, id, spec, types } = place;
  const table = `${schema}.${chunkTableName(id)}`;
  const plan = indexPlan(place, settings);
  return {
    table,
    words: wordTables(schema, id, KEY_TYPE),
    keyType: KEY_TYPE,
    indexesMetadata: true,
    identifierKeys: `${schema}.identifier_keys`,
    keyOf,
    from: () => `(SELECT *, TRUE AS is_ours FROM ${table}) AS chunk`,
    idOrder: [`left(id, ${INDEXED_ID_CHARACTERS})`, 'id'],
    idOrderOf: (placeholder) => [`left(${placeholder}, ${INDEXED_ID_CHARACTERS})`, placeholder],
    indexed: {
      expression: plan.expression,
      queryType: settings.halfvec ? `${types.halfvec}(${spec.dimensions})` : types.vector,
    },
    deleteWhere: (condition) => `DELETE FROM ${table} WHERE ${condition} RETURNING key::text AS key`,
    assertFilter: () => undefined,
    assertRecords: () => undefined,
    enumerationGuard: () => undefined,
    upsert: (run, records) => upsertRecords(run, records, { table, types }),
    buildIndex: (run) => ensureIndexes(run, plan),
  };
}

/** Makes the table of a collection, and those of its words. */
export async function createChunkTable(run: RunStatement, place: ChunkTablePlace): Promise<void> {
  const { schema, id, spec, types } = place;
  const name = chunkTableName(id);
  const vectorBytes = 4 * spec.dimensions;
  const isInline = vectorBytes <= MAX_INLINE_VECTOR_BYTES;
  const rowTarget = Math.min(8_000, Math.max(2_032, (isInline ? vectorBytes : 0) + ROW_TARGET_BYTES));
  const text = 'text COLLATE "C"';
  await run(`CREATE TABLE ${schema}.${name} (
    key bytea PRIMARY KEY,
    id ${text} NOT NULL,
    document_id ${text} NOT NULL,
    tenant ${text} NOT NULL,
    project ${text},
    source ${text} NOT NULL,
    level float8 NOT NULL,
    groups text[] COLLATE "C" NOT NULL,
    content ${text} NOT NULL,
    identifiers text[] COLLATE "C" NOT NULL,
    metadata jsonb NOT NULL,
    vector ${types.vector}(${spec.dimensions}) NOT NULL
  ) WITH (toast_tuple_target = ${rowTarget})`);
  // A vector out of its row would cost a look-up for each row of an exact search.
  if (isInline) await run(`ALTER TABLE ${schema}.${name} ALTER COLUMN vector SET STORAGE PLAIN`);
  await run(`CREATE INDEX ${name}_id ON ${schema}.${name} (left(id, ${INDEXED_ID_CHARACTERS}))`);
  // A hash index takes text of any length.
  await run(`CREATE INDEX ${name}_document ON ${schema}.${name} USING hash (document_id)`);
  await createWordTables(run, wordTables(schema, id, KEY_TYPE));
}

/** Removes the table of a collection, and what it may have lost already. */
export async function dropChunkTable(
  run: RunStatement,
  { schema, id }: Pick<ChunkTablePlace, 'schema' | 'id'>,
): Promise<void> {
  await run(`DROP TABLE IF EXISTS ${schema}.${chunkTableName(id)}`);
  await dropWordTables(run, wordTables(schema, id, KEY_TYPE));
}

/** The row key of a chunk id, which may be longer than an index takes. */
const keyOf = (id: string): string => `\\x${createHash('sha256').update(id).digest('hex')}`;

function indexPlan(
  { schema, id, spec, types }: ChunkTablePlace,
  settings: VectorIndexSettings,
): VectorIndexPlan {
  const { halfvec } = settings;
  return {
    ...settings,
    schema,
    table: chunkTableName(id),
    index: `${chunkTableName(id)}_${halfvec ? 'halfvec' : 'vector'}_hnsw`,
    metadataIndex: `${chunkTableName(id)}_metadata`,
    identifierIndex: `${chunkTableName(id)}_identifiers`,
    expression: halfvec ? `(vector::${types.halfvec}(${spec.dimensions}))` : 'vector',
    operators: halfvec ? types.halfvecOperators : types.vectorOperators,
    dimensions: spec.dimensions,
    bytesPerRow: spec.dimensions * (halfvec ? 2 : 4),
  };
}

async function upsertRecords(
  run: RunStatement,
  records: readonly ChunkRecord[],
  { table, types }: { readonly table: string; readonly types: VectorTypes },
): Promise<void> {
  const sql = upsertSql(table, types);
  // Every writer takes its row locks in the same order, so that two batches with common ids do not wait for each other.
  const rows = records.map((record) => ({ key: keyOf(record.id), record }));
  rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  for (let start = 0; start < rows.length; start += SLICE) {
    const slice = rows.slice(start, start + SLICE);
    const vectors = slice.map(({ record }) => record.vector);
    await run(sql, [storableJson(slice.map(columnsOf)), encodeVectors(vectors, types.typeId)]);
  }
}

function columnsOf({ key, record }: { readonly key: string; readonly record: ChunkRecord }) {
  return {
    key,
    id: record.id,
    document_id: record.documentId,
    tenant: record.tenant,
    project: record.project ?? null,
    source: record.source,
    level: record.access.level,
    groups: record.access.groups,
    content: record.content,
    identifiers: record.identifiers,
    metadata: record.metadata,
  };
}

function upsertSql(table: string, types: VectorTypes): string {
  const names = [...COLUMNS.map(([name]) => name), 'vector'];
  const definitions = COLUMNS.map(([name, type]) => `${name} ${type}`).join(', ');
  const changes = names.slice(1).map((name) => `${name} = EXCLUDED.${name}`);
  return `INSERT INTO ${table} (${names.join(', ')})
    SELECT * FROM ROWS FROM (json_to_recordset($1::json) AS (${definitions}), unnest($2::${types.vector}[]))
    ON CONFLICT (key) DO UPDATE SET ${changes.join(', ')}`;
}
