import type { Element, ElementContent, Root } from 'hast';
import { attributeOf, childOf, element, isElement, textOf } from '../hast-elements.js';
import { isCell } from '../wide-tables.js';
import { convertMacro } from './storage-macros.js';

/** A page as plain elements of HTML, and the macros that left only a note. */
export interface PlainPage {
  readonly tree: Root;
  /** Names, in the order of the page. */
  readonly leftOut: readonly string[];
}

/** Elements of storage format as those of HTML: macros, links, images, tasks, mentions, layouts. */
export function toPlainPage(storage: Root): PlainPage {
  const leftOut: string[] = [];
  const convertAll = (nodes: readonly ElementContent[]): ElementContent[] => nodes.flatMap(convert);
  const convert = (node: ElementContent): ElementContent[] => {
    if (node.type !== 'element') return [node];
    if (node.tagName === 'ac:structured-macro' || node.tagName === 'ac:macro') {
      const macro = convertMacro(node, convertAll);
      if (macro.leftOut !== undefined) leftOut.push(macro.leftOut);
      return [...macro.nodes];
    }
    const special = SPECIAL[node.tagName];
    if (special !== undefined) return special(node, convertAll);
    if (node.tagName.startsWith('ri:')) return [];
    const children = convertAll(node.children);
    if (node.tagName.startsWith('ac:')) return [element('div', children)];
    return [plainElement(node, children)];
  };
  const children = storage.children.flatMap((child) => (child.type === 'doctype' ? [] : convert(child)));
  return { tree: { type: 'root', children }, leftOut };
}

const BLOCKS: ReadonlySet<string> = new Set([
  ...['p', 'div', 'ul', 'ol', 'li', 'blockquote', 'pre', 'table', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  ...['section', 'details', 'summary', 'tr', 'tbody', 'thead'],
]);

const isBlock = (node: ElementContent): boolean => node.type === 'element' && BLOCKS.has(node.tagName);

/** A Markdown cell is one line: code in it keeps its text, a line at a time. */
const flatCode = (node: ElementContent): ElementContent[] => {
  // A cell in a cell has been read already.
  if (node.type !== 'element' || isCell(node)) return [node];
  if (node.tagName === 'pre') return codeLines(node);
  return [{ ...node, children: node.children.flatMap(flatCode) }];
};

const codeLines = (pre: ElementContent): ElementContent[] =>
  textOf(pre)
    .split('\n')
    .flatMap((line) => (line.trim() === '' ? [] : [element('div', [element('code', [line])])]));

/** An element of HTML. A paragraph that a macro has put a block into is none any more. */
function plainElement(node: Element, children: ElementContent[]): Element {
  const tagName = node.tagName === 'p' && children.some(isBlock) ? 'div' : node.tagName;
  if (isCell(node)) return { ...node, children: children.flatMap(flatCode) };
  return { ...node, tagName, properties: safeProperties(node), children };
}

function safeProperties({ properties }: Element): Element['properties'] {
  const { href, ...others } = properties;
  // Code and data in an address are no place to go to.
  return /^\s*(?:javascript|data|vbscript):/i.test(String(href ?? '')) ? others : properties;
}

type Converter = (
  node: Element,
  convertAll: (nodes: readonly ElementContent[]) => ElementContent[],
) => ElementContent[];

const unwrap: Converter = (node, convertAll) => convertAll(node.children);
const nothing: Converter = () => [];

const SPECIAL: Readonly<Record<string, Converter>> = {
  'ac:link': toLink,
  'ac:image': toImage,
  'ac:task-list': (node, convertAll) => [
    element(
      'ul',
      node.children.flatMap((child) => toTask(child, convertAll)),
    ),
  ],
  'ac:emoticon': (node) => [
    { type: 'text', value: attributeOf(node, 'ac:emoji-fallback') || `(${attributeOf(node, 'ac:name')})` },
  ],
  'ac:inline-comment-marker': unwrap,
  'ac:adf-extension': unwrap,
  'ac:adf-fallback': unwrap,
  'ac:adf-node': nothing,
  'ac:adf-attribute': nothing,
  'ac:placeholder': nothing,
  'ac:parameter': nothing,
  time: (node, convertAll) => {
    const content = convertAll(node.children);
    return content.length > 0 ? content : [{ type: 'text', value: attributeOf(node, 'dateTime') }];
  },
};

function toTask(task: ElementContent, convertAll: Parameters<Converter>[1]): Element[] {
  if (!isElement(task, 'ac:task')) return [];
  const status = childOf(task, 'ac:task-status');
  const checked = status !== undefined && textOf(status).trim() === 'complete';
  const body = convertAll(childOf(task, 'ac:task-body')?.children ?? []);
  const box = element('input', [], { type: 'checkbox', checked, disabled: true });
  return [element('li', [element('p', [box, ' ', ...body])])];
}

function toLink(node: Element, convertAll: Parameters<Converter>[1]): ElementContent[] {
  const target = targetOf(node);
  const body = childOf(node, 'ac:link-body') ?? childOf(node, 'ac:plain-text-link-body');
  const label = body === undefined ? [] : convertAll(body.children);
  if (target?.tagName === 'ri:user') {
    const user =
      attributeOf(target, 'ri:username') ||
      attributeOf(target, 'ri:account-id') ||
      attributeOf(target, 'ri:userkey');
    return label.length > 0 ? label : [{ type: 'text', value: `@${user}` }];
  }
  const anchor = attributeOf(node, 'ac:anchor');
  const href = addressOf(target) + (anchor === '' ? '' : `#${anchor}`);
  const name = target === undefined ? anchor : nameOf(target);
  return [element('a', label.length > 0 ? label : [name], href === '' ? {} : { href })];
}

/** What a link or a picture is of. */
const targetOf = ({ children }: Element): Element | undefined =>
  children.find((child): child is Element => child.type === 'element' && child.tagName.startsWith('ri:'));

const nameOf = (target: Element): string =>
  ['ri:content-title', 'ri:filename', 'ri:space-key', 'ri:value', 'ri:content-id']
    .map((attribute) => attributeOf(target, attribute))
    .find((value) => value !== '') ?? '';

/** Pages are linked by their title, as in storage format: `/display/KEY/Title`, or the title alone inside a space. */
function addressOf(target: Element | undefined): string {
  if (target === undefined) return '';
  const space = attributeOf(target, 'ri:space-key');
  const title = attributeOf(target, 'ri:content-title');
  switch (target.tagName) {
    case 'ri:url':
      return attributeOf(target, 'ri:value');
    case 'ri:attachment':
      return `attachment:${encodeURIComponent(attributeOf(target, 'ri:filename'))}`;
    case 'ri:space':
      return `/display/${encodeURIComponent(space)}`;
    case 'ri:page':
    case 'ri:blog-post':
      return (space === '' ? '' : `/display/${encodeURIComponent(space)}/`) + encodeURIComponent(title);
    default:
      return '';
  }
}

function toImage(node: Element, convertAll: Parameters<Converter>[1]): ElementContent[] {
  const target = targetOf(node);
  const caption = childOf(node, 'ac:caption');
  const alt = attributeOf(node, 'ac:alt');
  const image = element('img', [], { src: addressOf(target), alt });
  const words = caption === undefined ? '' : textOf(caption).trim();
  return words === '' || words === alt || caption === undefined
    ? [image]
    : [image, element('p', convertAll(caption.children))];
}
