import type { TextRange } from '../core/document.js';

export interface Cell extends TextRange {
  readonly text: string;
  /** It is known to be a heading. */
  readonly isHeading?: boolean;
  /** What its elements and attributes say, parted by signs. */
  readonly said?: string;
}
export type Row = readonly Cell[];

/** Between bars that no backslash precedes. */
export function cellsOf(line: string, offset: number): Row {
  const cells: Cell[] = [];
  let start = line.search(/[^\s>]|$/);
  if (line[start] === '|') start += 1;
  const bar = /\\.|\|/g;
  bar.lastIndex = start;
  for (let found = bar.exec(line); found !== null; found = bar.exec(line)) {
    if (found[0] !== '|') continue;
    cells.push(cellAt(line, { start, end: found.index }, offset));
    start = bar.lastIndex;
  }
  // A last cell without a bar behind it may be what is left of a value.
  const isLeft = !/^[\s>]*\|/.test(line) && /^[ \t]{2,}\r?$/.test(line.slice(start));
  if (isLeft || line.slice(start).trim() !== '')
    cells.push(cellAt(line, { start, end: line.length }, offset));
  return cells;
}

function cellAt(text: string, { start, end }: TextRange, offset = 0): Cell {
  const cell = text.slice(start, end);
  const from = start + cell.length - cell.trimStart().length;
  const inner = cell.trim();
  return { start: offset + from, end: offset + from + inner.length, text: inner };
}

/** Records of a table as text (RFC 4180); of a cell in quotation marks what is between them, so that the record stays one. */
export function* recordsOf(text: string, separator: string, from = 0): Generator<Row> {
  const mark = new RegExp(`[\\n\\r${separator}]`, 'g');
  let row: Cell[] = [];
  let start = from;
  while (start <= text.length) {
    const quoted = quotedAt(text, start, separator);
    if (quoted !== undefined) row.push({ ...quoted, text: text.slice(quoted.start, quoted.end).trim() });
    mark.lastIndex = quoted === undefined ? start : quoted.end + 1;
    const found = mark.exec(text);
    const end = found?.index ?? text.length;
    if (quoted === undefined) row.push(cellAt(text, { start, end }));
    start = end + 1;
    if (found?.[0] === separator) continue;
    // Not between both marks of a line end.
    const isBlank = row.length === 1 && row[0]?.text === '';
    const isInside = isBlank && text[start - 2] === '\r' && found?.[0] === '\n';
    if (!isInside && !(isBlank && found === null)) yield row;
    row = [];
  }
}

/** What is between the quotation marks that open a cell and close it. */
function quotedAt(text: string, from: number, separator: string): TextRange | undefined {
  if (text[from] !== '"') return undefined;
  const quote = /""|"/g;
  quote.lastIndex = from + 1;
  let found = quote.exec(text);
  while (found?.[0] === '""') found = quote.exec(text);
  if (found === null) return undefined;
  const next = text[quote.lastIndex] ?? '\n';
  return next === separator || next === '\n' || next === '\r'
    ? { start: from + 1, end: found.index }
    : undefined;
}
