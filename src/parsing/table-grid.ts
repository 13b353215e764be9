import type { Element, ElementContent, Root } from 'hast';
import { elementsIn, isCell, spanOf } from './wide-tables.js';

/** A longer cell stands in the first of the places that it spans alone, so that no page grows by much. In UTF-16 code units. */
const LONGEST_REPEATED = 200;

/**
 * Tables as Markdown can hold them: what spans rows or columns stands in each of them, and where no row is marked as header the first is one. Each row
 * says by itself what it says then, also where a table is divided.
 *
 * @param tree its tables are narrow (`narrowTables`)
 */
export function fillTables(tree: Root): void {
  for (const table of elementsIn(tree)) {
    if (table.tagName !== 'table') continue;
    const parts = [...elementsIn(table, 'table')];
    const rows = parts.filter(({ tagName }) => tagName === 'tr');
    fillSpans(rows);
    if (!parts.some(({ tagName }) => tagName === 'th' || tagName === 'thead')) markHeader(rows);
  }
}

const cellsOf = (row: Element): Element[] => row.children.filter((child): child is Element => isCell(child));

interface SpanningCell {
  readonly cell: Element;
  readonly left: number;
}

function fillSpans(rows: readonly Element[]): void {
  let above: ReadonlyMap<number, SpanningCell> = new Map();
  for (const row of rows) {
    const cells = cellsOf(row);
    const filled: Element[] = [];
    const below = new Map<number, SpanningCell>();
    const takeFromAbove = (): void => {
      for (let found = above.get(filled.length); found !== undefined; found = above.get(filled.length)) {
        if (found.left > 1) below.set(filled.length, { ...found, left: found.left - 1 });
        filled.push(repeated(found.cell));
      }
    };
    for (const cell of cells) {
      takeFromAbove();
      const [width, height] = [spanOf(cell.properties.colSpan), spanOf(cell.properties.rowSpan)];
      delete cell.properties.colSpan;
      delete cell.properties.rowSpan;
      for (let at = 0; at < width; at++) {
        if (height > 1) below.set(filled.length, { cell, left: height - 1 });
        filled.push(at === 0 ? cell : repeated(cell));
      }
    }
    takeFromAbove();
    if (filled.length > cells.length) row.children = filled;
    above = below;
  }
}

const repeated = (cell: Element): Element => ({
  ...cell,
  properties: {},
  children: isShort(cell) ? structuredClone(cell.children) : [],
});

function isShort(cell: Element): boolean {
  let left = LONGEST_REPEATED;
  const waiting: ElementContent[] = [...cell.children];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === 'text') left -= node.value.length;
    else if (node.type === 'element') waiting.push(...node.children);
    left -= 1;
    if (left < 0) return false;
  }
  return true;
}

function markHeader([first, ...others]: readonly Element[]): void {
  if (first === undefined || others.length === 0) return;
  for (const cell of cellsOf(first)) cell.tagName = 'th';
}
