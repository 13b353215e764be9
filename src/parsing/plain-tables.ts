import type { Element, ElementContent, Root } from 'hast';
import type { Table, TableCell } from 'mdast';
import { isCell } from './wide-tables.js';

/** Element in the place of a table: a block to the converter, which no tree holds any more by then. */
export const TABLE_PLACE = 'dialog';
const NUMBER = 'dataTable';

/**
 * Takes tables whose cells hold text alone out of a tree and writes them as tables of Markdown, as the converter would: it looks at every cell a dozen times,
 * which makes minutes of the lists that programs export.
 *
 * @param tree is changed: an element `TABLE_PLACE` stands in the place of each
 */
export function takePlainTables(tree: Root): readonly Table[] {
  const taken: Table[] = [];
  const waiting: (Root | Element)[] = [tree];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const child of node.children) {
      if (child.type !== 'element') continue;
      if (child.tagName !== 'table') {
        waiting.push(child);
        continue;
      }
      const table = plainTable(child);
      if (table === undefined) continue;
      child.tagName = TABLE_PLACE;
      child.properties = { [NUMBER]: taken.push(table) - 1 };
      child.children = [];
    }
  }
  return taken;
}

/** Which of the tables that were taken stands here. */
export const placeOfTable = ({ properties }: Element): number => Number(properties[NUMBER]);

const PARTS: ReadonlySet<string> = new Set(['thead', 'tbody', 'tfoot']);

/** Undefined for a table that holds more than text, or nothing. */
function plainTable(table: Element): Table | undefined {
  const rows: (readonly Element[])[] = [];
  let isHeaded = false;
  for (const part of table.children) {
    if (isBlank(part)) continue;
    if (part.type !== 'element') return undefined;
    isHeaded ||= part.tagName === 'thead';
    const inside: readonly ElementContent[] = PARTS.has(part.tagName) ? part.children : [part];
    for (const row of inside) {
      if (isBlank(row)) continue;
      const cells = row.type === 'element' && row.tagName === 'tr' ? plainCells(row) : undefined;
      if (cells === undefined) return undefined;
      rows.push(cells);
    }
  }
  const [first] = rows;
  if (first === undefined) return undefined;
  // A table of Markdown has a head, if an empty one.
  if (!isHeaded && !first.some(({ tagName }) => tagName === 'th')) rows.unshift([]);
  const width = Math.max(1, ...rows.map((row) => row.length));
  return {
    type: 'table',
    align: Array.from({ length: width }, () => null),
    children: rows.map((row) => ({
      type: 'tableRow',
      children: Array.from({ length: width }, (_, at) => cellOf(row[at])),
    })),
  };
}

function plainCells(row: Element): readonly Element[] | undefined {
  const cells: Element[] = [];
  for (const child of row.children) {
    if (isBlank(child)) continue;
    if (child.type !== 'element' || !isCell(child) || child.properties.align !== undefined) return undefined;
    const { children, properties } = child;
    const isText = children.length === 0 || (children.length === 1 && children[0]?.type === 'text');
    if (!isText || properties.colSpan !== undefined || properties.rowSpan !== undefined) return undefined;
    cells.push(child);
  }
  return cells;
}

function cellOf(cell: Element | undefined): TableCell {
  const [text] = cell?.children ?? [];
  const value = text?.type === 'text' ? text.value.replace(BLANKS, ' ').replace(/^ | $/g, '') : '';
  return { type: 'tableCell', children: value === '' ? [] : [{ type: 'text', value }] };
}

/** White space of HTML. */
const BLANKS = /[\t\n\f\r ]+/g;
const isBlank = (node: ElementContent): boolean => node.type === 'text' && !/[^\t\n\f\r ]/.test(node.value);
