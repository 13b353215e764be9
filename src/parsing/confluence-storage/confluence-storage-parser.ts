import type { ParsedDocument, RawDocument } from '../../core/document.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { decodeText } from '../decode-text.js';
import { treeToMarkdown, type WrittenMarkdown, withinDepth } from '../html-to-markdown.js';
import type { Parser, SyncParser } from '../parser.js';
import { toPlainPage } from './storage-elements.js';
import { parseStorageTree } from './storage-tree.js';

export interface ConfluenceStorageParserOptions {
  /** Reads the Markdown that a page becomes. */
  readonly markdown: SyncParser;
}

/**
 * Parser for pages in Confluence's storage format. The stored text is the page as Markdown: headings, tables, code, panels,
 * tasks, links and mentions are kept; a macro that shows what is not on the page leaves a note with its name, and a warning.
 *
 * @throws `DOCUMENT_INVALID` for elements nested too deep, and what `decodeText` throws
 */
export function createConfluenceStorageParser({ markdown }: ConfluenceStorageParserOptions): Parser {
  return {
    version: 1,
    mediaTypes: [MEDIA_TYPES.confluenceStorage],
    parse: (document) => parseStorage(document, markdown),
  };
}

async function parseStorage(document: RawDocument, markdown: SyncParser): Promise<ParsedDocument> {
  const { text, warnings } = decodeText(document.content, document.externalId);
  const page = await storageToMarkdown(text, document.externalId);
  const parsed = markdown.parse({ ...document, content: page.markdown });
  const leftOut = [...new Set(page.leftOut)].sort();
  return {
    ...parsed,
    // A heading of the page is not its title, which Confluence keeps apart.
    ...(document.title === undefined ? {} : { title: document.title }),
    metadata: {},
    warnings: [
      ...warnings,
      ...page.warnings,
      ...parsed.warnings,
      ...(leftOut.length === 0
        ? []
        : [`What these macros show is not on the page and is not read: ${leftOut.join(', ')}.`]),
    ],
  };
}

/** Storage format as Markdown, and the names of macros that left only a note. */
export async function storageToMarkdown(
  storage: string,
  name: string,
): Promise<WrittenMarkdown & { readonly leftOut: readonly string[] }> {
  return withinDepth(name, async () => {
    const { tree, leftOut } = toPlainPage(await parseStorageTree(storage));
    return { ...(await treeToMarkdown(tree)), leftOut };
  });
}
