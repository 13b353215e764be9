import type { ContextEntry } from './context-pack.js';
import { newlinesIn } from './passage.js';

/** 1-based line of an offset of the stored revision, as far as the entry's own pieces tell; its first line otherwise. */
export function lineOfOffset(entry: ContextEntry, offset: number): number {
  for (const piece of entry.pieces) {
    if (offset < piece.start || offset > piece.end) continue;
    const before = piece.text.slice(0, offset - piece.start);
    return piece.line + newlinesIn(before);
  }
  return entry.lines.start;
}
