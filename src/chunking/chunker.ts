import type { ChunkSpan } from '../core/chunk.js';
import type { ParsedDocument, TextRange } from '../core/document.js';
import type { Metadata } from '../core/metadata.js';

/** Names of the strategies that Ragstone has itself. */
export const CHUNKING_STRATEGIES = [
  'semantic',
  'adaptive',
  'recursive',
  'fixed',
  'pbi_aware',
  'whole',
] as const;
export type ChunkingStrategy = (typeof CHUNKING_STRATEGIES)[number];
export type ChunkingUnit = 'tokens' | 'characters';

/** Counts in the chosen unit; monotone: a longer slice never counts less than its prefix. */
export interface MeasureText {
  (text: string): number;
  /** The same numbers for slices of one text, where that is less work than to measure each alone. */
  readonly slices?: (text: string) => MeasureSlice;
}

/** Counts what stands between two offsets of a text. */
export type MeasureSlice = (start: number, end: number) => number;

export interface ChunkingOptions {
  /** One of Ragstone's own strategies, or that of a chunker which a program hands in. */
  readonly strategy: string;
  readonly unit: ChunkingUnit;
  /** A chunk below this is merged with its neighbour in the same section where the result fits. */
  readonly minSize: number;
  /** A chunk is never longer, its repeated context apart. */
  readonly maxSize: number;
  /** Repeated from the end of the previous chunk when one block had to be cut inside. */
  readonly overlap: number;
  /** Where `recursive` cuts, best first. */
  readonly splitOn: readonly string[];
  /** Keep white space at both ends of a chunk. */
  readonly preserveWhitespace: boolean;
  /** `pbi_aware`: fields that stay together in the first chunk. */
  readonly preserveFields: readonly string[];
  /** `pbi_aware`: one chunk a field. */
  readonly chunkByField: boolean;
}

/** A document to cut, and the limits of its chunks. */
export interface CutRequest {
  readonly document: ParsedDocument;
  readonly limits: ChunkingOptions;
  /** Size of `document.text.slice(start, end)`, in the unit of the limits. */
  readonly size: (start: number, end: number) => number;
}

/** A chunk's place in the document's text, and what its chunker knows of it. */
export interface CutRange extends TextRange {
  /** Passages of the document around the chunk: their words count for it; never embedded or shown. */
  readonly surroundings?: readonly string[] | undefined;
  /** Facts about this chunk alone, for filters. */
  readonly metadata?: Metadata | undefined;
}

/**
 * Where documents are cut: one way of doing it, under a name that `chunking.strategy` and `Source.preferredChunking` can
 * state. Pure: the same document and limits give the same chunks.
 *
 * A chunk is a range of the document's text, so that it can be cited; Ragstone takes white space off its ends and adds headings,
 * lines and pages. Chunks come in the order of the document and may overlap. Every character that is not white space should be
 * in at least one of them, for what is in none is not found. To keep the limits is the chunker's part.
 */
export interface Chunker {
  /** 1 to 64 letters, digits, `_`, `-`; none of the names that Ragstone has itself. */
  readonly strategy: string;
  /** Raise it whenever the same document would be cut in another way: documents are then indexed anew. @default 0 */
  readonly version?: number | undefined;
  cut(request: CutRequest): readonly CutRange[];
}

/** Reads what stands between two offsets of a document's text. */
export type ReadSlice = (start: number, end: number) => string;

/** Where a document is cut. It holds neither the document's text nor a chunk: each is made when it is asked for. */
export interface DocumentCuts {
  /** How many chunks there are. */
  readonly length: number;
  /** A chunk by its number, from 0, given the text that was cut. */
  chunkAt(index: number, read: ReadSlice): ChunkSpan;
}

/** A document to its chunks. For every chunk `content === document.text.slice(start, end)`. */
export interface DocumentChunker {
  readonly strategy: string;
  chunk(document: ParsedDocument): ChunkSpan[];
  /** The same chunks, made one by one. @default those of `chunk` */
  cut?(document: ParsedDocument): DocumentCuts;
}
