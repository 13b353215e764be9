import type { DocumentChunker } from '../chunking/chunker.js';
import type { ChunkRecord, ChunkSpan, StoredChunk } from '../core/chunk.js';
import type { RawDocument } from '../core/document.js';
import { chunkIdOf, documentIdOf } from '../core/ids.js';
import { OPEN_ACCESS, type Scope } from '../core/scope.js';
import { analyzeForIndex } from '../indexing/chunk-terms.js';
import type { SyncParser } from '../parsing/parser.js';
import type { Scalar, ScalarMetadata } from './models.js';
import type { ValidDocument } from './validate.js';

/** Place of a chunk in its document; the only fact of ours among the caller's. */
const INDEX_KEY = '_ragstone_index';
/** `ChunkRecord.source` of everything that a knowledge store writes. */
export const SOURCE = 'knowledge-store';

/** How documents are cut. */
export interface Cutter {
  readonly parser: SyncParser;
  readonly chunker: DocumentChunker;
}

/** A chunk without its vector, and what the model reads of it. */
export interface DocumentChunk {
  readonly record: Omit<ChunkRecord, 'vector'>;
  readonly indexedText: string;
}

/**
 * A document as chunks whose contents, one after the other, are its text again: white space between two chunks belongs to
 * the first. So a document needs no second copy of its text.
 */
export function chunksOf(
  { docId, content, metadata }: ValidDocument,
  scope: Scope,
  { parser, chunker }: Cutter,
): DocumentChunk[] {
  const parsed = parser.parse(rawDocument(docId, content));
  const cut = chunker.chunk(parsed);
  const spans = cut.length === 0 ? [wholeSpan(parsed.text)] : cut;
  // A byte order mark is not part of the parsed text.
  const offset = content.length - parsed.text.length;
  const documentId = documentIdOf(scope.tenant, scopedSource(scope), docId);
  const ordinals = new Map<string, number>();
  return spans.map((span, index) => {
    const { indexedText, searchText, identifiers } = analyzeForIndex(span, parsed.title);
    const ordinal = ordinals.get(indexedText) ?? 0;
    ordinals.set(indexedText, ordinal + 1);
    const record = {
      id: chunkIdOf(documentId, indexedText, ordinal),
      documentId: docId,
      tenant: scope.tenant,
      ...(scope.project === undefined ? {} : { project: scope.project }),
      source: SOURCE,
      access: OPEN_ACCESS,
      content: content.slice(startOf(spans, index, offset), startOf(spans, index + 1, offset)),
      searchText,
      identifiers,
      metadata: { ...metadata, [INDEX_KEY]: index },
    };
    return { record, indexedText };
  });
}

/** The text of a document from all of its chunks, in any order. */
export const contentOf = (chunks: readonly StoredChunk[]): string =>
  [...chunks]
    .sort((a, b) => indexOf(a) - indexOf(b))
    .map(({ content }) => content)
    .join('');

/** The caller's facts. */
export function metadataOf(chunk: StoredChunk): ScalarMetadata {
  const facts = Object.entries(chunk.metadata).filter(
    (entry): entry is [string, Scalar] => entry[0] !== INDEX_KEY,
  );
  return Object.fromEntries(facts);
}

// Two projects of a tenant may have documents of one name.
const scopedSource = ({ project = '' }: Scope): string => `${SOURCE}:${project}`;

const indexOf = ({ metadata }: StoredChunk): number => Number(metadata[INDEX_KEY]);

function startOf(spans: readonly ChunkSpan[], index: number, offset: number): number | undefined {
  if (index === 0) return 0;
  const span = spans[index];
  return span === undefined ? undefined : span.start + offset;
}

/** For a text in which the chunker sees nothing to index. */
const wholeSpan = (text: string): ChunkSpan => ({
  content: text,
  start: 0,
  end: text.length,
  lines: { start: 1, end: 1 },
  headingPath: [],
  tokenCount: 0,
});

const rawDocument = (docId: string, content: string): RawDocument => ({
  externalId: docId,
  mediaType: 'text/markdown',
  content,
  metadata: {},
  access: OPEN_ACCESS,
});
