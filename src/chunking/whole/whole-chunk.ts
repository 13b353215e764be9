import { trimBlank } from '../../core/analysis/boundaries.js';
import type { ParsedDocument } from '../../core/document.js';
import type { ChunkRange } from '../chunk-range.js';
import type { TextSizer } from '../pieces.js';

/** The document as one chunk, whatever its length; none where it holds only white space. */
export function wholeChunk({ text }: ParsedDocument, sizer: TextSizer): ChunkRange[] {
  const range = trimBlank(text, { start: 0, end: text.length });
  if (range === undefined) return [];
  return [{ ...range, size: sizer.size(range.start, range.end), ownStart: range.start }];
}
