import { ASCIIDOC_PARSER } from './asciidoc/asciidoc-parser.js';
import { createCodeParser } from './code/code-parser.js';
import { createConfluenceStorageParser } from './confluence-storage/confluence-storage-parser.js';
import { type ConvertedFormat, convertedParser } from './converted-parser.js';
import { CSV_PARSER } from './csv/csv-parser.js';
import { createDocxParser } from './docx/docx-parser.js';
import { EPUB_FORMAT } from './epub/epub-format.js';
import { createHtmlParser } from './html/html-parser.js';
import { JSON_PARSER } from './json/json-parser.js';
import { MAIL_FORMAT } from './mail/mail-format.js';
import { createMarkdownParser, type MarkdownParserOptions } from './markdown/markdown-parser.js';
import { NOTEBOOK_FORMAT } from './notebook/notebook-format.js';
import { ODT_FORMAT } from './odt/odt-format.js';
import { OPEN_API_FORMAT } from './open-api/open-api-format.js';
import { ORG_FORMAT } from './org/org-format.js';
import type { Parser } from './parser.js';
import { PBI_JSON_PARSER } from './pbi-json/pbi-json-parser.js';
import { createPdfParser, type PdfParserOptions } from './pdf/pdf-parser.js';
import { PLAIN_TEXT_PARSER } from './plain-text/plain-text-parser.js';
import { PPTX_FORMAT } from './pptx/pptx-format.js';
import { RST_PARSER } from './rst/rst-parser.js';
import { RTF_FORMAT } from './rtf/rtf-format.js';
import { TEX_FORMAT } from './tex/tex-format.js';
import { XLSX_FORMAT } from './xlsx/xlsx-format.js';

/** What is stored as the Markdown that is made of it, beside pages and Word documents, which have options. */
const CONVERTED_FORMATS: readonly ConvertedFormat[] = [
  ...[EPUB_FORMAT, MAIL_FORMAT, NOTEBOOK_FORMAT, ODT_FORMAT, OPEN_API_FORMAT, ORG_FORMAT],
  ...[PPTX_FORMAT, RTF_FORMAT, TEX_FORMAT, XLSX_FORMAT],
];

export interface ParserOptions extends MarkdownParserOptions {
  readonly pdf?: PdfParserOptions;
}

/** A parser for every media type that is read, by media type. Each loads its library with its first document. */
export function createParsers(options: ParserOptions = {}): ReadonlyMap<string, Parser> {
  const markdown = createMarkdownParser(options);
  const parsers: readonly Parser[] = [
    markdown,
    PLAIN_TEXT_PARSER,
    RST_PARSER,
    ASCIIDOC_PARSER,
    PBI_JSON_PARSER,
    createHtmlParser({ markdown }),
    createConfluenceStorageParser({ markdown }),
    createPdfParser(options.pdf),
    createDocxParser({ markdown }),
    CSV_PARSER,
    JSON_PARSER,
    createCodeParser(),
    ...CONVERTED_FORMATS.map((format) => convertedParser(format, markdown)),
  ];
  return byMediaType(parsers);
}

export const byMediaType = (parsers: readonly Parser[]): ReadonlyMap<string, Parser> =>
  new Map(parsers.flatMap((parser) => parser.mediaTypes.map((type) => [type, parser] as const)));
