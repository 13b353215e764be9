import type { Database, Queryable } from './database.js';
import type { BugDocument, SourceType } from './documents.js';

/** A document with its vector and the name of the model that made it. */
export interface EmbeddedDocument extends BugDocument {
  readonly embedding: readonly number[];
  readonly model: string;
}

/** A document that was found. */
export interface FoundDocument {
  readonly id: string;
  readonly source_type: string;
  readonly source_id: string;
  readonly chunk_text: string;
  readonly chunk_metadata: Readonly<Record<string, unknown>> | null;
  readonly updated_at: Date;
  /** 1 - cosine distance; nearer to 1 is nearer in meaning. */
  readonly similarity: number;
}

/** Who wrote a row: rows of another program are not cleaned up. */
const WRITER = 'bug-bot';
/** Rows without a mark are those of the Python prototype. */
const UNMARKED_MODEL = 'all-MiniLM-L6-v2';
const SLICE = 200;

/** Inserts documents and returns how many. */
export async function storeEmbeddings(
  transaction: Queryable,
  documents: readonly EmbeddedDocument[],
): Promise<number> {
  for (let start = 0; start < documents.length; start += SLICE) {
    const rows = documents
      .slice(start, start + SLICE)
      .map(({ embedding, model, chunk_metadata, ...document }) => ({
        ...document,
        chunk_metadata: { ...chunk_metadata, embedding_model: model, indexed_by: WRITER },
        embedding: vectorText(embedding),
      }));
    await transaction.query(
      `INSERT INTO rag_documents (source_type, source_id, chunk_text, chunk_metadata, embedding)
       SELECT source_type, source_id, chunk_text, chunk_metadata, embedding::vector
       FROM jsonb_to_recordset($1::jsonb) AS
         row (source_type text, source_id text, chunk_text text, chunk_metadata jsonb, embedding text)`,
      [JSON.stringify(rows)],
    );
  }
  return documents.length;
}

/** The documents nearest to a vector, among those that the same model embedded. */
export function similaritySearch(
  database: Database,
  query: { readonly embedding: readonly number[]; readonly model: string },
  topK: number,
): Promise<readonly FoundDocument[]> {
  return database.transaction(async (transaction) => {
    // The index goes on where the condition leaves too few of its first candidates.
    await transaction.query("SELECT set_config('hnsw.iterative_scan', 'strict_order', true)");
    return transaction.query<FoundDocument>(
      `SELECT ${COLUMNS} FROM rag_documents WHERE ${OF_MODEL} ORDER BY embedding <=> $1::vector LIMIT $3`,
      [vectorText(query.embedding), query.model, topK],
    );
  });
}

/** All that is known of bugs by their ids, as near as they are. */
export const documentsOfBugs = (
  database: Queryable,
  query: { readonly embedding: readonly number[]; readonly model: string },
  bugIds: readonly string[],
): Promise<readonly FoundDocument[]> =>
  database.query<FoundDocument>(
    `SELECT ${COLUMNS} FROM rag_documents
     WHERE ${OF_MODEL} AND split_part(source_id, ':', 1) IN (SELECT jsonb_array_elements_text($3::jsonb))
     ORDER BY embedding <=> $1::vector LIMIT 20`,
    [vectorText(query.embedding), query.model, JSON.stringify(bugIds)],
  );

const COLUMNS = `id, source_type, source_id, chunk_text, chunk_metadata, updated_at,
  1 - (embedding <=> $1::vector) AS similarity`;
const OF_MODEL = `COALESCE(chunk_metadata ->> 'embedding_model', '${UNMARKED_MODEL}') = $2`;

/** Removes every row of a source, whatever program wrote it, so that what is inserted next has no double. Returns how many. */
export async function deleteBySource(
  transaction: Queryable,
  sourceType: SourceType,
  sourceId: string,
): Promise<number> {
  const deleted = await transaction.query(
    'DELETE FROM rag_documents WHERE source_type = $1 AND source_id = $2 RETURNING id',
    [sourceType, sourceId],
  );
  return deleted.length;
}

/** Removes the rows of these sources of a type, whatever program wrote them, and those of ours whose source has gone. */
export async function deleteByType(
  transaction: Queryable,
  sourceType: SourceType,
  sourceIds: readonly string[],
): Promise<void> {
  await transaction.query(
    `DELETE FROM rag_documents WHERE source_type = $1
     AND (chunk_metadata ->> 'indexed_by' = '${WRITER}' OR source_id IN (SELECT jsonb_array_elements_text($2::jsonb)))`,
    [sourceType, JSON.stringify(sourceIds)],
  );
}

export interface Stats {
  readonly total_documents: number;
  readonly by_type: Readonly<Record<string, number>>;
  readonly last_indexed_at: string | null;
}

export async function getStats(database: Queryable): Promise<Stats> {
  const rows = await database.query<{ source_type: string; documents: number; last: Date }>(
    `SELECT source_type, count(*)::int AS documents, max(updated_at) AS last
     FROM rag_documents GROUP BY source_type ORDER BY source_type`,
  );
  const last = Math.max(...rows.map((row) => row.last.getTime()));
  return {
    total_documents: rows.reduce((sum, { documents }) => sum + documents, 0),
    by_type: Object.fromEntries(rows.map(({ source_type, documents }) => [source_type, documents])),
    last_indexed_at: rows.length === 0 ? null : new Date(last).toISOString(),
  };
}

/** Whether any document has a word as a whole, in any case. */
export async function hasWord(database: Queryable, word: string): Promise<boolean> {
  const literal = word.replaceAll(/[^\p{L}\p{N}_ ]/gu, String.raw`\$&`);
  const sql = String.raw`SELECT 1 FROM rag_documents WHERE chunk_text ~* ('(?<!\w)' || $1 || '(?!\w)') LIMIT 1`;
  return (await database.query(sql, [literal])).length > 0;
}

const vectorText = (vector: readonly number[]): string => `[${vector.join(',')}]`;
