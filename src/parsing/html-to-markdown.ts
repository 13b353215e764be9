import type { Element, ElementContent, Nodes, Root, RootContent, Text } from 'hast';
import type { Options as WriterOptions } from 'remark-stringify';
import { RAGError } from '../core/errors.js';
import type { UnreadCounts, UnreadKind } from '../core/unread.js';
import { isLineNumbers, listingOf } from './code-listings.js';
import {
  allText,
  drawnText,
  isFurnitureOrUnread,
  isHidden,
  isSign,
  isUnread,
  UNREAD,
  unreadKind,
} from './left-out-elements.js';
import { formulaText } from './math-markup.js';
import { placeOfTable, TABLE_PLACE, takePlainTables } from './plain-tables.js';
import { type Script, scriptOf, scriptText } from './raised-text.js';
import { isTabLabel, joinTabs, withTabLabels } from './tab-panels.js';
import { fillTables } from './table-grid.js';
import { isCell, narrowTables } from './wide-tables.js';

/** Elements as Markdown. */
export interface WrittenMarkdown {
  readonly markdown: string;
  /** What of them Markdown could not hold. */
  readonly warnings: readonly string[];
}

/** What a page of HTML says, as Markdown. */
export interface MarkdownPage extends WrittenMarkdown {
  /** Content of `<title>`. */
  readonly title?: string;
  /** The `lang` of the page. */
  readonly language?: string;
  /** `<meta name="description">`. */
  readonly description?: string;
  /** What of its content is shown otherwise than as text, or not shown; pictures that Markdown names are not counted. */
  readonly unread: UnreadCounts;
}

/**
 * HTML as Markdown (CommonMark and GFM tables): headings, lists, tables, code and links are kept; scripts, forms and what
 * surrounds the main content (`<main>`, a lone `<article>`, else the page without its navigation) are left out. Nothing
 * runs and no address is opened.
 *
 * @param name the document's id, for the message
 * @throws `DOCUMENT_INVALID` for elements nested too deep
 */
export async function htmlToMarkdown(html: string, name: string): Promise<MarkdownPage> {
  return withinDepth(name, async () => {
    const tree = await parseHtmlTree(html);
    const { content, unread } = mainContent(tree);
    return { ...(await treeToMarkdown(content)), ...headOf(tree), unread };
  });
}

/** The elements of HTML text, as browsers read it. */
export async function parseHtmlTree(html: string): Promise<Root> {
  const [{ unified }, { default: rehypeParse }] = await Promise.all([
    import('unified'),
    import('rehype-parse'),
  ]);
  return unified().use(rehypeParse).parse(html);
}

/**
 * Escapes that only keep names and addresses from turning into emphasis or links. Nothing here is rendered, and
 * `max_connections` or `ops@example.org` must be found, and recognised as what it is, in the form in which people write it.
 */
const NEEDLESS_ESCAPE = /\\(?=[_@:])|(?<=www)\\(?=\.)/g;

/** Elements as Markdown (CommonMark and GFM tables). */
export async function treeToMarkdown(tree: Root): Promise<WrittenMarkdown> {
  const [{ unified }, { default: rehypeRemark }, { default: remarkGfm }, { default: remarkStringify }] =
    await Promise.all([
      import('unified'),
      import('rehype-remark'),
      import('remark-gfm'),
      import('remark-stringify'),
    ]);
  spellOutAbbreviations(tree);
  simplify(tree);
  const warnings = narrowTables(tree);
  fillTables(tree);
  const tables = takePlainTables(tree);
  const writer = unified()
    .use(rehypeRemark, {
      handlers: {
        [TABLE_PLACE]: (_, node: Element) => tables[placeOfTable(node)],
      },
    })
    .use(remarkGfm, { tablePipeAlign: false })
    .use(remarkStringify, {
      ...{ bullet: '-', emphasis: '_', fences: true, rule: '-' },
      handlers: {
        text: ({ value }: { value: string }, _parent, state, info) =>
          state.safe(value, info).replace(NEEDLESS_ESCAPE, ''),
        ...EMPHASIS,
      },
    });
  return { markdown: writer.stringify(await writer.run(tree)), warnings };
}

/**
 * Writes a stretch of text with a mark on either side of it. The writer's own tries other marks and references to characters in place of letters until a
 * reader of Markdown would see the same emphasis, which takes the square of the number of stretches; nothing here is rendered.
 */
type EmphasisHandle = NonNullable<NonNullable<WriterOptions['handlers']>['strong']>;

function marked(mark: string, markInWord = mark): EmphasisHandle {
  const write: EmphasisHandle = (node, _parent, state, info) => {
    const own = /\w$/.test(info.before) || /^\w/.test(info.after) ? markInWord : mark;
    return `${own}${state.containerPhrasing(node, { ...info, before: own, after: own })}${own}`;
  };
  return Object.assign(write, { peek: () => mark.charAt(0) });
}

const EMPHASIS = { emphasis: marked('_', '*'), strong: marked('**'), delete: marked('~~') };

/** Elements in a line of which Markdown says nothing but their content, as of those that a page names itself (`<x-date>`). */
const PLAIN: ReadonlySet<string> = new Set(
  'abbr acronym bdi bdo big blink cite data details dfn font ins label marquee meter nobr output progress rb rbc rp rt rtc ruby slot small picture span sub sup time'.split(
    ' ',
  ),
);

const EMPHASISED: ReadonlySet<string> = new Set([
  ...['b', 'strong', 'i', 'em', 'u', 'mark', 'del', 's', 'strike'],
]);
/** What Markdown has no word for, with all that is in it. A box to tick may open an item. */
const UNWRITTEN: ReadonlySet<string> = new Set([
  ...[...UNREAD].filter((tagName) => tagName !== 'input'),
  ...'applet area basefont bgsound caption col colgroup command content datalist element frame frameset head isindex keygen menuitem nextid noembed noframes optgroup option param shadow source spacer title track'.split(
    ' ',
  ),
]);
/** Elements that indent every line in them, so that deep ones make long texts of short ones; deeper ones are read as their content. */
const INDENTED: ReadonlySet<string> = new Set(['ul', 'ol', 'dir', 'dl', 'li', 'dt', 'dd', 'blockquote']);
const MAX_INDENTED = 64;

/** Elements that part texts, or show something, where there is nothing in them. */
const MEANS_SOMETHING_EMPTY: ReadonlySet<string> = new Set(
  'address article aside blockquote body br center dd dir div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html img input legend li listing main menu nav ol p picture plaintext pre section summary table tbody td tfoot th thead tr ul xmp'.split(
    ' ',
  ),
);

const BREAKS_LINE: ReadonlySet<string> = new Set(
  [...MEANS_SOMETHING_EMPTY].filter((tagName) => !['img', 'input', 'picture'].includes(tagName)),
);

const isPlain = (tagName: string): boolean => PLAIN.has(tagName) || tagName.includes('-');

/**
 * Leaves out what says nothing, and joins texts, and stretches of one emphasis, that then stand side by side: the converter's time grows with the square of
 * how many stand side by side, and of elements around nothing (`<a name="top"></a>`).
 */
function simplify(node: Nodes, depth = 0, isInCell = false): void {
  if (!('children' in node)) return;
  const children: RootContent[] = [];
  for (const child of node.children) {
    const isIndented = child.type === 'element' && INDENTED.has(child.tagName);
    if (isIndented && depth >= MAX_INDENTED) child.tagName = 'div';
    for (const part of captionOf(child).flatMap((caption) => partsOf(caption, isInCell))) add(children, part);
    simplify(child, isIndented ? depth + 1 : depth, isInCell || isCell(child));
    for (const part of partsOf(child, isInCell)) add(children, part);
  }
  (node as Root).children = children;
}

const MAX_SPELLED_OUT = 200;
const NOT_SPELLED_OUT = /^(?:h[1-6]|pre|code|title)$/;

/** `SLO (Service Level Objective)`, where a page says it with a title that shows under the pointer: at its first place outside of headings and code. */
function spellOutAbbreviations(tree: Root): void {
  const known = new Set<string>();
  const visit = (node: Root | Element): void => {
    for (const child of node.children) {
      if (child.type !== 'element' || NOT_SPELLED_OUT.test(child.tagName)) continue;
      visit(child);
      const title = String(child.properties.title ?? '')
        .replaceAll(/\s+/g, ' ')
        .trim();
      const text = allText(child).trim();
      const key = `${text}: ${title}`.toLowerCase();
      if (!/^(?:abbr|acronym)$/.test(child.tagName) || text === '' || title === '' || known.has(key))
        continue;
      known.add(key);
      const isSaid = allText(node).toLowerCase().includes(title.toLowerCase());
      if (!isSaid && title.length <= MAX_SPELLED_OUT) child.children.push(asText(` (${title})`));
    }
  };
  visit(tree);
}

/** The caption of a table, which Markdown has no place for in it: a paragraph before it. */
function captionOf(table: RootContent): Element[] {
  if (table.type !== 'element' || table.tagName !== 'table') return [];
  const caption = table.children.find((child) => child.type === 'element' && child.tagName === 'caption');
  if (caption?.type !== 'element') return [];
  const text = allText(caption).trim();
  return text === '' ? [] : [{ ...caption, tagName: 'p', children: [asText(text)] }];
}

function add(children: RootContent[], child: RootContent): void {
  const last = children.at(-1);
  const isInput = child.type === 'element' && child.tagName === 'input';
  if (isInput && last !== undefined) return;
  if (child.type === 'text' && last?.type === 'text') last.value += child.value;
  else if (child.type === 'element' && last?.type === 'element' && isSameEmphasis(child, last))
    for (const inner of child.children) add(last.children, inner);
  else children.push(child);
}

const isSameEmphasis = (one: Element, other: Element): boolean =>
  one.tagName === other.tagName && EMPHASISED.has(one.tagName);

/** What stands in the place of a node whose own children are simplified. A cell is one line: what breaks it parts words. */
function partsOf(node: RootContent, isInCell: boolean): readonly RootContent[] {
  if (node.type === 'comment') return [];
  if (node.type !== 'element') return [node];
  const { tagName, children } = node;
  if (isInCell && BREAKS_LINE.has(tagName)) return [asText(' '), ...children, asText(' ')];
  if (tagName === 'q') return [asText('"'), ...children, asText('"')];
  const script = isPlain(tagName) ? scriptOf(node) : undefined;
  if (script !== undefined) return scriptParts(script, node);
  if (tagName === 'wbr') return [asText('\u200b')];
  if (UNWRITTEN.has(tagName)) return [];
  // Nothing reads it from here on, but the search for the next text passes over what has it.
  delete node.properties.hidden;
  const isEmpty = children.every((child) => child.type === 'text' && child.value.trim() === '');
  return isPlain(tagName) || (isEmpty && !MEANS_SOMETHING_EMPTY.has(tagName)) ? children : [node];
}

/** Exponents and indices keep what they are. A mark of a note is a link. */
function scriptParts(script: Script, element: Element): readonly RootContent[] {
  const text = allText(element);
  const written = scriptText(script, text);
  const isLink = find(element, (inner) => inner.tagName === 'a') !== undefined;
  return isLink || written === text ? element.children : [asText(written)];
}

const asText = (value: string): Text => ({ type: 'text', value });

/** Does conversion work; @throws `DOCUMENT_INVALID` for elements nested too deep. */
export async function withinDepth<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    // The converters recurse, so that elements without end nested in each other exhaust the stack.
    if (!(cause instanceof RangeError)) throw cause;
    throw new RAGError(
      'DOCUMENT_INVALID',
      `"${name}" nests elements too deep to be read. Simplify or exclude it.`,
      { cause },
    );
  }
}

function headOf(tree: Root): Omit<MarkdownPage, keyof WrittenMarkdown | 'unread'> {
  const title = textOf(find(tree, ({ tagName }) => tagName === 'title'));
  const language = find(tree, ({ tagName }) => tagName === 'html')?.properties.lang;
  const description = find(
    tree,
    ({ tagName, properties }) => tagName === 'meta' && properties.name === 'description',
  )?.properties.content;
  return {
    ...(title === '' ? {} : { title }),
    ...(typeof language === 'string' && language !== '' ? { language } : {}),
    ...(typeof description === 'string' && description.trim() !== ''
      ? { description: description.trim() }
      : {}),
  };
}

/** The part of a page that says something, without what cannot be read. */
function mainContent(tree: Root): Pick<MarkdownPage, 'unread'> & { readonly content: Root } {
  const main = find(tree, (element) => element.tagName === 'main' || element.properties.role === 'main');
  const articles = main === undefined ? findAll(tree, ({ tagName }) => tagName === 'article') : [];
  const only = articles.length === 1 ? articles[0] : undefined;
  const content = main ?? only;
  joinTabs(content ?? tree);
  const isDropped = content === undefined ? isFurnitureOrUnread : isUnread;
  const children: readonly RootContent[] = content?.children ?? tree.children;
  const left: LeftOut = { isDropped, unread: {} };
  const kept = children.flatMap((child) => prune(child, left));
  return { content: { type: 'root', children: kept }, unread: left.unread };
}

interface LeftOut {
  readonly isDropped: (element: Element) => boolean;
  readonly unread: Partial<Record<UnreadKind, number>>;
}

const count = ({ unread }: LeftOut, kind: UnreadKind | undefined): void => {
  if (kind !== undefined) unread[kind] = (unread[kind] ?? 0) + 1;
};

/** What stands in headings for those who read or edit the page, and is no part of them: `[edit]`, `\u00b6`. */
const isHeadingTool = ({ properties: { className } }: Element): boolean =>
  Array.isArray(className) &&
  className.some((name) =>
    /^(?:mw-editsection|headerlink|header-anchor|hash-link|anchorjs-link)$/.test(String(name)),
  );

/** A formula as text; undefined for other elements. */
function formulaOf(element: Element): string | undefined {
  if (element.tagName === 'math') return formulaText(element);
  const isTex = element.tagName === 'script' && /^math\/tex/i.test(String(element.properties.type ?? ''));
  return isTex ? `$${textOf(element)}$` : undefined;
}

function prune<Node extends RootContent | ElementContent>(node: Node, left: LeftOut): Node[] {
  if (node.type === 'comment' || node.type === 'doctype') return [];
  if (node.type !== 'element') return [node];
  const formula = formulaOf(node);
  if (formula !== undefined) return [asText(formula) as Node];
  const isLabel = isTabLabel(node);
  if (isLineNumbers(node) || isHeadingTool(node)) return [];
  if (!isLabel) {
    const kind = unreadKind(node);
    if (kind === undefined && node.tagName !== 'svg' && left.isDropped(node)) return [];
    if (isHidden(node)) {
      if (allText(node).trim() !== '') count(left, 'hidden parts');
      return [];
    }
    if (isSign(node)) return [];
    count(left, kind);
    if (node.tagName === 'svg') return [asText(` ${drawnText(node)} `.replace(/\s+/g, ' ')) as Node];
    if (kind !== undefined) return [];
  }
  const properties = { ...node.properties };
  for (const name of ['href', 'src'] as const) {
    // Code and data in an address are no place to go to.
    if (/^\s*(?:javascript|data|vbscript):/i.test(String(properties[name] ?? ''))) delete properties[name];
  }
  const children = withTabLabels(node).children.flatMap((child) => prune(child, left));
  const listing = listingOf(node, children);
  return listing === undefined
    ? [{ ...node, ...(isLabel ? { tagName: 'p' } : {}), properties, children }]
    : ([...listing] as Node[]);
}

function find(node: Nodes, isWanted: (element: Element) => boolean): Element | undefined {
  return findAll(node, isWanted, 1)[0];
}

/** In document order, with a list of its own in place of recursion. */
function findAll(root: Nodes, isWanted: (element: Element) => boolean, limit = 2): Element[] {
  const waiting: Nodes[] = [root];
  const found: Element[] = [];
  for (let node = waiting.pop(); node !== undefined && found.length < limit; node = waiting.pop()) {
    if (node.type === 'element' && isWanted(node)) found.push(node);
    if ('children' in node)
      for (let i = node.children.length - 1; i >= 0; i -= 1) {
        const child = node.children[i];
        if (child !== undefined) waiting.push(child);
      }
  }
  return found;
}

const textOf = (element: Element | undefined): string =>
  (element?.children ?? [])
    .map((child) => (child.type === 'text' ? child.value : ''))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
