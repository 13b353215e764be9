import { RAGError } from '../../core/errors.js';
import { assertIdentifier } from '../../platform/postgres/connection-settings.js';
import type { PostgresDatabase } from '../../platform/postgres/postgres-database.js';
import type { SqlRow } from '../../platform/postgres/postgres-session.js';
import type { ForeignDocument, ForeignDocuments, ForeignPiece } from '../foreign-documents.js';
import { type PostgresServerOptions, storeDatabase } from './postgres-options.js';
import { OWN_FACTS } from './rag-documents-row.js';

/** Documents of one request. */
const PAGE = 200;

/**
 * The documents of a table `rag_documents` that another program fills: one for each `source_type` and `source_id`, of its rows in the order
 * in which they were written. What Ragstone wrote there itself is left out. Vectors are not read.
 *
 * Throws `COLLECTION_NOT_FOUND` where there is no such table, `CONFIG_INVALID` for a name that no table has.
 */
export async function openForeignRagDocuments(
  options: PostgresServerOptions,
  name: string,
): Promise<ForeignDocuments> {
  const table = name
    .split('.')
    .map((part) => {
      assertIdentifier('collection', part);
      return `"${part}"`;
    })
    .join('.');
  const database = storeDatabase(options);
  try {
    return {
      place: `table ${name} of PostgreSQL`,
      records: await countOf(database, { table, name }),
      documents: (signal) => documentsOf(database, table, signal),
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

const FOREIGN = `NOT coalesce(chunk_metadata ? '${OWN_FACTS}', false)`;

async function countOf(
  database: PostgresDatabase,
  { table, name }: { readonly table: string; readonly name: string },
): Promise<number> {
  const call = { action: `read table ${name}` };
  const [found] = await database.rows('SELECT to_regclass($1::text)::text AS name', [table], call);
  if (found?.name === null || found === undefined)
    throw new RAGError(
      'COLLECTION_NOT_FOUND',
      `There is no table ${name} in the PostgreSQL database. Name it with --collection, with its schema where it is not in the search path: public.rag_documents.`,
    );
  const [row] = await database.rows(`SELECT count(*) AS n FROM ${table} WHERE ${FOREIGN}`, [], call);
  return Number(row?.n);
}

async function* documentsOf(
  database: PostgresDatabase,
  table: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ForeignDocument[]> {
  const call = { action: `read table ${table}`, signal };
  // Documents after the last one, and their rows; texts of another collation than C would not be in the order of the comparison.
  const sql = `
    WITH page AS (
      SELECT DISTINCT source_type COLLATE "C" AS source_type, source_id COLLATE "C" AS source_id FROM ${table}
      WHERE ${FOREIGN} AND (source_type COLLATE "C", source_id COLLATE "C") > ($1, $2)
      ORDER BY 1, 2 LIMIT ${PAGE})
    SELECT t.source_type, t.source_id, t.chunk_text, t.chunk_metadata,
      to_char(t.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at,
      to_char(t.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at
    FROM ${table} t JOIN page ON t.source_type = page.source_type AND t.source_id = page.source_id
    WHERE ${FOREIGN.replaceAll('chunk_metadata', 't.chunk_metadata')}
    ORDER BY page.source_type, page.source_id, t.created_at, t.id`;
  for (let after = ['', '']; ; ) {
    const rows = await database.rows(sql, after, call);
    const documents = grouped(rows);
    if (documents.length > 0) yield documents;
    if (documents.length < PAGE) return;
    after = [String(rows.at(-1)?.source_type), String(rows.at(-1)?.source_id)];
  }
}

/** Rows of one document stand together. */
function grouped(rows: readonly SqlRow[]): ForeignDocument[] {
  const documents: (ForeignDocument & { readonly pieces: ForeignPiece[] })[] = [];
  for (const row of rows) {
    // Two kinds of sources may have one name.
    const id = `${String(row.source_type)}:${String(row.source_id)}`;
    const piece = { text: String(row.chunk_text), metadata: metadataOf(row) };
    const last = documents.at(-1);
    if (last?.id === id) last.pieces.push(piece);
    else documents.push({ id, pieces: [piece], missing: 0 });
  }
  return documents;
}

const metadataOf = (row: SqlRow): ForeignPiece['metadata'] => ({
  ...(typeof row.chunk_metadata === 'object' ? row.chunk_metadata : {}),
  source_type: row.source_type,
  source_id: row.source_id,
  created_at: row.created_at,
  updated_at: row.updated_at,
});
