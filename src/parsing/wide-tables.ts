import type { Element, Nodes, Root } from 'hast';

/** Cells that the tables of one document may be filled up with, beside twice as many as a table has. */
const MOST_EMPTY_CELLS = 20_000;

const CELLS: ReadonlySet<string> = new Set(['td', 'th']);
export const isCell = (node: Nodes): boolean => node.type === 'element' && CELLS.has(node.tagName);
const PARTS: ReadonlySet<string> = new Set(['thead', 'tbody', 'tfoot', 'tr', ...CELLS]);

/**
 * Bounds the empty cells that tables of Markdown need: their rows are all as long as the longest, and what a cell spans are cells of its own. A table that
 * needs too many loses what its cells span, and where that is not enough is read as text.
 *
 * @returns what was done, as warnings
 */
export function narrowTables(tree: Root): readonly string[] {
  const warnings = new Set<string>();
  let left = MOST_EMPTY_CELLS;
  for (const table of elementsIn(tree)) {
    if (table.tagName !== 'table') continue;
    const parts = [...elementsIn(table, 'table')].filter(({ tagName }) => PARTS.has(tagName));
    const cells = parts.filter(({ tagName }) => CELLS.has(tagName));
    const most = left + 2 * cells.length;
    const stated = emptyCells(parts);
    if (stated > most) for (const { properties } of cells) removeSpans(properties);
    const empty = stated > most ? emptyCells(parts) : stated;
    if (empty > most) {
      for (const part of [table, ...parts]) part.tagName = 'div';
      warnings.add('A table whose rows differ very much in length was read as text.');
      continue;
    }
    if (empty < stated) warnings.add('Cells of a table span so much that each was read as one cell.');
    left = Math.min(left, most - empty);
  }
  return [...warnings];
}

/** All below a node, in the order of the text; not below those of a name. With a stack of its own: hostile pages nest without end. */
export function* elementsIn(root: Root | Element, closed = ''): Generator<Element> {
  const waiting: Nodes[] = root.children.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type !== 'element' || node.tagName === closed) continue;
    yield node;
    for (const child of node.children.toReversed()) waiting.push(child);
  }
}

function emptyCells(parts: readonly Element[]): number {
  const rows = Math.max(1, parts.filter(({ tagName }) => tagName === 'tr').length);
  /** By row how many cells more it has than the one above. */
  const changes = Array.from({ length: rows + 1 }, () => 0);
  const change = (row: number, by: number): void => {
    changes[row] = (changes[row] ?? 0) + by;
  };
  let row = -1;
  let cells = 0;
  for (const { tagName, properties } of parts) {
    if (tagName === 'tr') row += 1;
    if (!CELLS.has(tagName)) continue;
    cells += 1;
    const from = Math.max(0, row);
    change(from, spanOf(properties.colSpan));
    change(Math.min(rows, from + spanOf(properties.rowSpan)), -spanOf(properties.colSpan));
  }
  let width = 0;
  let widest = 0;
  for (const by of changes) {
    width += by;
    widest = Math.max(widest, width);
  }
  return rows * widest - cells;
}

export const spanOf = (value: unknown): number => Math.max(1, Number.parseInt(String(value), 10) || 1);

function removeSpans(properties: Element['properties']): void {
  delete properties.colSpan;
  delete properties.rowSpan;
}
