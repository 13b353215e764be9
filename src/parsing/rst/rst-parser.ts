import { MEDIA_TYPES } from '../../core/media-types.js';
import { decodeText } from '../decode-text.js';
import type { SyncParser } from '../parser.js';
import { notIncluded, unreadOf } from '../unread.js';
import { RstReader } from './rst-reader.js';

/**
 * Parser for `text/x-rst`: reStructuredText as docutils and Sphinx read it. The stored text is the document as Markdown, line for
 * line, so that lines of citations are lines of the file. Comments, targets, substitution definitions and tables of contents
 * are left out. Pictures and files that are included are counted. Nothing runs and nothing is included. A reader of its own, because passages need
 * blocks on their lines in linear time: of the packages on npm one is a grammar in its version 0.0, the other a compiler to HTML
 * that brings highlighting and formulas along.
 */
export const RST_PARSER: SyncParser = {
  version: 2,
  mediaTypes: [MEDIA_TYPES.rst],
  parse: ({ content, externalId }) => {
    const decoded = decodeText(content, externalId);
    const reader = new RstReader(decoded.text.split(/\r\n|\r|\n/));
    reader.read();
    return {
      ...reader.out.toDocument([
        ...decoded.warnings,
        ...notIncluded(reader.included),
        ...(reader.isTooDeep ? [TOO_DEEP] : []),
      ]),
      ...unreadOf({ pictures: reader.pictures, 'included files': reader.included.length }),
    };
  },
};

const TOO_DEEP =
  'Blocks nested very deep were read as plain text: their text is kept, their inner structure is not.';
