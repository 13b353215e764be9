import type { TextRange } from '../core/document.js';

/** A chunk's place before it is described. */
export interface ChunkRange extends TextRange {
  readonly size: number;
  /** Where its own text starts: after what it repeats of the chunk before. */
  readonly ownStart: number;
}
