import type { ParsedDocument, RawDocument } from '../../core/document.js';
import { createMarkdownParser } from '../../parsing/markdown/markdown-parser.js';
import type { SyncParser } from '../../parsing/parser.js';

/** Media type of documents that come out as they went in. */
export const WHOLE_DOCUMENT = 'text/x-ragstone-document';

/**
 * Reads Markdown, and keeps all of it: a byte order mark is text, and front matter says nothing of the document, for its facts
 * are the caller's. What has no words of its own is found by its id.
 */
export function createWholeDocumentParser(): SyncParser {
  const markdown = createMarkdownParser({ frontmatterFields: [], keepsComments: true });
  return {
    mediaTypes: [WHOLE_DOCUMENT],
    version: 1,
    parse: (raw) => named(markdown.parse({ ...raw, content: withMark(raw.content) }), raw),
  };
}

const MARK = '\uFEFF';

/** The parser takes one mark away. */
const withMark = (content: RawDocument['content']): RawDocument['content'] =>
  typeof content === 'string' && content.startsWith(MARK) ? MARK + content : content;

function named(parsed: ParsedDocument, { externalId }: RawDocument): ParsedDocument {
  const isSilent = parsed.blocks.every(({ kind }) => kind === 'front-matter');
  return isSilent && parsed.title === undefined ? { ...parsed, title: externalId } : parsed;
}
