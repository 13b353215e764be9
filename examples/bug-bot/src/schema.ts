import type { Database, Queryable } from './database.js';

/** Length of the vectors in `rag_documents`. */
export const DIMENSIONS = 384;

/** Where bugs are. A team that has these tables keeps its own. */
const BUG_TABLES = [
  `CREATE TABLE IF NOT EXISTS bug_reports (
    bug_id VARCHAR(100) PRIMARY KEY,
    severity VARCHAR(20),
    status VARCHAR(30),
    original_message TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now())`,
  `CREATE TABLE IF NOT EXISTS investigations (
    bug_id VARCHAR(100) PRIMARY KEY REFERENCES bug_reports ON DELETE CASCADE,
    summary TEXT NOT NULL,
    root_cause TEXT,
    fix_type VARCHAR(30),
    confidence DOUBLE PRECISION,
    recommended_actions JSONB,
    services JSONB,
    pr_url TEXT,
    is_derived BOOLEAN NOT NULL DEFAULT FALSE)`,
  `CREATE TABLE IF NOT EXISTS investigation_findings (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    bug_id VARCHAR(100) NOT NULL REFERENCES bug_reports ON DELETE CASCADE,
    category VARCHAR(50),
    severity VARCHAR(20),
    finding TEXT NOT NULL,
    is_derived BOOLEAN NOT NULL DEFAULT FALSE)`,
];

/** Where their texts are found. */
const RAG_TABLE = [
  `CREATE TABLE IF NOT EXISTS rag_documents (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    source_type VARCHAR(30) NOT NULL,
    source_id VARCHAR(100) NOT NULL,
    chunk_text TEXT NOT NULL,
    chunk_metadata JSONB,
    embedding vector(${DIMENSIONS}) NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at TIMESTAMPTZ NOT NULL DEFAULT now())`,
  'CREATE INDEX IF NOT EXISTS idx_rag_documents_source ON rag_documents (source_type, source_id)',
  `CREATE INDEX IF NOT EXISTS idx_rag_documents_embedding_hnsw ON rag_documents
    USING hnsw (embedding vector_cosine_ops) WITH (m = 16, ef_construction = 64)`,
];

/** Makes the extension, tables and indexes that are missing, and changes none that are there. Two programs may do it at once. */
export async function migrate(database: Database): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query("SELECT pg_advisory_xact_lock(hashtextextended('bug-bot schema', 0))");
    await addExtension(transaction);
    for (const statement of [...BUG_TABLES, ...RAG_TABLE]) await transaction.query(statement);
    await assertDimensions(transaction);
  });
}

async function addExtension(transaction: Queryable): Promise<void> {
  try {
    await transaction.query('CREATE EXTENSION IF NOT EXISTS vector');
  } catch (cause) {
    throw new Error(
      'The database has no extension "vector". Install pgvector 0.8 on the server (the image pgvector/pgvector:pg16 has it) and let an administrator run CREATE EXTENSION vector.',
      { cause },
    );
  }
}

async function assertDimensions(transaction: Queryable): Promise<void> {
  const [column] = await transaction.query<{ dimensions: number }>(
    `SELECT atttypmod AS dimensions FROM pg_attribute
     WHERE attrelid = 'rag_documents'::regclass AND attname = 'embedding'`,
  );
  if (column?.dimensions === DIMENSIONS) return;
  throw new Error(
    `The table rag_documents has vectors of ${column?.dimensions ?? 'no'} dimensions; this program writes ${DIMENSIONS}.`,
  );
}
