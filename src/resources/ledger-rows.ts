import type { GenerationReader, LedgerChunk, LedgerDocument } from '../ledger/ledger.js';

/** All documents of a generation, in the order of their ids; so many are read at once. */
export const documentsIn = (
  reader: Pick<GenerationReader, 'documents'>,
  atOnce: number,
): AsyncGenerator<LedgerDocument> =>
  pagedRows(
    (after) => reader.documents(after, atOnce),
    ({ documentId }) => documentId,
    atOnce,
  );

/** All chunks of a generation, in the order of their ids; so many are read at once. */
export const chunksIn = (reader: GenerationReader, atOnce: number): AsyncGenerator<LedgerChunk> =>
  pagedRows(
    (after) => reader.allChunks(after, atOnce),
    ({ chunkId }) => chunkId,
    atOnce,
  );

async function* pagedRows<Row>(
  read: (after: string | undefined) => Promise<Row[]>,
  idOf: (row: Row) => string,
  atOnce: number,
): AsyncGenerator<Row> {
  for (let after: string | undefined; ; ) {
    const page = await read(after);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < atOnce) return;
    after = idOf(last);
  }
}
