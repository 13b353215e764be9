import type { ElementContent, Root, RootContent } from 'hast';
import type { ParsedDocument, RawDocument } from '../../core/document.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { decodeText } from '../decode-text.js';
import { parseHtmlTree, treeToMarkdown, type WrittenMarkdown, withinDepth } from '../html-to-markdown.js';
import type { Parser, SyncParser } from '../parser.js';
import { toPlainPage } from './storage-elements.js';

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
    version: 2,
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

/** Before every name, so that the HTML parser knows no element and repairs nothing: storage format is well-formed XML. */
const PREFIX = 'c-';

const CDATA = /<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)/g;
const TAG = /<(\/?)([a-z][\w:.-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>/gi;

/**
 * The elements of a page in storage format, under the names they have there (`ac:structured-macro`).
 *
 * The HTML parser decodes entities and attributes and takes anything; but its rules for HTML (`p` ends a `p`, no self-closing
 * elements, no CDATA) would tear the tree of XML apart, so names that it knows are kept from it.
 */
async function parseStorageTree(storage: string): Promise<Root> {
  const masked = storage
    .replace(CDATA, (_, text: string) => escapeText(text))
    .replace(TAG, (_, slash: string, name: string, attributes: string) => {
      if (slash !== '') return `</${PREFIX}${name}>`;
      const isEmpty = attributes.endsWith('/');
      const own = isEmpty ? attributes.slice(0, -1) : attributes;
      return `<${PREFIX}${name}${own}>${isEmpty ? `</${PREFIX}${name}>` : ''}`;
    });
  const tree = await parseHtmlTree(`<div>${masked}</div>`);
  return { type: 'root', children: bodyOf(tree).flatMap(unmask) };
}

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** What stands in the one `div` in `html` and `body`. */
function bodyOf(tree: Root): readonly ElementContent[] {
  let children: readonly RootContent[] = tree.children;
  for (const name of ['html', 'body', 'div']) {
    const found = children.find((child) => child.type === 'element' && child.tagName === name);
    children = found?.type === 'element' ? found.children : [];
  }
  return children.filter((child): child is ElementContent => child.type !== 'doctype');
}

function unmask(node: ElementContent): ElementContent[] {
  if (node.type === 'comment') return [];
  if (node.type !== 'element') return [node];
  const tagName = node.tagName.startsWith(PREFIX) ? node.tagName.slice(PREFIX.length) : node.tagName;
  return [{ ...node, tagName, children: node.children.flatMap(unmask) }];
}
