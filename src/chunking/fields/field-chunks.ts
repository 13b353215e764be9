import type { Block, ParsedDocument } from '../../core/document.js';
import { piecesOf } from '../block-pieces.js';
import type { ChunkRange } from '../chunk-range.js';
import { pack } from '../pack.js';
import type { CutContext } from '../pieces.js';

export interface FieldOptions {
  readonly preserveFields: readonly string[];
  readonly chunkByField: boolean;
}

/**
 * Chunks of a work item: the preserved fields stay together in the first chunk, with what stands between them, and are
 * cut only where they do not fit in one. The other fields are joined as far as they fit, or are a chunk each.
 */
export function fieldChunks(
  { blocks }: ParsedDocument,
  { preserveFields, chunkByField }: FieldOptions,
  context: CutContext,
): ChunkRange[] {
  const leading = leadingCount(blocks, new Set(preserveFields));
  const rest = blocks.slice(leading);
  const groups = chunkByField ? rest.map((block) => [block]) : [rest];
  return [blocks.slice(0, leading), ...groups].flatMap((group) =>
    pack(piecesOf(group, context), context, { fill: 'even', overlapAt: 'cuts' }),
  );
}

/** Up to the last preserved field that follows another one directly or over a single field between. */
function leadingCount(blocks: readonly Block[], preserved: ReadonlySet<string>): number {
  let count = 0;
  for (const [index, block] of blocks.entries()) {
    if (index > count + 1) break;
    if (block.label !== undefined && preserved.has(block.label)) count = index + 1;
  }
  return count;
}
