import { splitAfter } from '../../core/analysis/boundaries.js';
import type { ParsedDocument } from '../../core/document.js';
import type { ChunkRange } from '../chunk-range.js';
import { pack } from '../pack.js';
import { type CutContext, cutRange } from '../pieces.js';

/**
 * Recursive splitting: at the first separator of the list; a part that is still too long at the next one, and in the end
 * anywhere. The parts are joined again as far as they fit, with the overlap between all chunks. It knows no structure.
 *
 * @param separators best first, for instance a blank line, a line end, a full stop and space
 */
export function recursiveChunks(
  { text }: ParsedDocument,
  separators: readonly string[],
  context: CutContext,
): ChunkRange[] {
  const splitters = separators.filter((separator) => separator !== '').map(splitAfter);
  const pieces = cutRange({ start: 0, end: text.length }, splitters, context);
  return pack(pieces, context, { fill: 'full', overlapAt: 'always' });
}
