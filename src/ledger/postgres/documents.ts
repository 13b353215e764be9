import type { Metadata } from '../../core/metadata.js';
import { FOLDED_KEY } from '../../core/pushed-fields.js';
import type { GraphPage } from '../../graph/graph.js';
import type { SqlRow } from '../../postgres/postgres-session.js';
import type { LedgerDocument } from '../ledger.js';
import { keyOf, storableText } from '../ledger-text.js';
import type { Books, OpenBooks } from './books.js';
import { itemKeyOf, STATUSES, sourceKeyOf } from './items.js';
import { bytesOf, numberOf, oneOf, optionalTextOf, storedTextOf, textOf } from './row.js';

// Title and metadata are kept as JSON, which escapes what a text column cannot hold.
const COLUMNS = `document_id, tenant, project, source, source_type, item_id, external_id, revision, status, title, metadata,
  indexed_at, (SELECT count(*) FROM ragstone_ledger_chunk WHERE document = documents.id AND state <> 2) AS chunk_count`;

const FROM = 'FROM ragstone_ledger_document AS documents';

export const documentKeyOf = (documentId: string): Buffer => keyOf(documentId);

/** A document as writers find it. */
export interface DocumentRow {
  readonly id: number;
  readonly documentKey: Buffer;
  readonly itemKey: Buffer;
}

/** Rows of documents; unknown ones are left out. */
export async function rowsOfDocuments(
  { run, generation }: OpenBooks,
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

export async function findDocument(
  { database, generation }: Books,
  documentId: string,
): Promise<LedgerDocument | undefined> {
  const [row] = await database.rows(
    `SELECT ${COLUMNS} ${FROM} WHERE generation = $1 AND document_key = $2`,
    [generation, documentKeyOf(documentId)],
    { action: 'read a document' },
  );
  return row === undefined ? undefined : readDocument(row);
}

/** In the order of the items, then by id. */
export async function documentsOfItems(
  { database, generation }: Books,
  {
    tenant,
    source,
    itemIds,
  }: { readonly tenant: string; readonly source: string; readonly itemIds: readonly string[] },
): Promise<LedgerDocument[]> {
  const rows = await database.rows(
    `SELECT ${COLUMNS} ${FROM} JOIN unnest($2::bytea[]) WITH ORDINALITY AS wanted (key, place) ON item_key = wanted.key
     WHERE generation = $1 AND source_key = $3 ORDER BY wanted.place, document_id`,
    [generation, itemIds.map((itemId) => itemKeyOf({ tenant, source, itemId })), sourceKeyOf(tenant, source)],
    { action: 'read the documents of items' },
  );
  return rows.map(readDocument);
}

/** Number of documents of each item of a source. */
export async function documentCounts(
  { database, generation }: Books,
  tenant: string,
  source: string,
): Promise<Map<string, number>> {
  const rows = await database.rows(
    `SELECT min(item_id) AS item_id, count(*) AS documents ${FROM} WHERE generation = $1 AND source_key = $2
     GROUP BY item_key`,
    [generation, sourceKeyOf(tenant, source)],
    { action: 'count the documents of a source' },
  );
  return new Map(rows.map((row) => [textOf(row, 'item_id'), numberOf(row, 'documents')]));
}

/** A page of all documents in document id order. */
export async function documentPage(
  { database, generation }: Books,
  after: string | undefined,
  limit: number,
): Promise<LedgerDocument[]> {
  const rows = await database.rows(
    `SELECT ${COLUMNS} ${FROM} WHERE generation = $1
       AND ($2::text IS NULL OR (left(document_id, 128), document_id) > (left($2, 128), $2))
     ORDER BY left(document_id, 128), document_id LIMIT $3`,
    [generation, after === undefined ? null : storableText(after), limit],
    { action: 'list its documents' },
  );
  return rows.map(readDocument);
}

/** See `GenerationReader.folded`. */
export async function foldedDocuments(
  { database, generation }: Books,
  { limit, after }: GraphPage,
): Promise<string[]> {
  const rows = await database.rows(
    `SELECT document_id ${FROM} WHERE generation = $1 AND position($4 in metadata) > 0
       AND ($2::text IS NULL OR (left(document_id, 128), document_id) > (left($2, 128), $2))
     ORDER BY left(document_id, 128), document_id LIMIT $3`,
    [generation, after === undefined ? null : storableText(after), limit, `${JSON.stringify(FOLDED_KEY)}:`],
    { action: 'list documents of earlier versions' },
  );
  return rows.map((row) => textOf(row, 'document_id'));
}

/** Documents inside a transaction, their rows held until it ends. */
export async function openDocuments(
  { run, generation }: OpenBooks,
  documentKeys: readonly Buffer[],
): Promise<LedgerDocument[]> {
  const { rows } = await run(
    `SELECT ${COLUMNS} ${FROM} WHERE generation = $1 AND document_key = ANY($2::bytea[]) FOR UPDATE`,
    [generation, documentKeys],
  );
  return rows.map(readDocument);
}

function readDocument(row: SqlRow): LedgerDocument {
  const project = optionalTextOf(row, 'project');
  const title = row.title === null ? undefined : (JSON.parse(storedTextOf(row, 'title')) as string);
  const indexedAt = row.indexed_at === null ? undefined : storedTextOf(row, 'indexed_at');
  return {
    documentId: textOf(row, 'document_id'),
    tenant: textOf(row, 'tenant'),
    ...(project === undefined ? {} : { project }),
    source: textOf(row, 'source'),
    sourceType: textOf(row, 'source_type'),
    itemId: textOf(row, 'item_id'),
    externalId: textOf(row, 'external_id'),
    revision: textOf(row, 'revision'),
    status: oneOf(row, 'status', STATUSES),
    ...(title === undefined ? {} : { title }),
    metadata: JSON.parse(storedTextOf(row, 'metadata')) as Metadata,
    chunkCount: numberOf(row, 'chunk_count'),
    ...(indexedAt === undefined ? {} : { indexedAt }),
  };
}
