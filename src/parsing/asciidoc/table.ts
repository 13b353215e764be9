import type { TableRow } from '../markdown-lines.js';

/** How a table is written. */
export interface TableFormat {
  readonly separator: '|' | ',' | ':';
  /** Of the setting `cols`; undefined where the first line with cells says it. */
  readonly columns: number | undefined;
}

/** What may stand before the mark of a cell: spans, alignment, style. */
const CELL = /(?:^|\s)(?:\d{0,3}(?:\.\d{1,3})?[+*])?[<^>]?(?:\.[<^>])?[adehlmsv]?\|/g;

/** Cells in the order of the text; lines without a mark go on with the cell above. */
export function readTable(
  lines: readonly string[],
  from: number,
  { separator, columns }: TableFormat,
): readonly TableRow[] {
  const cells: { line: number; text: string }[] = [];
  let width = columns;
  for (const [index, line] of lines.entries()) {
    const parts = separator === '|' ? line.split(CELL) : splitPlain(line, separator);
    if (separator === '|') {
      const [before = '', ...own] = parts;
      const last = cells.at(-1);
      if (last !== undefined && before.trim() !== '') last.text = `${last.text} ${before.trim()}`;
      for (const text of own) cells.push({ line: from + index, text: text.trim() });
      if (own.length > 0) width ??= own.length;
    } else if (line !== '') {
      for (const text of parts) cells.push({ line: from + index, text });
      width ??= parts.length;
    }
  }
  return rowsOf(cells, Math.max(1, width ?? 1));
}

const splitPlain = (line: string, separator: string): string[] =>
  line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));

/** A row stands on the line of its first cell. */
function rowsOf(
  cells: readonly { readonly line: number; readonly text: string }[],
  width: number,
): TableRow[] {
  const rows: { line: number; cells: string[] }[] = [];
  for (let at = 0; at < cells.length; at += width) {
    const own = cells.slice(at, at + width);
    const line = own[0]?.line ?? 0;
    const last = rows.at(-1);
    const texts = own.map(({ text }) => text);
    // Two rows on one line cannot both stand there.
    if (last?.line === line) for (const text of texts) last.cells.push(text);
    else rows.push({ line, cells: texts });
  }
  return rows;
}
