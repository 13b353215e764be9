import { packChunks, type RetainedChunk } from '../ledger/history/retained-chunks.js';
import type { HistoryPart, PlannedHistory } from '../ledger/history.js';
import type { PreparedChunk, PreparedDocument } from './prepare-document.js';

/** What history keeps of chunks. */
export const partOf = (chunks: readonly PreparedChunk[]): HistoryPart =>
  packChunks(chunks.map(({ record, indexedText }): RetainedChunk => ({ ...record, indexedText })));

/** What history keeps of documents whose chunks are all here, by document id. */
export function historiesOf(
  documents: readonly Pick<PreparedDocument, 'documentId' | 'access'>[],
  chunks: readonly PreparedChunk[],
): ReadonlyMap<string, PlannedHistory> {
  const byDocument = new Map<string, PreparedChunk[]>();
  for (const chunk of chunks) {
    const { documentId } = chunk.record;
    const own = byDocument.get(documentId) ?? [];
    byDocument.set(documentId, own);
    own.push(chunk);
  }
  return new Map(
    documents.map(({ documentId, access }) => {
      const own = byDocument.get(documentId) ?? [];
      return [documentId, { access, parts: own.length === 0 ? [] : [partOf(own)] }];
    }),
  );
}
