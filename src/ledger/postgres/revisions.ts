import type { RunStatement } from '../../postgres/postgres-database.js';
import { keyOf } from '../ledger-text.js';

export const revisionKeyOf = (revision: string): Buffer => keyOf(revision);

/**
 * Marks the present revision of documents as indexed and keeps the newest `keep` of the indexed ones. Revisions of attempts
 * that never came to an end are dropped: no chunk of theirs was ever live.
 */
export async function pruneRevisions(
  run: RunStatement,
  { documents, keep }: { readonly documents: readonly number[]; readonly keep: number },
): Promise<void> {
  await run(
    `WITH ranked AS (
       SELECT revision.document, revision.revision_key, is_kept,
         row_number() OVER (PARTITION BY revision.document, is_kept ORDER BY sequence DESC) AS place
       FROM ragstone_ledger_revision AS revision
       JOIN ragstone_ledger_document AS documents ON documents.id = revision.document,
       LATERAL (SELECT revision.indexed OR revision.revision_key = documents.revision_key AS is_kept) AS kept
       WHERE revision.document = ANY($1::bigint[])
     ), pruned AS (
       DELETE FROM ragstone_ledger_revision AS revision USING ranked
       WHERE revision.document = ranked.document AND revision.revision_key = ranked.revision_key
         AND (NOT is_kept OR place > $2)
     )
     UPDATE ragstone_ledger_revision AS revision SET indexed = true FROM ragstone_ledger_document AS documents
     WHERE documents.id = ANY($1::bigint[]) AND revision.document = documents.id
       AND revision.revision_key = documents.revision_key AND NOT revision.indexed`,
    [documents, keep],
  );
}
