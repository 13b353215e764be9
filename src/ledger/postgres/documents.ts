import { keyOf } from '../ledger-text.js';
import type { GenerationTransaction } from './generation-database.js';
import { bytesOf, numberOf } from './row.js';

export const documentKeyOf = (documentId: string): Buffer => keyOf(documentId);

/** A document as writers find it. */
export interface DocumentRow {
  readonly id: number;
  readonly documentKey: Buffer;
  readonly itemKey: Buffer;
}

/** Rows of documents; unknown ones are left out. */
export async function rowsOfDocuments(
  { run, generation }: GenerationTransaction,
  documentIds: readonly string[],
): Promise<DocumentRow[]> {
  const { rows } = await run(
    `SELECT id, document_key, item_key FROM ragstone_ledger_document
     WHERE generation = $1 AND document_key = ANY($2::bytea[])`,
    [generation, documentIds.map(documentKeyOf)],
  );
  return rows.map((row) => ({
    id: numberOf(row, 'id'),
    documentKey: bytesOf(row, 'document_key'),
    itemKey: bytesOf(row, 'item_key'),
  }));
}
