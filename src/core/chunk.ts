import type { LineRange } from './document.js';
import type { Metadata } from './metadata.js';
import type { AccessControl } from './scope.js';

/** A piece cut by a chunker. `content === text.slice(start, end)` of the stored document, always. */
export interface ChunkSpan {
  readonly content: string;
  /** Offsets in UTF-16 code units of the stored text, half-open. */
  readonly start: number;
  readonly end: number;
  readonly lines: LineRange;
  /** Headings above the chunk, outermost first, without the document title where it only repeats it. */
  readonly headingPath: readonly string[];
  /** Length in the unit of the built-in tokenizer, whatever embedder is used. */
  readonly tokenCount: number;
  /** Indexed with the content but never part of it: a repeated code fence line or table header. */
  readonly context?: string;
  /** Passages of the document around the chunk, itself included: their words count for it; never embedded or shown. */
  readonly surroundings?: readonly string[];
  /** Names that the chunk defines: dotted ones of source code that begin in it, identifiers that are headings in it. */
  readonly defines?: readonly string[];
  /** Facts about this chunk alone: `pages` it lies on, `symbols` of source code it defines or lies in. */
  readonly metadata?: Metadata;
}

/** A chunk as every store keeps it. */
export interface ChunkRecord {
  /** Hash of tenant, document, content and ordinal among equals: unchanged text keeps its id. */
  readonly id: string;
  readonly documentId: string;
  readonly tenant: string;
  readonly project?: string;
  /** Name of the configured source the document came from. */
  readonly source: string;
  readonly access: AccessControl;
  readonly content: string;
  /** Analysed terms for lexical search (title, headings, context, content, split identifiers), separated by one space. */
  readonly searchText: string;
  /** Identifiers found verbatim, and definitions, normalised (see `core/analysis/identifiers.ts`). */
  readonly identifiers: readonly string[];
  /** Unit length, or all zero for text without any known token. */
  readonly vector: Float32Array;
  /** Caller-visible facts; see `ChunkMetadata` for the keys the engine itself sets. */
  readonly metadata: Metadata;
}

/** Pages of a document in pages that a chunk has text on, 1-based, inclusive. */
export interface ChunkPages extends LineRange {
  /** Of several pages: where each behind the first begins, as offsets in the stored revision. Absent in what earlier versions indexed. */
  readonly breaks?: readonly number[];
}

/** Keys that the engine sets in `ChunkRecord.metadata`, beside the document's own. */
export interface ChunkMetadata {
  /** Path (or id) relative to the source's root. */
  readonly source: string;
  readonly sourceType: string;
  readonly title?: string;
  readonly url?: string;
  /** ISO-8601 UTC. */
  readonly createdAt?: string;
  /** ISO-8601 UTC. */
  readonly updatedAt?: string;
  readonly lines: LineRange;
  /** Offsets of the content in the stored revision. */
  readonly offsets: { readonly start: number; readonly end: number };
  readonly headingPath: readonly string[];
  readonly pages?: ChunkPages;
  /** Source code: dotted names of the definitions that the chunk holds or lies in. */
  readonly symbols?: readonly string[];
  /** Strategy `adaptive`: the white space between this chunk and the next, so that the two can be joined exactly. */
  readonly gap?: string;
  /** Revision (content hash) of the document the chunk was cut from. */
  readonly revision: string;
  readonly chunkIndex: number;
  readonly chunkTotal: number;
}

/** A chunk with a score; higher is better. */
export interface ScoredChunk {
  readonly chunk: StoredChunk;
  readonly score: number;
}

/** What a store gives back: the record without its search text; the vector only when asked for. */
export type StoredChunk = Omit<ChunkRecord, 'searchText' | 'vector'> & { readonly vector?: Float32Array };
