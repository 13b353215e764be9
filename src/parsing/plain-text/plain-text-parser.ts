import { decodeText } from '../decode-text.js';
import { paragraphBlocks } from '../paragraph-blocks.js';
import type { SyncParser } from '../parser.js';
import { levelLineEnds } from '../text-range.js';

/** Parser for `text/plain`: paragraphs are what blank lines separate. */
export const PLAIN_TEXT_PARSER: SyncParser = {
  mediaTypes: ['text/plain'],
  parse: (document) => {
    const { text, warnings } = decodeText(document.content, document.externalId);
    return { text, blocks: paragraphBlocks(levelLineEnds(text)), metadata: {}, warnings };
  },
};
