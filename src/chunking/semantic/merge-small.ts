import type { ChunkRange } from '../chunk-range.js';
import { sharedHeadings } from '../outline.js';
import type { CutContext } from '../pieces.js';

/** A chunk and the headings it stands under. */
export interface SectionChunk extends ChunkRange {
  readonly headings: readonly number[];
}

/**
 * Joins each chunk below the minimum with a neighbour: the one that shares more headings with it, in doubt the one
 * before. The two must be related (see `areRelated`) and fit together, and then stand under the headings both share.
 */
export function mergeSmall(chunks: readonly SectionChunk[], context: CutContext): SectionChunk[] {
  const merged: SectionChunk[] = [];
  for (const [index, chunk] of chunks.entries()) {
    const previous = merged.at(-1);
    const joint = previous === undefined ? undefined : joinRelated(previous, chunk, context);
    if (
      previous === undefined ||
      joint === undefined ||
      !isWanted(previous, chunk, chunks[index + 1], context)
    ) {
      merged.push(chunk);
    } else {
      merged[merged.length - 1] = joint;
    }
  }
  return merged;
}

function isWanted(
  previous: SectionChunk,
  chunk: SectionChunk,
  next: SectionChunk | undefined,
  context: CutContext,
): boolean {
  const { minSize } = context.limits;
  if (previous.size < minSize) return true;
  if (chunk.size >= minSize) return false;
  const isCloserToNext =
    next !== undefined &&
    sharedHeadings(chunk.headings, next.headings) > sharedHeadings(previous.headings, chunk.headings) &&
    joinRelated(chunk, next, context) !== undefined;
  return !isCloserToNext;
}

function joinRelated(left: SectionChunk, right: SectionChunk, context: CutContext): SectionChunk | undefined {
  const shared = sharedHeadings(left.headings, right.headings);
  const size = left.size + context.sizer.gap(right.ownStart - left.end) + right.size;
  if (!areRelated(left, right, context) || size > context.limits.maxSize) return undefined;
  return {
    start: left.start,
    ownStart: left.ownStart,
    end: right.end,
    size,
    headings: left.headings.slice(0, shared),
  };
}

/**
 * In one section, under one parent, or parent and child; a chunk below half the minimum also joins what stands beside
 * its parent.
 */
function areRelated(left: SectionChunk, right: SectionChunk, { limits }: CutContext): boolean {
  const shared = sharedHeadings(left.headings, right.headings);
  const isTiny = Math.min(left.size, right.size) < limits.minSize / 2;
  const level = isTiny ? Math.min : Math.max;
  return shared >= level(left.headings.length, right.headings.length) - 1;
}
