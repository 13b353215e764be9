import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalJson } from '../../core/canonical-json.js';
import { throwIfAborted } from '../../core/errors.js';
import { contentHash } from '../../core/ids.js';
import { slicesOf } from '../../core/slices.js';
import type { GenerationReader, LedgerChunk, LedgerDocument } from '../../ledger/ledger.js';

const PAGE = 500;
/** Documents whose chunks are read in one turn of the event loop. */
const AT_ONCE = 50;

/** What a generation lacks, or holds otherwise than the live one. */
export interface OutOfStep {
  /** Documents of the live generation to copy, in id order, with the stamps by which they were found. */
  readonly changed: readonly { readonly document: LedgerDocument; readonly stamp: string }[];
  /** Ids of documents that the live generation no longer has. */
  readonly gone: readonly string[];
  /** Chunks of the live generation, and those that need not be copied. */
  readonly chunks: { readonly total: number; readonly inStep: number };
  readonly documents: number;
}

/** A document with its chunks, in words that change with each of its revisions, its metadata and who may read it. */
export const stampOf = (document: LedgerDocument, chunks: readonly LedgerChunk[]): string =>
  contentHash(
    canonicalJson([
      factsOf(document),
      // A chunk of a revision that was never completed stands beside those that it replaces.
      chunks.map(({ chunkId, digest }) => `${chunkId} ${digest}`).sort(),
    ]),
  );

const factsOf = (document: LedgerDocument) => {
  const {
    tenant,
    project = null,
    source,
    sourceType,
    itemId,
    externalId,
    revision,
    title = null,
    metadata,
  } = document;
  return [tenant, project, source, sourceType, itemId, externalId, revision, title, metadata];
};

/** Compares two generations by what the ledger knows of each document. Reads no store. */
export async function findOutOfStep(
  live: GenerationReader,
  target: GenerationReader,
  signal: AbortSignal | undefined,
): Promise<OutOfStep> {
  const held = new Map<string, string>();
  for await (const { document, stamp } of stamped(target, signal))
    held.set(document.documentId, isWhole(document) ? stamp : '');
  const changed: { document: LedgerDocument; stamp: string }[] = [];
  let total = 0;
  let inStep = 0;
  let documents = 0;
  for await (const { document, stamp } of stamped(live, signal)) {
    documents += 1;
    total += document.chunkCount;
    if (held.get(document.documentId) === stamp) inStep += document.chunkCount;
    else changed.push({ document, stamp });
    held.delete(document.documentId);
  }
  return { changed, gone: [...held.keys()], chunks: { total, inStep }, documents };
}

/** One that a death interrupted is copied again. */
const isWhole = ({ status }: LedgerDocument): boolean => status === 'indexed' || status === 'outdated';

async function* stamped(
  reader: GenerationReader,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly document: LedgerDocument; readonly stamp: string }> {
  for (let after: string | undefined; ; ) {
    const page = await reader.documents(after, PAGE);
    for (const documents of slicesOf(page, AT_ONCE)) {
      throwIfAborted(signal);
      const chunks = await reader.chunksOf(documents.map(({ documentId }) => documentId));
      for (const document of documents)
        yield { document, stamp: stampOf(document, chunks.get(document.documentId) ?? []) };
      await nextTurn();
    }
    after = page.at(-1)?.documentId;
    if (page.length < PAGE) return;
  }
}
