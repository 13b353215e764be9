import type { ParsedDocument } from '../core/document.js';
import { OPEN_ACCESS } from '../core/scope.js';
import { type ConvertedFormat, convertedParser } from './converted-parser.js';
import { createMarkdownParser } from './markdown/markdown-parser.js';

/** What a format makes of a document. */
export const parseAs = async (
  format: ConvertedFormat,
  content: string | Uint8Array,
): Promise<ParsedDocument> =>
  convertedParser(format, createMarkdownParser()).parse({
    externalId: 'a',
    mediaType: format.mediaType,
    content,
    metadata: {},
    access: OPEN_ACCESS,
  });

/** Its lines, without empty ones. */
export const linesAs = async (format: ConvertedFormat, content: string | Uint8Array): Promise<string[]> =>
  (await parseAs(format, content)).text.split('\n').filter((line) => line.trim() !== '');
