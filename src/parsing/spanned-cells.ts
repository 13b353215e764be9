import type { TextRange } from '../core/document.js';
import { type Cell, type Row, recordsOf } from './table-rows.js';

/** A cell as a table of HTML or AsciiDoc has it. */
export interface SpannedCell extends Cell {
  /** It is the first one of its row; elsewhere a row ends where it is full. */
  readonly isFirst: boolean;
  /** How many of them it stands in. */
  readonly columns: number;
  readonly rows: number;
}

/** Of one cell, so that a large number costs nothing. */
const MOST_SPAN = 20;
const EMPTY = { start: 0, end: 0, text: '' };

/** Rows in which a cell stands at each place that it spans. Linear in the cells. */
export function spreadCells(cells: readonly SpannedCell[], width = Infinity): Row[] {
  const rows: Cell[][] = [[]];
  let at = 0;
  let column = 0;
  const next = (): void => {
    at += 1;
    column = 0;
    rows[at] ??= [];
  };
  for (const [place, cell] of cells.entries()) {
    if (cell.isFirst && place > 0) next();
    while (rows[at]?.[column] !== undefined || column >= width)
      if (column >= width) next();
      else column += 1;
    const last = Math.min(width, column + Math.min(cell.columns, MOST_SPAN));
    for (let down = 0; down < Math.min(cell.rows, MOST_SPAN); down += 1)
      for (let to = column; to < last; to += 1) {
        rows[at + down] ??= [];
        (rows[at + down] ?? [])[to] = cell;
      }
  }
  return rows.map((row) => Array.from(row, (cell) => cell ?? EMPTY));
}

const DELIMITER = /^[|,:]={3,}[ \t]*\r?$/gm;
/** What parts cells by the name of a format, and by the mark of a delimiter. */
const SEPARATORS: Readonly<Record<string, string>> = { csv: ',', tsv: '\t', dsv: ':', ',': ',', ':': ':' };
const FORMAT = /^\[[^\n]*\bformat[ \t]*=[ \t]*"?([cdt]sv)\b[^\n]*\n(?:\.[^\n]{0,200}\n)?$/m;
const SEPARATOR = /^\[[^\n]*\bseparator[ \t]*=[ \t]*"?(\\t|[^\s"\]])[^\n]*\n(?:\.[^\n]{0,200}\n)?$/m;
const COLUMNS = /\bcols[ \t]*=[ \t]*(?:"([^"\n]{0,400})"|([\w*]{1,20}))[^\n]*\n(?:\.[^\n]{0,200}\n)?$/;
/** How many columns and rows it stands in or is repeated for, how it is aligned, and its style (AsciiDoc, tables). */
const CELL =
  /(?:(?<=^|[ \t])(?:(\d{1,3})?(?:\.(\d{1,3}))?[+*])?(?:[<^>]|\.[<^>]){0,2}[adehlmsv]?|(?<!\\))\|/gm;
/** In UTF-16 code units. */
const MOST_ABOVE = 800;

/** The tables of a text in AsciiDoc. */
export function* asciidocTables(text: string): Generator<Row[]> {
  let start: number | undefined;
  let opening = 0;
  for (const { index, 0: line } of text.matchAll(DELIMITER)) {
    if (start === undefined) {
      opening = index;
      start = index + line.length;
      continue;
    }
    const above = text.slice(Math.max(0, opening - MOST_ABOVE), opening);
    const own = SEPARATOR.exec(above)?.[1]?.replace('\\t', '\t');
    const format = FORMAT.exec(above)?.[1] ?? text.charAt(opening);
    const separator = Object.hasOwn(SEPARATORS, format) ? (own ?? SEPARATORS[format]) : undefined;
    if (separator !== undefined) {
      yield [...recordsOf(text.slice(0, index), separator, start + 1)].filter(
        (row) => row.length > 1 || row[0]?.text !== '',
      );
      start = undefined;
      continue;
    }
    const [, listed, bare] = COLUMNS.exec(above) ?? [];
    const cells = cellsIn(text, { start, end: index });
    const first = text.slice(start, index).search(/\S/) + start;
    const endOfFirst = text.indexOf('\n', first);
    const ofFirst = cells.filter((cell) => cell.start <= endOfFirst);
    const width = countOf(listed ?? bare ?? '') || ofFirst.reduce((sum, { columns }) => sum + columns, 0);
    if (width > 0) yield spreadCells(cells, width);
    start = undefined;
  }
}

/** `3`, `3*`, `1,2,1`, `2*,1`. */
function countOf(columns: string): number {
  if (/^\d+$/.test(columns)) return Number(columns);
  if (columns.trim() === '') return 0;
  return columns.split(/[,;]/).reduce((sum, each) => sum + Number(/^\s*(\d{1,3})\*/.exec(each)?.[1] ?? 1), 0);
}

function cellsIn(text: string, { start, end }: TextRange): SpannedCell[] {
  const body = text.slice(start, end);
  const marks = [...body.matchAll(CELL)];
  return marks.map(({ 0: mark, 1: columns = '1', 2: rows = '1', index }, at) => {
    const from = index + mark.length;
    const content = body.slice(from, marks[at + 1]?.index ?? body.length);
    const first = start + from + (content.trim() === '' ? 0 : content.search(/\S/));
    return {
      ...{ text: content.trim(), start: first, end: first + content.trim().length },
      ...{ isFirst: false, columns: Number(columns), rows: Number(rows) },
    };
  });
}
