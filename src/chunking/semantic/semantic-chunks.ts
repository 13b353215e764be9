import type { Block, ParsedDocument } from '../../core/document.js';
import { piecesOf } from '../block-pieces.js';
import type { ChunkRange } from '../chunk-range.js';
import { headingsOf, type Outline } from '../outline.js';
import { pack } from '../pack.js';
import type { CutContext } from '../pieces.js';
import { mergeSmall } from './merge-small.js';

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
