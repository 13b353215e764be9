import type { LedgerChunk } from '../ledger.js';
import { integer, type RowOf, text, word } from './columns.js';
import { type Program, select } from './program.js';
import { DOCUMENT_KEY, oneOf, type Page, pageOf, sql } from './sql.js';
import { readChunkState } from './stored-words.js';

const CHUNK = {
  chunkId: text('chunk_id'),
  documentId: text('document_id'),
  ordinal: integer('ordinal'),
  digest: word('digest'),
  state: integer('state'),
};

/** See `GenerationReader.chunksOf`. */
export function* chunksOf(
  generation: number,
  documentIds: readonly string[],
): Program<Map<string, LedgerChunk[]>> {
  if (documentIds.length === 0) return new Map();
  const rows = yield* select(
    CHUNK,
    sql`FROM @document AS documents JOIN @chunk AS chunks ON chunks.document = documents.id
      WHERE documents.generation = ${generation} AND ${DOCUMENT_KEY} ${oneOf('key', documentIds)}
      ORDER BY documents.id, ordinal, chunk_id`,
  );
  const found = new Map<string, LedgerChunk[]>(documentIds.map((id) => [id, []]));
  for (const row of rows) found.get(row.documentId)?.push(readChunk(row));
  return found;
}

export const byId = (chunks: readonly LedgerChunk[] = []): Map<string, LedgerChunk> =>
  new Map(chunks.map((chunk) => [chunk.chunkId, chunk]));

/** See `GenerationReader.allChunks`. */
export function* chunkPage(generation: number, page: Page): Program<LedgerChunk[]> {
  const rows = yield* select(
    CHUNK,
    sql`FROM (SELECT * FROM @chunk WHERE generation = ${generation} ${pageOf('chunk_id', page)}) AS chunks
      JOIN @document AS documents ON documents.id = chunks.document ORDER BY chunk_id`,
  );
  return rows.map(readChunk);
}

const readChunk = (row: RowOf<typeof CHUNK>): LedgerChunk => ({ ...row, state: readChunkState(row.state) });
