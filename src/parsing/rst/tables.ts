import type { TableRow } from '../markdown-lines.js';

/** A table that was found in lines. */
export interface FoundTable {
  readonly rows: readonly TableRow[];
  readonly hasHead: boolean;
  /** Line behind the table. */
  readonly end: number;
}

/** Lines of the document without the indentation of what holds the table. */
export interface TableLines {
  readonly at: (line: number) => string;
  readonly end: number;
}

const GRID_BORDER = /^\+(?:[-=]+\+)+$/;
const SIMPLE_BORDER = /^=+(?: +=+)+$/;
/** A border beside a cell that spans rows. */
const BORDER_WITHIN = /\+?[-=]{3,}[-=+]*/g;
const COLUMN_SPANS = /^-+(?: +-+)*$/;

export const isGridBorder = (line: string): boolean => GRID_BORDER.test(line);
export const isSimpleBorder = (line: string): boolean => SIMPLE_BORDER.test(line);

/** A grid table, down to the first line that is no part of one. Cells that span rows or columns are read as they stand. */
export function readGridTable({ at, end }: TableLines, start: number): FoundTable {
  const columns = positionsOf(at(start), '+');
  const rows: { line: number; cells: string[] }[] = [];
  let hasHead = false;
  let isNewRow = true;
  let line = start + 1;
  for (; line < end && /^[+|]/.test(at(line)); line += 1) {
    const text = at(line);
    if (isGridBorder(text)) {
      hasHead ||= text.startsWith('+=') && rows.length === 1;
      isNewRow = true;
    } else {
      const cells = gridCells(text, columns);
      if (isNewRow) rows.push({ line, cells });
      else append(rows.at(-1)?.cells, cells);
      isNewRow = false;
    }
  }
  return { rows, hasHead, end: line };
}

function positionsOf(text: string, mark: string): number[] {
  const positions: number[] = [];
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) positions.push(at);
  return positions;
}

function gridCells(text: string, columns: readonly number[]): string[] {
  const isAligned = columns.every((column) => text[column] === '|');
  const cells = isAligned
    ? columns.slice(1).map((column, index) => text.slice((columns[index] ?? 0) + 1, column))
    : text.slice(1, -1).replace(BORDER_WITHIN, '|').split('|');
  return cells.map((cell) => cell.trim());
}

/** A simple table: from its first border to one with nothing below it. Undefined where there is none. */
export function readSimpleTable({ at, end }: TableLines, start: number): FoundTable | undefined {
  const columns = [...at(start).matchAll(/=+/g)].map(({ index }) => index);
  let last = start + 1;
  while (last < end && !(isSimpleBorder(at(last)) && (last + 1 >= end || at(last + 1) === ''))) last += 1;
  if (last >= end) return undefined;
  const rows: { line: number; cells: string[] }[] = [];
  let hasHead = false;
  for (let line = start + 1; line < last; line += 1) {
    const text = at(line);
    if (isSimpleBorder(text)) hasHead ||= rows.length === 1;
    if (text === '' || isSimpleBorder(text) || COLUMN_SPANS.test(text)) continue;
    const cells = simpleCells(text, columns);
    // A row goes on where its first column is empty.
    if (cells[0] === '' && rows.length > 0) append(rows.at(-1)?.cells, cells);
    else rows.push({ line, cells });
  }
  return { rows, hasHead, end: last + 1 };
}

/** So many cells a row always has; beyond them those alone that the line reaches, so that a row costs no more than its text. */
const FILLED_COLUMNS = 12;

function simpleCells(text: string, columns: readonly number[]): string[] {
  const cells: string[] = [];
  for (const [index, column] of columns.entries()) {
    if (column >= text.length && index >= FILLED_COLUMNS) break;
    cells.push(text.slice(column, columns[index + 1]).trim());
  }
  return cells;
}

function append(cells: string[] | undefined, more: readonly string[]): void {
  if (cells === undefined) return;
  for (const [column, text] of more.entries()) cells[column] = withMore(cells[column], text);
}

function withMore(text = '', more: string): string {
  if (text === '' || more === '') return text + more;
  return `${text} ${more}`;
}

/** Rows of a `list-table`: a list of lists. */
export function readListTable({ at, end }: TableLines, start: number): readonly TableRow[] {
  const rows: { line: number; cells: string[] }[] = [];
  for (let line = start; line < end; line += 1) {
    const [, row, cell, text = ''] = /^(\* | {2})(- |-$| {2})(.*)$/.exec(at(line)) ?? [];
    if (row === '* ') rows.push({ line, cells: [] });
    const cells = rows.at(-1)?.cells;
    if (cells === undefined || cell === undefined) continue;
    if (cell.startsWith('-')) cells.push(text.trim());
    else cells[cells.length - 1] = withMore(cells.at(-1), text.trim());
  }
  return rows;
}

/** Rows of a `csv-table`, each on a line of its own. */
export const readCsvRows = ({ at, end }: TableLines, start: number): readonly TableRow[] =>
  Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index)
    .filter((line) => at(line) !== '')
    .map((line) => ({ line, cells: csvCells(at(line)) }));

export const csvCells = (text: string): string[] =>
  [...text.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"[^,]*|([^,]*))/g)].map(([, quoted, plain = '']) =>
    (quoted?.replaceAll('""', '"') ?? plain).trim(),
  );
