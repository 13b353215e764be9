import type { TextRange } from '../core/document.js';
import type { Metadata } from '../core/metadata.js';
import type { ReadSlice } from './chunker.js';

/** A chunk's place before it is described. */
export interface ChunkRange extends TextRange {
  readonly size: number;
  /** Where its own text starts: after what it repeats of the chunk before. */
  readonly ownStart: number;
  /** See `ChunkSpan`. */
  readonly surroundings?: readonly string[] | undefined;
  /** Facts about the chunk that its strategy knows. */
  readonly metadata?: Metadata | undefined;
  /** The same of what stands around the chunk, read when the chunk is made. */
  readonly around?: (read: ReadSlice) => Pick<ChunkRange, 'surroundings' | 'metadata'>;
  /** What the strategy knows better than the document's headings and blocks. */
  readonly described?: ChunkDescription;
}

/** What a strategy says of a chunk. */
export interface ChunkDescription {
  readonly headingPath: readonly string[];
  readonly context?: string;
  /** See `ChunkSpan`. */
  readonly defines?: readonly string[];
  readonly metadata?: Metadata | undefined;
}
