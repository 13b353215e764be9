import { numberAt } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import type { PlannedDocument } from '../ledger.js';
import { storableText } from '../ledger-text.js';
import { encodeText } from '../text-encoding.js';
import type { Books } from './books.js';

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

/** Deletes the texts of a source's documents beyond the newest ones that are kept; see `GenerationWriter.pruneVersions`. */
export function pruneVersions(
  { database, generation }: Books,
  {
    tenant,
    source,
    keep,
    dryRun,
  }: { readonly tenant: string; readonly source: string; readonly keep: number; readonly dryRun: boolean },
): number {
  const older = `SELECT place_of FROM (
    SELECT revision.rowid AS place_of, row_number() OVER (PARTITION BY document ORDER BY sequence DESC) AS place
    FROM revision JOIN document ON document.id = revision.document
    WHERE generation = ? AND tenant = ? AND source = ? AND indexed = 1) WHERE place > ?`;
  const names = [generation, storableText(tenant), storableText(source), keep] as const;
  return dryRun
    ? numberAt(database.row(`SELECT count(*) FROM (${older})`, ...names) ?? [0], 0)
    : database.run(`DELETE FROM revision WHERE rowid IN (${older})`, ...names);
}
