import type { Block } from '../../core/document.js';
import { decodeText } from '../decode-text.js';
import type { SyncParser } from '../parser.js';
import { levelLineEnds, trimRange } from '../text-range.js';

/** Parser for `text/plain`: paragraphs are what blank lines separate. */
export function createPlainTextParser(): SyncParser {
  return {
    mediaTypes: ['text/plain'],
    parse: (document) => {
      const { text, warnings } = decodeText(document.content, document.externalId);
      return { text, blocks: paragraphsOf(levelLineEnds(text)), metadata: {}, warnings };
    },
  };
}

function paragraphsOf(source: string): Block[] {
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
