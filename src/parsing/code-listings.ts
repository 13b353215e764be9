import type { Element, ElementContent } from 'hast';
import { element, isElement, textOf } from './hast-elements.js';

/** Classes of line numbers in listings, of Pygments, Rouge, Chroma, highlight.js, GitHub, SyntaxHighlighter. */
const NUMBERED =
  /^(?:linenos?|linenodiv|lineno|line-?numbers?|line-numbers-rows|lnt|lntd|gutter|rouge-gutter|blob-num|hljs-ln-numbers|code-gutter)$/;

/** Of a stretch of a line alone: cells may be called so for other reasons. */
const NUMBERED_IN_LINE = /^ln$/;

/** Whether an element holds the numbers of the lines of a listing, and nothing else. */
export function isLineNumbers({ tagName, properties, children }: Element): boolean {
  const { className } = properties;
  const names = Array.isArray(className) ? className.map(String) : [];
  const isNamed = names.some(
    (name) => NUMBERED.test(name) || (tagName === 'span' && NUMBERED_IN_LINE.test(name)),
  );
  return isNamed && children.every(isFigures);
}

const isFigures = (node: ElementContent): boolean => {
  if (node.type === 'text') return /^[\d\s]*$/.test(node.value);
  return node.type !== 'element' || node.children.every(isFigures);
};

/**
 * What a table is that sets the lines of a listing beside their numbers: the listing.
 *
 * @param table as it is written
 * @param children of the table, without line numbers
 */
export function listingOf(
  table: Element,
  children: readonly ElementContent[],
): readonly ElementContent[] | undefined {
  if (table.tagName !== 'table' || !holdsNumbers(table)) return undefined;
  const rows = rowsOf(children);
  if (rows.length === 0 || rows.some((row) => row.length !== 1)) return undefined;
  const cells = rows.flat();
  if (cells.some((cell) => hasCode(cell))) return cells.flatMap((cell) => cell.children);
  const lines = cells.map((cell) => textOf(cell).replace(/\n+$/, ''));
  return [element('pre', [element('code', [lines.join('\n')])])];
}

const holdsNumbers = ({ children }: Element): boolean =>
  children.some((child) => child.type === 'element' && (isNumberCell(child) || holdsNumbers(child)));

const isNumberCell = (element: Element): boolean =>
  element.tagName === 'td' &&
  (isLineNumbers(element) ||
    element.children.some((child) => child.type === 'element' && isLineNumbers(child)));

function rowsOf(children: readonly ElementContent[]): Element[][] {
  return children.flatMap((child) => {
    if (child.type !== 'element') return [];
    if (child.tagName !== 'tr') return rowsOf(child.children);
    return [child.children.filter((cell): cell is Element => isElement(cell, 'td') && !isBlank(cell))];
  });
}

const isBlank = (cell: Element): boolean =>
  cell.children.every((child) => child.type === 'text' && child.value.trim() === '');

const hasCode = ({ children }: Element): boolean =>
  children.some((child) => child.type === 'element' && (child.tagName === 'pre' || hasCode(child)));
