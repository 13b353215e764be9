import type { Block, ParsedDocument } from '../../core/document.js';
import type { ChunkRange } from '../chunk-range.js';
import { headingsOf, type Outline, sharedHeadings } from '../outline.js';
import { pack } from '../pack.js';
import type { CutContext } from '../pieces.js';
import { piecesOf } from '../pieces.js';

/**
 * Chunks along the structure of a document. Blocks under one heading are joined to chunks of even size; a block stays
 * whole where it fits and is else cut at rows, lines, items or sentences; a chunk below the minimum joins a neighbour,
 * over a heading if it must.
 *
 * Text of nothing but paragraphs that is as a whole below the minimum stays as its author divided it, one paragraph a
 * chunk: no joining could reach the minimum, and no heading says that the paragraphs belong together.
 */
export function semanticChunks(
  document: ParsedDocument,
  outline: Outline,
  context: CutContext,
): ChunkRange[] {
  const sections = bodySections(document.blocks);
  const chunks = sections.flatMap((blocks) => {
    const pieces = piecesOf(blocks, context);
    const packed = pack(pieces, context, { fill: 'even', overlapAt: 'cuts' });
    return packed.map((chunk) => ({ ...chunk, headings: headingsOf(outline, chunk) }));
  });
  return isBareAndTiny(document.blocks, chunks, context)
    ? document.blocks.flatMap((block) => piecesOf([block], context)).map(asChunk)
    : mergeSmall(chunks, context);
}

/** Headings without text of their own open the section that follows; front matter is a section by itself. */
function bodySections(blocks: readonly Block[]): Block[][] {
  const sections: Block[][] = [];
  let previous: Block | undefined;
  for (const block of blocks) {
    const opens =
      previous === undefined ||
      previous.kind === 'front-matter' ||
      (block.kind === 'heading' && previous.kind !== 'heading');
    if (opens) sections.push([block]);
    else sections.at(-1)?.push(block);
    previous = block;
  }
  return sections;
}

function isBareAndTiny(
  blocks: readonly Block[],
  chunks: readonly ChunkRange[],
  { limits }: CutContext,
): boolean {
  const [only] = chunks;
  return (
    only !== undefined &&
    chunks.length === 1 &&
    only.size < limits.minSize &&
    blocks.every((block) => block.kind === 'paragraph')
  );
}

const asChunk = ({ start, end, size }: { start: number; end: number; size: number }): ChunkRange => ({
  start,
  end,
  size,
  ownStart: start,
});

/** A chunk and the headings it stands under. */
interface SectionChunk extends ChunkRange {
  readonly headings: readonly number[];
}

/**
 * Joins each chunk below the minimum with a neighbour: the one that shares more headings with it, in doubt the one
 * before. The two must be related (see `areRelated`) and fit together, and then stand under the headings both share.
 */
function mergeSmall(chunks: readonly SectionChunk[], context: CutContext): SectionChunk[] {
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
