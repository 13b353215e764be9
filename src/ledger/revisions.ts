import { bytesAt, textAt } from '../sqlite/row.js';
import type { SqliteDatabase } from '../sqlite/sqlite-database.js';
import type { PlannedDocument } from './ledger.js';

/*
 * The stored texts, which citations quote by offset. Kept as bytes, because the driver cuts text at a NUL. UTF-8, unless
 * the text holds half a surrogate pair (JSON can), which UTF-8 cannot represent.
 */
type Encoding = 'utf8' | 'utf16le';

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Keeps the text of a planned revision as the newest one of its document. */
export function saveRevision(database: SqliteDatabase, documentRow: number, document: PlannedDocument): void {
  const encoding: Encoding = LONE_SURROGATE.test(document.text) ? 'utf16le' : 'utf8';
  database.run(
    `INSERT INTO revision (document, revision, sequence, encoding, text)
     VALUES (?1, ?2, (SELECT coalesce(max(sequence), 0) + 1 FROM revision WHERE document = ?1), ?3, ?4)
     ON CONFLICT DO UPDATE SET sequence = excluded.sequence`,
    documentRow,
    document.revision,
    encoding,
    Buffer.from(document.text, encoding),
  );
}

/**
 * Marks the document's revision as indexed and keeps the newest `keep` of the indexed ones. Revisions of attempts that
 * never came to an end are dropped: no chunk of theirs was ever live.
 */
export function pruneRevisions(database: SqliteDatabase, documentRow: number, keep: number): void {
  database.run(
    `UPDATE revision SET indexed = 1
     WHERE document = ?1 AND revision = (SELECT revision FROM document WHERE id = ?1)`,
    documentRow,
  );
  database.run(
    `DELETE FROM revision WHERE document = ?1 AND sequence NOT IN
       (SELECT sequence FROM revision WHERE document = ?1 AND indexed = 1 ORDER BY sequence DESC LIMIT ?2)`,
    documentRow,
    keep,
  );
}

/** Text of a revision, the document's current one where none is named. */
export function revisionText(
  database: SqliteDatabase,
  documentId: string,
  revision: string | undefined,
): string | undefined {
  const row = database.row(
    `SELECT revision.encoding, revision.text FROM revision JOIN document ON document.id = revision.document
     WHERE document_id = ?1 AND revision.revision = coalesce(?2, document.revision)`,
    documentId,
    revision ?? null,
  );
  if (row === undefined) return undefined;
  return bytesAt(row, 1).toString(textAt(row, 0) === 'utf16le' ? 'utf16le' : 'utf8');
}
