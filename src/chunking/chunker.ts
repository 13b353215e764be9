import type { ChunkSpan } from '../core/chunk.js';
import type { ParsedDocument } from '../core/document.js';

export type ChunkingStrategy = 'semantic' | 'adaptive' | 'recursive' | 'fixed' | 'pbi_aware' | 'whole';
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
  readonly strategy: ChunkingStrategy;
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

/**
 * Blocks to chunks. Pure. For every chunk `content === document.text.slice(start, end)`; every character that is not
 * white space is in at least one chunk; chunks come in document order.
 */
export interface Chunker {
  readonly strategy: ChunkingStrategy;
  chunk(document: ParsedDocument): ChunkSpan[];
}
