import { numberAt, type SqlRow, text, textAt } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import { SqliteValueError } from '../../sqlite/sqlite-fault.js';
import { CHUNK_STATES, codeOf } from '../chunk-states.js';
import type { LedgerChunk } from '../ledger.js';
import { originalText, storableText } from '../ledger-text.js';
import type { Books } from './books.js';

const CHUNK_COLUMNS = `${text('chunk_id')}, ordinal, ${text('digest')}, state`;

type ChunkFacts = Omit<LedgerChunk, 'documentId'>;

/** Chunks of one document in document order; stale ones among them. */
export function chunksOf(database: SqliteDatabase, documentRow: number, documentId: string): LedgerChunk[] {
  return database
    .rows(`SELECT ${CHUNK_COLUMNS} FROM chunk WHERE document = ? ORDER BY ordinal, chunk_id`, documentRow)
    .map((row) => readChunk(row, documentId));
}

/** A page of all chunks in chunk id order. */
export function chunkPage(
  { database, generation }: Books,
  after: string | undefined,
  limit: number,
): LedgerChunk[] {
  return database
    .rows(
      `SELECT ${CHUNK_COLUMNS}, ${text('document_id')} FROM chunk JOIN document ON document.id = chunk.document
       WHERE chunk.generation = ? AND chunk_id ${after === undefined ? '>=' : '>'} ? ORDER BY chunk_id LIMIT ?`,
      generation,
      after === undefined ? '' : storableText(after),
      limit,
    )
    .map((row) => readChunk(row, originalText(textAt(row, 4))));
}

export function insertChunk({ database, generation }: Books, documentRow: number, chunk: ChunkFacts): void {
  database.run(
    'INSERT INTO chunk (generation, document, chunk_id, ordinal, digest, state) VALUES (?, ?, ?, ?, ?, ?)',
    generation,
    documentRow,
    storableText(chunk.chunkId),
    chunk.ordinal,
    chunk.digest,
    codeOf(chunk.state),
  );
}

export function updateChunk(database: SqliteDatabase, documentRow: number, chunk: ChunkFacts): void {
  database.run(
    'UPDATE chunk SET ordinal = ?, digest = ?, state = ? WHERE document = ? AND chunk_id = ?',
    chunk.ordinal,
    chunk.digest,
    codeOf(chunk.state),
    documentRow,
    storableText(chunk.chunkId),
  );
}

export function markStale(database: SqliteDatabase, documentRow: number, chunkId: string): void {
  database.run(
    'UPDATE chunk SET state = ? WHERE document = ? AND chunk_id = ?',
    codeOf('stale'),
    documentRow,
    storableText(chunkId),
  );
}

function readChunk(row: SqlRow, documentId: string): LedgerChunk {
  const state = CHUNK_STATES[numberAt(row, 3)];
  if (state === undefined) throw new SqliteValueError('a chunk state', 3);
  const chunkId = originalText(textAt(row, 0));
  return { chunkId, documentId, ordinal: numberAt(row, 1), digest: textAt(row, 2), state };
}
