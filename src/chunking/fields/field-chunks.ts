import type { Block, ParsedDocument } from '../../core/document.js';
import type { ChunkRange } from '../chunk-range.js';
import { pack } from '../pack.js';
import type { CutContext } from '../pieces.js';
import { piecesOf } from '../pieces.js';

export interface FieldOptions {
  readonly preserveFields: readonly string[];
  readonly chunkByField: boolean;
}

/**
 * Chunks of a work item: the preserved fields stay together in the first chunk, with what stands between them, and are
 * cut only where they do not fit in one. The other fields are joined as far as they fit, or are a chunk each. Where the first chunk is below the
 * minimum, a title and nothing else, the next is joined with it. Fields behind a description stay apart from it, for they would blur what it is about.
 */
export function fieldChunks(
  { blocks }: ParsedDocument,
  { preserveFields, chunkByField }: FieldOptions,
  context: CutContext,
): ChunkRange[] {
  const leading = leadingCount(blocks, new Set(preserveFields));
  const rest = blocks.slice(leading);
  const groups = chunkByField ? rest.map((block) => [block]) : [rest];
  const chunks = [blocks.slice(0, leading), ...groups].flatMap((group) =>
    pack(piecesOf(group, context), context, { fill: 'even', overlapAt: 'cuts' }),
  );
  return chunkByField ? chunks : joinSmall(chunks, context);
}

function joinSmall(chunks: readonly ChunkRange[], { limits, sizer }: CutContext): ChunkRange[] {
  const joined: ChunkRange[] = [];
  for (const chunk of chunks) {
    const before = joined.at(-1);
    const size = before === undefined ? 0 : before.size + sizer.gap(chunk.ownStart - before.end) + chunk.size;
    if (before !== undefined && before.size < limits.minSize && size <= limits.maxSize)
      joined[joined.length - 1] = { ...before, end: chunk.end, size };
    else joined.push(chunk);
  }
  return joined;
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
