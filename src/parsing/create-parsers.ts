import { createAsciidocParser } from './asciidoc/asciidoc-parser.js';
import { createCodeParser } from './code/code-parser.js';
import { createConfluenceStorageParser } from './confluence-storage/confluence-storage-parser.js';
import { createCsvParser } from './csv/csv-parser.js';
import { createDocxParser } from './docx/docx-parser.js';
import { createHtmlParser } from './html/html-parser.js';
import { createJsonParser } from './json/json-parser.js';
import { createMarkdownParser, type MarkdownParserOptions } from './markdown/markdown-parser.js';
import type { Parser } from './parser.js';
import { createPbiJsonParser } from './pbi-json/pbi-json-parser.js';
import { createPdfParser, type PdfParserOptions } from './pdf/pdf-parser.js';
import { createPlainTextParser } from './plain-text/plain-text-parser.js';
import { createRstParser } from './rst/rst-parser.js';

export interface ParserOptions extends MarkdownParserOptions {
  readonly pdf?: PdfParserOptions;
}

/** A parser for every media type that is read, by media type. Each loads its library with its first document. */
export function createParsers(options: ParserOptions = {}): ReadonlyMap<string, Parser> {
  const markdown = createMarkdownParser(options);
  const parsers: readonly Parser[] = [
    markdown,
    createPlainTextParser(),
    createRstParser(),
    createAsciidocParser(),
    createPbiJsonParser(),
    createHtmlParser({ markdown }),
    createConfluenceStorageParser({ markdown }),
    createPdfParser(options.pdf),
    createDocxParser({ markdown }),
    createCsvParser(),
    createJsonParser(),
    createCodeParser(),
  ];
  return byMediaType(parsers);
}

export const byMediaType = (parsers: readonly Parser[]): ReadonlyMap<string, Parser> =>
  new Map(parsers.flatMap((parser) => parser.mediaTypes.map((type) => [type, parser] as const)));
