import type { SqlRow } from '../../postgres/postgres-session.js';
import { CHUNK_STATES } from '../chunk-states.js';
import type { LedgerChunk } from '../ledger.js';
import { storableText } from '../ledger-text.js';
import type { Books } from './books.js';
import { documentKeyOf } from './documents.js';
import { numberOf, textOf } from './row.js';

/** Chunks of one document in document order; stale ones among them. */
export async function chunksOf({ database, generation }: Books, documentId: string): Promise<LedgerChunk[]> {
  const rows = await database.rows(
    `SELECT chunk_id, ordinal, digest, state FROM ragstone_ledger_chunk
     WHERE document = (SELECT id FROM ragstone_ledger_document WHERE generation = $1 AND document_key = $2)
     ORDER BY ordinal, chunk_id`,
    [generation, documentKeyOf(documentId)],
    { action: 'read the chunks of a document' },
  );
  return rows.map((row) => readChunk(row, documentId));
}

/** See `GenerationReader.chunksOf`. */
export async function chunksOfDocuments(
  { database, generation }: Books,
  documentIds: readonly string[],
): Promise<ReadonlyMap<string, readonly LedgerChunk[]>> {
  const rows = await database.rows(
    `SELECT wanted.place, chunk_id, ordinal, digest, state
     FROM unnest($2::bytea[]) WITH ORDINALITY AS wanted (key, place)
     JOIN ragstone_ledger_document AS documents ON documents.generation = $1 AND document_key = wanted.key
     JOIN ragstone_ledger_chunk ON document = documents.id
     ORDER BY wanted.place, ordinal, chunk_id`,
    [generation, documentIds.map(documentKeyOf)],
    { action: 'read the chunks of documents' },
  );
  const chunks = documentIds.map((): LedgerChunk[] => []);
  for (const row of rows) {
    const at = numberOf(row, 'place') - 1;
    chunks[at]?.push(readChunk(row, documentIds[at] ?? ''));
  }
  return new Map(documentIds.map((id, at) => [id, chunks[at] ?? []]));
}

/** A page of all chunks in chunk id order. */
export async function chunkPage(
  { database, generation }: Books,
  after: string | undefined,
  limit: number,
): Promise<LedgerChunk[]> {
  const rows = await database.rows(
    `SELECT chunk_id, ordinal, digest, state, document_id
     FROM (SELECT * FROM ragstone_ledger_chunk WHERE generation = $1
         AND ($2::text IS NULL OR (left(chunk_id, 128), chunk_id) > (left($2, 128), $2))
       ORDER BY left(chunk_id, 128), chunk_id LIMIT $3) AS page
     JOIN (SELECT id, document_id FROM ragstone_ledger_document) AS documents ON documents.id = page.document
     ORDER BY chunk_id`,
    [generation, after === undefined ? null : storableText(after), limit],
    { action: 'list its chunks' },
  );
  return rows.map((row) => readChunk(row, textOf(row, 'document_id')));
}

/** A chunk of a row with `chunk_id`, `ordinal`, `digest` and `state`. */
export function readChunk(row: SqlRow, documentId: string): LedgerChunk {
  const state = CHUNK_STATES[numberOf(row, 'state')];
  if (state === undefined) throw new TypeError(`There is no chunk state ${String(row.state)}.`);
  return {
    chunkId: textOf(row, 'chunk_id'),
    documentId,
    ordinal: numberOf(row, 'ordinal'),
    digest: textOf(row, 'digest'),
    state,
  };
}
