import type { DocumentChunker } from '../../chunking/chunker.js';
import type { StoredChunk } from '../../core/chunk.js';
import { offsetsOf } from '../../core/chunk-metadata.js';
import { groupedBy } from '../../core/grouped-by.js';
import { OPEN_ACCESS, type Scope } from '../../core/scope.js';
import { type PreparedChunk, prepareDocument } from '../../indexing/prepare-document.js';
import { byMediaType } from '../../parsing/create-parsers.js';
import { type FactNames, factsOf, toMetadata } from './facts.js';
import { Document } from './models.js';
import type { ValidDocument } from './validate.js';
import { createWholeDocumentParser, WHOLE_DOCUMENT } from './whole-documents.js';

/** Place of a chunk in its document; the only fact of ours among the caller's. */
const INDEX_KEY = '_ragstone_index';
/** `ChunkRecord.source` of what stands in a store alone. */
const SOURCE = 'knowledge-store';

/** How facts stand in such a store: under their own names. */
export const STORED_FACTS: FactNames = { prefix: '', own: [INDEX_KEY] };

export type IndexedChunk = Pick<PreparedChunk, 'record' | 'indexedText'>;

const parsers = byMediaType([createWholeDocumentParser()]);

/**
 * A document as chunks whose contents, one after the other, are its text again: white space between two chunks belongs to
 * the first. So it needs no second copy of its text, and no ledger to keep one.
 */
export async function wholeChunks(
  { docId, content, metadata }: ValidDocument,
  { scope, chunker }: { readonly scope: Scope; readonly chunker: DocumentChunker },
): Promise<IndexedChunk[]> {
  const document = {
    externalId: docId,
    mediaType: WHOLE_DOCUMENT,
    content,
    metadata: {},
    access: OPEN_ACCESS,
  };
  const { batches } = await prepareDocument(document, {
    scope,
    // Two projects of a tenant may have documents of one name.
    source: `${SOURCE}:${scope.project ?? ''}`,
    sourceType: SOURCE,
    sourceMetadata: {},
    parsers,
    chunker,
    timed: (_, work) => work(),
    timedAsync: (_, work) => work(),
  });
  const chunks: PreparedChunk[] = [];
  for await (const batch of batches) chunks.push(...batch);
  const startOf = (index: number): number | undefined => {
    const chunk = chunks[index];
    return index === 0 ? 0 : chunk && offsetsOf(chunk.record)?.start;
  };
  return chunks.map(({ record, indexedText }, index) => ({
    indexedText,
    record: {
      ...record,
      documentId: docId,
      source: SOURCE,
      content: content.slice(startOf(index), startOf(index + 1)),
      metadata: { ...toMetadata(metadata, STORED_FACTS), [INDEX_KEY]: index },
    },
  }));
}

/** Whole documents of one scope, of all of their chunks in any order; with the vector where the only chunk has one. */
export function documentsOf(chunks: readonly StoredChunk[]): Map<string, Document> {
  const parts = groupedBy(chunks, ({ documentId }) => documentId);
  return new Map([...parts].map(([docId, own]) => [docId, documentOf(docId, own)]));
}

function documentOf(docId: string, chunks: readonly StoredChunk[]): Document {
  const ordered = [...chunks].sort((a, b) => indexOf(a) - indexOf(b));
  const [first] = ordered;
  return new Document({
    docId,
    content: ordered.map(({ content }) => content).join(''),
    metadata: factsOf(first?.metadata ?? {}, STORED_FACTS),
    embedding: first?.vector === undefined ? null : [...first.vector],
  });
}

const indexOf = ({ metadata }: StoredChunk): number => Number(metadata[INDEX_KEY]);
