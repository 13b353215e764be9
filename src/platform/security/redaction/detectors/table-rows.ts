import type { TextRange } from '../../../../core/document.js';
import { matchAt } from '../detection.js';

/** Cells of a row, in order. */
export type Row = readonly TextRange[];
/** Rows one after the other; at the end, where the table ends. */
export type Rows = Generator<Row, number>;

/** In UTF-16 code units; a longer row is none. */
const LONGEST_ROW = 65_536;

/** Between headings and rows of Markdown, reStructuredText, Org, MySQL and psql. */
const RULE = /[ \t>]*[|+]?[ \t]*:?[-=]+:?(?:[ \t]*[|+][ \t]*:?[-=]+:?)*[ \t]*[|+]?[ \t]*\r?$/my;
/** Around the headings of a simple table of reStructuredText, below those of Pandoc. */
const BORDER = /[ \t]*(?:={2,}|-{2,})(?:[ \t]+(?:={2,}|-{2,}))+[ \t]*\r?$/my;

export const isRule = (text: string, at: number): boolean => matchAt(RULE, text, at) !== null;
export const isBorder = (text: string, at: number): boolean => matchAt(BORDER, text, at) !== null;

/** The end of the line, without its line feed; at most so far as a row is long. */
export function lineEnd(text: string, at: number): number {
  const found = text.slice(at, at + LONGEST_ROW).indexOf('\n');
  return found < 0 ? Math.min(text.length, at + LONGEST_ROW) : at + found;
}

/** Cells between bars; a bar behind a backslash is text. */
export function pipeCells(text: string, start: number, end: number): Row {
  let from = start + (/^[ \t>]*\|?/.exec(text.slice(start, end))?.[0].length ?? 0);
  const cells: TextRange[] = [];
  for (let at = from; at < end; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '|') {
      cells.push({ start: from, end: at });
      from = at + 1;
    }
  }
  return from < end ? [...cells, { start: from, end }] : cells;
}

/** Rows with bars. Rules with plus signs stand between rows; another rule means that the row before it holds headings. */
export function* pipeRows(text: string, from: number, { isFenced }: { readonly isFenced: boolean }): Rows {
  let at = from;
  for (let before = from; at < text.length; ) {
    const end = lineEnd(text, at);
    const line = text.slice(at, end);
    if (isFenced ? line.startsWith('|===') : !/[|+]/.test(line)) break;
    if (isRule(text, at)) {
      if (!line.includes('+')) return before;
    } else if (line.trim() !== '') yield pipeCells(text, at, end);
    before = at;
    at = end + 1;
  }
  return Math.min(at, text.length);
}

/** Rows below columns that stand at fixed places, up to the border that ends them; without one above, to a blank line. */
export function* bordered(
  text: string,
  from: number,
  { columns, isOpen }: { readonly columns: readonly number[]; readonly isOpen: boolean },
): Rows {
  let at = from;
  while (at < text.length && !isBorder(text, at)) {
    const end = lineEnd(text, at);
    if (text.slice(at, end).trim() === '' && !isOpen) break;
    const line = at;
    const isApart = columns.every(
      (column) => column === 0 || /^\s?$/.test(text.slice(line + column - 1, Math.min(end, line + column))),
    );
    if (isApart)
      yield columns.map((column, index) => ({
        start: Math.min(end, line + column),
        end: Math.min(end, line + (columns[index + 1] ?? end - line)),
      }));
    at = end + 1;
  }
  return Math.min(at, text.length);
}

/** A record of comma-separated values (RFC 4180): its fields with their quotes, and where it ends. */
export function delimitedRecord(
  text: string,
  from: number,
  delimiter: string,
): { readonly cells: Row; readonly end: number } | undefined {
  const cells: TextRange[] = [];
  const limit = Math.min(text.length, from + LONGEST_ROW);
  let start = from;
  let isQuoted = false;
  for (let at = from; at < limit; at += 1) {
    const character = text[at];
    if (character === '"' && (isQuoted || at === start)) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === delimiter) {
      cells.push({ start, end: at });
      start = at + 1;
    } else if (character === '\n') return { cells: [...cells, { start, end: at }], end: at };
  }
  return isQuoted || limit < text.length
    ? undefined
    : { cells: [...cells, { start, end: limit }], end: limit };
}

/** Records of so many fields; one between two of them may have more or fewer, or be empty. */
export function* delimitedRows(
  text: string,
  from: number,
  { delimiter, count }: { readonly delimiter: string; readonly count: number },
): Rows {
  let at = from;
  let isRagged = true;
  while (at < text.length) {
    const record = delimitedRecord(text, at, delimiter);
    if (record === undefined || (isRagged && record.cells.length !== count)) break;
    isRagged = record.cells.length !== count;
    yield record.cells;
    at = record.end + 1;
  }
  return Math.min(at, text.length);
}

const TABLE_TAG = /<(\/?)(table|tr|t[hd])\b[^<>]{0,1000}>/gi;

/** Rows of HTML up to the end of the table, or to one inside of it; tags that end cells and rows may be left out. */
export function* htmlRows(text: string, from: number): Rows {
  let cells: TextRange[] = [];
  let open: number | undefined;
  // `matchAll` reads a copy of the pattern from there.
  TABLE_TAG.lastIndex = from;
  for (const { index, 0: tag, 1: slash, 2: written = '' } of text.matchAll(TABLE_TAG)) {
    const name = written.toLowerCase();
    if (open !== undefined) cells.push({ start: open, end: index });
    open = slash === '' && (name === 'td' || name === 'th') ? index + tag.length : undefined;
    if (name !== 'tr' && name !== 'table') continue;
    if (cells.length > 0) yield cells;
    cells = [];
    if (name === 'table') return index;
  }
  if (cells.length > 0) yield cells;
  return text.length;
}
