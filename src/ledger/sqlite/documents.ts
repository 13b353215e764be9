import { numberAt } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import type { PlannedDocument } from '../ledger.js';
import { storableText } from '../ledger-text.js';
import type { Books } from './books.js';

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
