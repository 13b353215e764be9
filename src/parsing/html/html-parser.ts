import type { ParsedDocument, RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import { htmlToMarkdown } from '../html-to-markdown.js';
import type { Parser, SyncParser } from '../parser.js';
import { addedCounts, unreadOf } from '../unread.js';
import { decodeHtml } from './decode-html.js';

export interface HtmlParserOptions {
  /** Reads the Markdown that a page becomes. */
  readonly markdown: SyncParser;
  /** Longer pages are refused, in bytes. @default 10 MiB */
  readonly maxBytes?: number;
}

const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;

/**
 * Parser for `text/html`. The stored text is the page's main content as Markdown (see `htmlToMarkdown`), and the blocks are
 * those of Markdown. The encoding that a page declares is believed. Pictures, embedded files and parts that are hidden are counted; words of drawings are read.
 *
 * @throws `DOCUMENT_TOO_LARGE`, `DOCUMENT_INVALID`, and what `decodeText` throws
 */
export function createHtmlParser({ markdown, maxBytes = DEFAULT_MAX_BYTES }: HtmlParserOptions): Parser {
  return {
    version: 4,
    mediaTypes: [MEDIA_TYPES.html],
    parse: (document) => parseHtml(document, markdown, maxBytes),
  };
}

async function parseHtml(
  document: RawDocument,
  markdown: SyncParser,
  maxBytes: number,
): Promise<ParsedDocument> {
  if (document.content.length > maxBytes) {
    throw new RAGError(
      'DOCUMENT_TOO_LARGE',
      `"${document.externalId}" is HTML of ${document.content.length} bytes, more than the ${maxBytes} that are read. Split or exclude it.`,
      { details: { bytes: document.content.length, maxBytes } },
    );
  }
  const { text, warnings } = decodeHtml(document);
  const page = await htmlToMarkdown(text, document.externalId);
  const parsed = markdown.parse({ ...document, content: page.markdown });
  const title = parsed.title ?? page.title;
  const isEmpty = parsed.text.trim() === '' && text.trim() !== '';
  return {
    ...parsed,
    ...withoutUndefined({ title }),
    metadata: withoutUndefined({ locale: page.language, description: page.description }),
    ...unreadOf(addedCounts([parsed.unread, page.unread])),
    warnings: [...warnings, ...page.warnings, ...parsed.warnings, ...(isEmpty ? [EMPTY_WARNING] : [])],
  };
}

const EMPTY_WARNING = 'The page holds no text outside of scripts and navigation, so only its title is found.';
