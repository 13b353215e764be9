import { trimBlank } from '../../core/analysis/boundaries.js';
import { safeCut } from '../../core/analysis/safe-cut.js';
import type { ParsedDocument } from '../../core/document.js';
import type { ChunkRange } from '../chunk-range.js';
import type { ChunkingUnit } from '../chunker.js';
import { pack } from '../pack.js';
import { type CutContext, cutRange } from '../pieces.js';

/**
 * Windows of one size, whatever the text: of exactly `maxSize` characters, each starting `overlap` before the end of the
 * one before; in tokens at most `maxSize`, cut at white space.
 */
export function fixedChunks({ text }: ParsedDocument, unit: ChunkingUnit, context: CutContext): ChunkRange[] {
  if (unit === 'characters') return characterWindows(text, context);
  const pieces = cutRange({ start: 0, end: text.length }, [], context);
  return pack(pieces, context, { fill: 'full', overlapAt: 'always' });
}

function characterWindows(text: string, { limits }: CutContext): ChunkRange[] {
  const windows: ChunkRange[] = [];
  let start = 0;
  let ownStart = 0;
  while (ownStart < text.length) {
    const end = safeCut(text, Math.min(text.length, start + limits.maxSize), ownStart);
    const own = trimBlank(text, { start: ownStart, end });
    const range = trimBlank(text, { start, end });
    if (own !== undefined && range !== undefined) {
      windows.push({ ...range, size: range.end - range.start, ownStart: Math.max(own.start, range.start) });
    }
    ownStart = end;
    start = Math.min(end, safeCut(text, end - limits.overlap, start));
  }
  return windows;
}
