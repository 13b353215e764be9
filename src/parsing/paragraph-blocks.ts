import type { Block } from '../core/document.js';
import { trimRange } from './text-range.js';

/**
 * Paragraphs are what blank lines separate.
 *
 * @param source text whose only line end is a line feed (see `levelLineEnds`)
 */
export function paragraphBlocks(source: string): Block[] {
  const blocks: Block[] = [];
  let start = 0;
  const add = (end: number): void => {
    const range = trimRange(source, { start, end });
    if (range !== undefined) blocks.push({ kind: 'paragraph', ...range });
  };
  for (const blankLine of source.matchAll(/\n[^\S\n]*(?=\n)/g)) {
    add(blankLine.index);
    start = blankLine.index;
  }
  add(source.length);
  return blocks;
}
