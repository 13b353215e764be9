import type { Metadata } from '../../core/metadata.js';
import { numberAt, optionalTextAt, type SqlRow, text, textAt } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import type { ItemKey, LedgerDocument, PlannedDocument } from '../ledger.js';
import { originalText, storableText } from '../ledger-text.js';
import type { Books } from './books.js';
import { readStatus } from './items.js';

// Title and metadata are kept as JSON, which escapes what a text column cannot hold.
const COLUMNS = `${text('document_id')}, ${text('tenant')}, ${text('project')}, ${text('source')}, ${text('source_type')},
  ${text('item_id')}, ${text('external_id')}, ${text('revision')}, ${text('status')}, ${text('title')},
  ${text('metadata')}, ${text('indexed_at')},
  (SELECT count(*) FROM chunk WHERE chunk.document = document.id AND chunk.state <> 2)`;

/** Key of a document's row, or undefined where the document is unknown. */
export function rowIdOf({ database, generation }: Books, documentId: string): number | undefined {
  const sql = 'SELECT id FROM document WHERE generation = ? AND document_id = ?';
  const row = database.row(sql, generation, storableText(documentId));
  return row === undefined ? undefined : numberAt(row, 0);
}

/** Writes the document's facts, makes it and its item `pending`, and returns the key of its row. */
export function beginDocument({ database, generation }: Books, document: PlannedDocument): number {
  const row = database.row(
    `INSERT INTO document (generation, document_id, tenant, project, source, source_type, item_id, external_id, revision, title,
       metadata, status)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')
     ON CONFLICT (generation, document_id) DO UPDATE SET tenant = excluded.tenant, project = excluded.project,
       source = excluded.source, source_type = excluded.source_type, item_id = excluded.item_id,
       external_id = excluded.external_id, revision = excluded.revision, title = excluded.title,
       metadata = excluded.metadata, status = 'pending',
       examined = CASE WHEN revision = excluded.revision THEN examined ELSE 0 END
     RETURNING id`,
    generation,
    storableText(document.documentId),
    storableText(document.tenant),
    document.project === undefined ? null : storableText(document.project),
    storableText(document.source),
    storableText(document.sourceType),
    storableText(document.itemId),
    storableText(document.externalId),
    document.revision,
    document.title === undefined ? null : JSON.stringify(document.title),
    JSON.stringify(document.metadata),
  );
  const id = row === undefined ? undefined : numberAt(row, 0);
  if (id === undefined) throw new Error('RETURNING gave no row');
  setItemPending(database, id);
  return id;
}

/** Makes a document and its item `pending`. */
export function setDocumentPending(database: SqliteDatabase, documentRow: number): void {
  database.run("UPDATE document SET status = 'pending' WHERE id = ?", documentRow);
  setItemPending(database, documentRow);
}

function setItemPending(database: SqliteDatabase, documentRow: number): void {
  database.run(
    `INSERT INTO item (generation, tenant, source, item_id, status)
     SELECT generation, tenant, source, item_id, 'pending' FROM document WHERE id = ?
     ON CONFLICT DO UPDATE SET status = 'pending'`,
    documentRow,
  );
}

export function findDocument(
  { database, generation }: Books,
  documentId: string,
): LedgerDocument | undefined {
  const sql = `SELECT ${COLUMNS} FROM document WHERE generation = ? AND document_id = ?`;
  const row = database.row(sql, generation, storableText(documentId));
  return row === undefined ? undefined : readDocument(row);
}

export function documentsOfItem(
  { database, generation }: Books,
  { tenant, source, itemId }: ItemKey,
): LedgerDocument[] {
  // The plus keeps SQLite from reading the whole generation in the order of ids for the sake of the last line.
  return database
    .rows(
      `SELECT ${COLUMNS} FROM document WHERE generation = ? AND tenant = ? AND source = ? AND item_id = ?
       ORDER BY +document_id`,
      generation,
      storableText(tenant),
      storableText(source),
      storableText(itemId),
    )
    .map(readDocument);
}

/** Number of documents of each item of a source. */
export function documentCounts(
  { database, generation }: Books,
  tenant: string,
  source: string,
): Map<string, number> {
  const rows = database.rows(
    `SELECT ${text('item_id')}, count(*) FROM document WHERE generation = ? AND tenant = ? AND source = ? GROUP BY item_id`,
    generation,
    storableText(tenant),
    storableText(source),
  );
  return new Map(rows.map((row) => [originalText(textAt(row, 0)), numberAt(row, 1)]));
}

/** A page of all documents in document id order. */
export function documentPage(
  { database, generation }: Books,
  after: string | undefined,
  limit: number,
): LedgerDocument[] {
  return database
    .rows(
      `SELECT ${COLUMNS} FROM document WHERE generation = ? AND document_id ${after === undefined ? '>=' : '>'} ? ORDER BY document_id LIMIT ?`,
      generation,
      after === undefined ? '' : storableText(after),
      limit,
    )
    .map(readDocument);
}

function readDocument(row: SqlRow): LedgerDocument {
  const project = optionalTextAt(row, 2);
  const title = optionalTextAt(row, 9);
  const indexedAt = optionalTextAt(row, 11);
  return {
    documentId: originalText(textAt(row, 0)),
    tenant: originalText(textAt(row, 1)),
    ...(project === undefined ? {} : { project: originalText(project) }),
    source: originalText(textAt(row, 3)),
    sourceType: originalText(textAt(row, 4)),
    itemId: originalText(textAt(row, 5)),
    externalId: originalText(textAt(row, 6)),
    revision: textAt(row, 7),
    status: readStatus(row, 8),
    ...(title === undefined ? {} : { title: JSON.parse(title) as string }),
    metadata: JSON.parse(textAt(row, 10)) as Metadata,
    chunkCount: numberAt(row, 12),
    ...(indexedAt === undefined ? {} : { indexedAt }),
  };
}
