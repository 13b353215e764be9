import { MEDIA_TYPES } from '../../core/media-types.js';
import { decodeText } from '../decode-text.js';
import type { SyncParser } from '../parser.js';
import { notIncluded, unreadOf } from '../unread.js';
import { AsciidocReader } from './asciidoc-reader.js';

/**
 * Parser for `text/asciidoc`. The stored text is the document as Markdown, line for line, so that lines of citations are lines of
 * the file. Author, version and date of the header are text and metadata. Comments and settings are left out; pictures and files that are included are counted. Nothing runs and nothing is included. A small reader of its own, because passages
 * need blocks on their lines and no conversion: Asciidoctor for JavaScript is a converter translated from Ruby, and would be
 * another package to install.
 */
export const ASCIIDOC_PARSER: SyncParser = {
  version: 1,
  mediaTypes: [MEDIA_TYPES.asciidoc],
  parse: ({ content, externalId }) => {
    const decoded = decodeText(content, externalId);
    const reader = new AsciidocReader(decoded.text.split(/\r\n|\r|\n/));
    reader.read();
    return {
      ...reader.out.toDocument([...decoded.warnings, ...notIncluded(reader.included)]),
      metadata: reader.metadata,
      ...unreadOf(reader.unread),
    };
  },
};
