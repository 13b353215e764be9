import type { ElementContent, Root, RootContent } from 'hast';
import { parseHtmlTree } from '../html-to-markdown.js';

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
export async function parseStorageTree(storage: string): Promise<Root> {
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
