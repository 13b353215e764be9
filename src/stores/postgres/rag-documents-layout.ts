import type { ChunkRecord } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';
import type { Filter } from '../../core/filter.js';
import { EVERYONE } from '../../core/scope.js';
import type { RunStatement } from '../../platform/postgres/postgres-database.js';
import { OWN_FACTS, ragDocumentRow, rowIdOf } from './rag-documents-row.js';
import type { Parameters } from './sql-text.js';
import { storableJson, storableText } from './storable-json.js';
import type { TableLayout } from './table-layout.js';
import { encodeVectors } from './vector-codec.js';
import type { VectorTypes } from './vector-extension.js';
import type { WordTables } from './words/word-tables.js';
import { forgetRowsWithout } from './words/write-words.js';

const SLICE = 500;

/** Type of the table's key. */
export const KEY_TYPE = 'uuid';

/** Filter fields that are the table's own columns. */
const SOURCE_COLUMNS = { source_type: 'source_type', source_id: 'source_id' } as const;

/** An adopted table and the part of it that a collection is. */
export interface RagDocumentsPlace {
  /** Qualified and quoted. */
  readonly table: string;
  readonly tenant: string;
  /** Name of the collection: rows that we write are marked with it. */
  readonly collection: string;
  readonly types: VectorTypes;
  /** Where the words of what we write are, in a schema of our own. */
  readonly words: WordTables;
}

/**
 * The layout of a `rag_documents` table (`id`, `source_type`, `source_id`, `chunk_text`, `chunk_metadata`, `embedding`,
 * `created_at`, `updated_at`) that another application fills too.
 *
 * Its rows are read as chunks of the one tenant, open to everyone in it: `$chunkId` is their UUID, `$documentId`
 * `source_type:source_id`, `$source` their source type. What we write keeps every column's meaning and adds one key to the
 * metadata, under which our own facts are.
 */
export function ragDocumentsLayout(place: RagDocumentsPlace): TableLayout {
  const { table, tenant, collection, words } = place;
  return {
    table,
    words,
    keyType: KEY_TYPE,
    keyOf: (id) => rowIdOf(collection, id),
    extraColumns: SOURCE_COLUMNS,
    from: (parameters) => readableRows(place, parameters),
    idOrder: ['id'],
    idOrderOf: (placeholder) => [placeholder],
    indexed: { expression: 'vector', queryType: place.types.vector },
    deleteWhere: (condition, parameters) =>
      `DELETE FROM ${table} WHERE id IN (SELECT key FROM ${readableRows(place, parameters)} WHERE ${condition})
        RETURNING id::text AS key`,
    assertFilter: (filter) => assertOneTenant(filter, place),
    assertRecords: (records) => {
      for (const record of records) assertOpenRecord(record, tenant);
    },
    enumerationGuard: (filter) => (namesSource(filter) ? undefined : 'is_ours'),
    upsert: (run, records) => upsertRows(run, records, place),
    // The table's owner made its indexes; what it deleted of ours has no words any more.
    buildIndex: (run) => forgetRowsWithout(run, words, `SELECT FROM ${table} AS d WHERE d.id = word.key`),
  };
}

function readableRows({ table, tenant, collection }: RagDocumentsPlace, parameters: Parameters): string {
  const own = (name: string): string => `d.chunk_metadata #>> '{${OWN_FACTS},${name}}'`;
  const isOurs = `COALESCE(d.chunk_metadata ? '${OWN_FACTS}', FALSE)`;
  const marked = parameters.bind(collection, 'text');
  return `(SELECT d.id AS key, d.source_type, d.source_id, d.embedding AS vector, ${isOurs} AS is_ours,
    COALESCE(${own('id')}, d.id::text) COLLATE "C" AS id,
    COALESCE(${own('documentId')}, d.source_type || ':' || d.source_id) COLLATE "C" AS document_id,
    ${parameters.bind(storableText(tenant), 'text')} COLLATE "C" AS tenant,
    NULL::text COLLATE "C" AS project,
    COALESCE(${own('source')}, d.source_type) COLLATE "C" AS source,
    0::float8 AS level,
    ARRAY['${EVERYONE}']::text[] AS groups,
    d.chunk_text COLLATE "C" AS content,
    CASE WHEN ${isOurs}
      THEN ARRAY(SELECT jsonb_array_elements_text(d.chunk_metadata #> '{${OWN_FACTS},identifiers}'))
      ELSE ARRAY[lower(d.source_id), lower(split_part(d.source_id, ':', 1))] END AS identifiers,
    CASE WHEN ${isOurs} THEN d.chunk_metadata - '${OWN_FACTS}' ELSE ${guestMetadata} END AS metadata
    FROM ${table} AS d WHERE NOT ${isOurs} OR ${own('collection')} = ${marked}) AS chunk`;
}

// A row of the other application shows its columns as metadata too, under our names for them and its own.
const iso = (column: string): string =>
  `to_char(d.${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const guestMetadata = `jsonb_strip_nulls(jsonb_build_object('source', d.source_id, 'sourceType', d.source_type,
    'createdAt', ${iso('created_at')}, 'updatedAt', ${iso('updated_at')}))
  || CASE WHEN jsonb_typeof(d.chunk_metadata) = 'object' THEN d.chunk_metadata ELSE '{}' END
  || jsonb_build_object('source_type', d.source_type, 'source_id', d.source_id)`;

async function upsertRows(
  run: RunStatement,
  records: readonly ChunkRecord[],
  { table, collection, types }: RagDocumentsPlace,
): Promise<void> {
  const sql = `INSERT INTO ${table} AS d
      (id, source_type, source_id, chunk_text, chunk_metadata, embedding, created_at, updated_at)
    SELECT r.*, now(), now() FROM ROWS FROM (json_to_recordset($1::json) AS
      (id uuid, source_type text, source_id text, chunk_text text, chunk_metadata jsonb),
      unnest($2::${types.vector}[])) AS r
    ON CONFLICT (id) DO UPDATE SET source_type = EXCLUDED.source_type, source_id = EXCLUDED.source_id,
      chunk_text = EXCLUDED.chunk_text, chunk_metadata = EXCLUDED.chunk_metadata,
      embedding = EXCLUDED.embedding, updated_at = now()`;
  // In the order of their row ids, so that two writers never wait for each other's rows.
  const rows = records.map((record) => ({ row: ragDocumentRow(record, collection), vector: record.vector }));
  rows.sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
  for (let start = 0; start < rows.length; start += SLICE) {
    const slice = rows.slice(start, start + SLICE);
    const vectors = encodeVectors(
      slice.map(({ vector }) => vector),
      types.typeId,
    );
    await run(sql, [storableJson(slice.map(({ row }) => row)), vectors]);
  }
}

function assertOpenRecord(record: ChunkRecord, tenant: string): void {
  const fault = openRecordFault(record, tenant);
  if (fault === undefined) return;
  throw new RAGError(
    'STORE_INVALID_RECORD',
    `Chunk ${JSON.stringify(record.id)} cannot be stored: ${fault}, and the adopted table, whose other readers know no access rules, holds the open documents of one tenant. Use the "chunks" layout of the PostgreSQL store.`,
  );
}

function openRecordFault(record: ChunkRecord, tenant: string): string | undefined {
  const { groups, level } = record.access;
  if (record.tenant !== tenant) return `it belongs to another tenant than "${tenant}"`;
  if (record.project !== undefined) return 'it belongs to a project';
  if (level !== 0 || groups.length !== 1 || groups[0] !== EVERYONE) return 'it is not open to everyone';
  return Object.hasOwn(record.metadata, OWN_FACTS)
    ? `its metadata has the key ${OWN_FACTS}, which is taken`
    : undefined;
}

/** Refuses what asks for another tenant, or a project, instead of finding nothing there. */
function assertOneTenant(
  filter: Filter,
  { table, tenant }: Pick<RagDocumentsPlace, 'table' | 'tenant'>,
): void {
  if (filter.op === 'and') {
    for (const part of filter.filters) assertOneTenant(part, { table, tenant });
    return;
  }
  if (filter.op !== 'eq') return;
  const isOther = filter.field === '$tenant' && filter.value !== tenant;
  if (!isOther && filter.field !== '$project') return;
  throw new RAGError(
    'STORE_FILTER_UNSUPPORTED',
    `The table ${table} holds one tenant, "${tenant}", and no projects; another scope cannot use it. Use the "chunks" layout of the PostgreSQL store for several tenants or projects.`,
  );
}

/** Whether the filter says which source of the table it means, so that rows of the other application may be listed or deleted. */
function namesSource(filter: Filter): boolean {
  switch (filter.op) {
    case 'and':
      return filter.filters.some(namesSource);
    case 'or':
      return filter.filters.length > 0 && filter.filters.every(namesSource);
    case 'eq':
    case 'in':
    case 'prefix':
      return Object.hasOwn(SOURCE_COLUMNS, filter.field);
    default:
      return false;
  }
}
