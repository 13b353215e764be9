import type { Element, Nodes } from 'hast';
import type { UnreadKind } from '../core/unread.js';
import { isPanel } from './tab-panels.js';

/** Elements that hold no text to read. */
export const UNREAD: ReadonlySet<string> = new Set([
  ...['script', 'style', 'noscript', 'template', 'svg', 'math', 'canvas', 'iframe', 'object', 'embed'],
  ...['button', 'input', 'select', 'textarea', 'dialog', 'audio', 'video', 'map', 'link', 'meta', 'base'],
]);
/** What surrounds the content of a page. */
const FURNITURE: ReadonlySet<string> = new Set(['nav', 'footer', 'aside', 'search', 'menu']);
const FURNITURE_ROLES: ReadonlySet<string> = new Set([
  ...['navigation', 'banner', 'contentinfo', 'search', 'complementary', 'dialog', 'alert'],
]);

/** What of a page is left out, as it stands in its main part. */
export const isUnread = ({ tagName }: Element): boolean =>
  UNREAD.has(tagName) || tagName === 'head' || tagName === 'nav';

/** The same where a page names no main part. */
export const isFurnitureOrUnread = (element: Element): boolean =>
  isUnread(element) ||
  (FURNITURE.has(element.tagName) && !isNote(element)) ||
  (typeof element.properties.role === 'string' && FURNITURE_ROLES.has(element.properties.role));

/** Notes of a book stand beside its text, and are shown where somebody asks for one (EPUB 3 structural semantics, DPUB-ARIA). */
const isNote = ({ properties }: Element): boolean =>
  [properties['epub:type'], properties.role].some((type) => NOTE_TYPE.test(String(type ?? '')));
const NOTE_TYPE = /(?:^|[\s-])(?:foot|end|rear)notes?(?:$|\s)/;

const HIDING_STYLE = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))(?![\w-])/i;

/** Whether a page shows nothing of an element (HTML, 6.1; CSS 2, 9.2.4 and 11.2); panels and notes open, and a script shows a whole page. */
export const isHidden = (element: Element): boolean =>
  (element.properties.hidden === true || HIDING_STYLE.test(String(element.properties.style ?? ''))) &&
  !/^(?:html|body)$/.test(element.tagName) &&
  !isPanel(element.properties) &&
  !isNote(element);

/** Whether an element that is kept from readers of screens is a sign, or shows a formula that is read (WAI-ARIA 1.2, `aria-hidden`). */
export function isSign({ tagName, properties, children }: Element): boolean {
  if (properties.ariaHidden !== 'true') return false;
  const names = Array.isArray(properties.className) ? properties.className.map(String) : [];
  if (tagName.startsWith('mjx-') || names.some((name) => SHOWN_OTHERWISE.test(name))) return true;
  const text = children.map(allText).join('');
  return text.trim() !== '' && !(tagName === 'a' ? /[\p{L}\p{N}]/u : /[\p{L}\p{N}\p{So}]/u).test(text);
}
/** Formulas of KaTeX and MathJax, and icons that a font makes of a word. */
const SHOWN_OTHERWISE = /^(?:katex-html|MathJax(?:_.*)?|material-(?:icons|symbols)(?:-.*)?)$/;

/** As what an element counts that shows something and is not read; undefined for those that show nothing. */
export function unreadKind({ tagName, properties: { ariaHidden, type } }: Element): UnreadKind | undefined {
  if (tagName === 'canvas') return 'pictures';
  // One that is kept from readers of screens is an ornament.
  if (tagName === 'svg') return ariaHidden === 'true' ? undefined : 'pictures';
  if (!EMBEDDED.has(tagName)) return undefined;
  return String(type ?? '').startsWith('image/') ? 'pictures' : 'embedded files';
}
const EMBEDDED: ReadonlySet<string> = new Set(['iframe', 'object', 'embed', 'audio', 'video']);

/** The words of a drawing: its labels, and what it says of itself. */
export function drawnText(node: Nodes): string {
  if (node.type === 'text') return node.value;
  if (!('children' in node) || (node.type === 'element' && /^(?:style|script|metadata)$/.test(node.tagName)))
    return '';
  const text = node.children.map(drawnText).join('');
  return node.type === 'element' && OWN_WORDS.test(node.tagName) ? ` ${text} ` : text;
}
/** Parts of a drawing whose words go on with no others. */
const OWN_WORDS = /^(?:text|title|desc|foreignObject|p|div|br)$/;

export const allText = (node: Nodes): string =>
  node.type === 'text' ? node.value : 'children' in node ? node.children.map(allText).join('') : '';
