import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import { codeOf } from '../chunk-states.js';
import type { LedgerChunk } from '../ledger.js';
import { storableText } from '../ledger-text.js';
import type { Books } from './books.js';

type ChunkFacts = Omit<LedgerChunk, 'documentId'>;

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
