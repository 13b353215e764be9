import { indexedTextOfStored } from '../../analysis/indexed-text.js';
import { analyzeText } from '../../analysis/lexical-analyzer.js';
import type { ChunkRecord, StoredChunk } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';

/** Records of stored chunks. Stores do not give words back; these are made of what is stored, and lack what surrounds a chunk. */
export async function recordsWithWords(chunks: readonly StoredChunk[]): Promise<ChunkRecord[]> {
  return chunks.map(({ vector, ...chunk }) => {
    if (vector === undefined)
      throw new RAGError('STORE_DAMAGED', `The store gives no vector of chunk ${JSON.stringify(chunk.id)}.`);
    return { ...chunk, vector, searchText: analyzeText(indexedTextOfStored(chunk)).join(' ') };
  });
}
