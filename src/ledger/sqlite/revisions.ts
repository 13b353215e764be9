import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import type { PlannedDocument } from '../ledger.js';
import { encodeText } from '../text-encoding.js';

/** Keeps the text of a planned revision as the newest one of its document. */
export function saveRevision(database: SqliteDatabase, documentRow: number, document: PlannedDocument): void {
  const { encoding, bytes } = encodeText(document.text);
  database.run(
    `INSERT INTO revision (document, revision, sequence, encoding, text)
     VALUES (?1, ?2, (SELECT coalesce(max(sequence), 0) + 1 FROM revision WHERE document = ?1), ?3, ?4)
     ON CONFLICT DO UPDATE SET sequence = excluded.sequence`,
    documentRow,
    document.revision,
    encoding,
    bytes,
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
