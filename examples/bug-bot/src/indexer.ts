import type { BugReport, Finding, Investigation } from './bugs.js';
import type { Database, Queryable } from './database.js';
import {
  type BugDocument,
  bugReportDocument,
  findingDocument,
  investigationDocument,
  type SourceType,
} from './documents.js';
import type { Embeddings } from './embeddings.js';
import { deleteBySource, deleteByType, storeEmbeddings } from './vector-store.js';

/** What indexing works with. */
export interface Indexer {
  readonly database: Database;
  readonly embeddings: Embeddings;
}

/** Documents written of each kind. */
export interface IndexCounts {
  readonly bug_reports: number;
  readonly investigations: number;
  readonly findings: number;
}

/** Indexes one bug report anew, as it is now; one that has gone is removed. Returns how many documents it has. */
export const indexBugReport = (indexer: Indexer, bugId: string): Promise<number> =>
  indexSource(indexer, { type: 'bug_report', id: bugId }, async (transaction) => {
    const rows = await transaction.query<BugReport>('SELECT * FROM bug_reports WHERE bug_id = $1', [bugId]);
    return rows.map(bugReportDocument);
  });

/** The same for the investigation of a bug. */
export const indexInvestigation = (indexer: Indexer, bugId: string): Promise<number> =>
  indexSource(indexer, { type: 'investigation', id: bugId }, async (transaction) => {
    const rows = await transaction.query<Investigation>('SELECT * FROM investigations WHERE bug_id = $1', [
      bugId,
    ]);
    return rows.map(investigationDocument);
  });

/** The same for one finding, by its own id: its bug is told by its row, or, where that has gone, by what is indexed of it. */
export const indexFinding = (indexer: Indexer, findingId: string): Promise<number> =>
  indexer.database.transaction(async (transaction) => {
    await lockSource(transaction, 'finding', findingId);
    const sql = 'SELECT * FROM investigation_findings WHERE id::text = $1';
    const documents = (await transaction.query<Finding>(sql, [findingId])).map(findingDocument);
    const indexed = await transaction.query<{ source_id: string }>(
      `SELECT DISTINCT source_id FROM rag_documents
       WHERE source_type = 'finding' AND split_part(source_id, ':', 2) = $1`,
      [findingId],
    );
    for (const { source_id } of [...indexed, ...documents])
      await deleteBySource(transaction, 'finding', source_id);
    return storeEmbeddings(transaction, await embedded(documents, indexer));
  });

/** Indexes everything anew: each kind is embedded in one batch and replaced in one transaction. */
export const reindexAll = async (indexer: Indexer): Promise<IndexCounts> => ({
  bug_reports: await indexType<BugReport>(indexer, 'bug_report', ['bug_reports', bugReportDocument]),
  investigations: await indexType<Investigation>(indexer, 'investigation', [
    'investigations',
    investigationDocument,
  ]),
  findings: await indexType<Finding>(indexer, 'finding', ['investigation_findings', findingDocument]),
});

type ReadDocuments = (transaction: Queryable) => Promise<readonly BugDocument[]>;

const indexSource = (
  indexer: Indexer,
  { type, id }: { readonly type: SourceType; readonly id: string },
  read: ReadDocuments,
): Promise<number> =>
  indexer.database.transaction(async (transaction) => {
    await lockSource(transaction, type, id);
    const documents = await embedded(await read(transaction), indexer);
    await deleteBySource(transaction, type, id);
    return storeEmbeddings(transaction, documents);
  });

// Two that replace one source would not see each other's rows, and leave both. So they take turns, and each reads what is there
// when its turn has come.
async function lockSource(transaction: Queryable, type: SourceType, id: string): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [lockOf(type)]);
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lockOf(type, id)]);
}

function indexType<Row>(
  indexer: Indexer,
  type: SourceType,
  [table, documentOf]: readonly [table: string, documentOf: (row: Row) => BugDocument],
): Promise<number> {
  return indexer.database.transaction(async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lockOf(type)]);
    const rows = await transaction.query<Row>(`SELECT * FROM ${table}`);
    const documents = await embedded(rows.map(documentOf), indexer);
    const ids = documents.map(({ source_id }) => source_id);
    await deleteByType(transaction, type, ids);
    return storeEmbeddings(transaction, documents);
  });
}

const lockOf = (type: SourceType, id = ''): string => `bug-bot ${type} ${id}`;

async function embedded(documents: readonly BugDocument[], { embeddings }: Indexer) {
  const vectors = await embeddings.embedTexts(documents.map(({ chunk_text }) => chunk_text));
  return documents.map((document, index) => ({
    ...document,
    embedding: vectors[index] ?? [],
    model: embeddings.model,
  }));
}
