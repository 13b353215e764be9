import { MEDIA_TYPES } from '../../core/media-types.js';
import { decodeText } from '../decode-text.js';
import { toBlocks } from '../line-blocks.js';
import type { SyncParser } from '../parser.js';
import { RstReader } from './rst-reader.js';

/**
 * Parser for `text/x-rst`: reStructuredText as docutils and Sphinx read it. The stored text is the document as Markdown, line for
 * line, so that lines of citations are lines of the file. Comments, targets, substitution definitions and tables of contents
 * are left out. Nothing runs and nothing is included. A reader of its own, because the two packages of npm that read the format
 * convert it to HTML or have been left alone since 2018, and neither says what it does with hostile text.
 */
export function createRstParser(): SyncParser {
  return {
    mediaTypes: [MEDIA_TYPES.rst],
    parse: ({ content, externalId }) => {
      const decoded = decodeText(content, externalId);
      const reader = new RstReader(decoded.text.split(/\r\n|\r|\n/));
      const { text, blocks: pieces } = reader.read();
      const blocks = toBlocks(text, pieces, 0);
      const title = blocks.find(({ kind, level }) => kind === 'heading' && level === 1)?.label;
      return {
        text,
        blocks,
        ...(title === undefined || title === '' ? {} : { title }),
        metadata: {},
        warnings: [
          ...decoded.warnings,
          ...(reader.hasInclusions ? [INCLUSIONS] : []),
          ...(reader.isTooDeep ? [TOO_DEEP] : []),
        ],
      };
    },
  };
}

const INCLUSIONS = 'Files that an `include` or `literalinclude` names were not read in its place.';
const TOO_DEEP =
  'Blocks nested very deep were read as plain text: their text is kept, their inner structure is not.';
