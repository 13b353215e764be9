import type { TextRange } from '../../../../core/document.js';
import type { LabelFrame } from './label-frame.js';
import {
  bordered,
  delimitedRecord,
  delimitedRows,
  htmlRows,
  isBorder,
  isRule,
  lineEnd,
  pipeCells,
  pipeRows,
  type Row,
  type Rows,
} from './table-rows.js';

interface Column {
  /** Which cell of a row stands under the heading. */
  readonly index: number;
  readonly rows: Rows;
}

/** A row of headings, as a range of the text. */
interface Headings extends TextRange {
  readonly heading: LabelFrame;
}

/** A longer line is no row of headings. */
const LONGEST_HEADINGS = 4_000;
/** From the beginning of a table of HTML to a cell of its first row. */
const FIRST_ROW = /<table\b(?:(?!<\/?(?:table|tr)\b)[\s\S])*(<tr\b(?:(?!<\/?(?:table|tr)\b)[\s\S])*)$/i;
/** Headings of one row that are asked for. */
const MOST_SECRETS = 16;
const NAME_OF_COLUMN = /^\s*["']?[\p{L}\p{N}_][\p{L}\p{N}_ ()[\]./#%&+*:?@'-]{0,60}["']?\s*$/u;
const FENCE_REACH = 40;
/** Begins and ends a table of AsciiDoc. */
const FENCE = /\|===[ \t]*\r?\n(?:[ \t]*\r?\n)?$/;

/**
 * Finds what stands under headings of columns: tables of Markdown, HTML, reStructuredText, AsciiDoc and databases, and records of
 * separated values. Rows that were read hold no headings, so a text is read once.
 */
export class TableColumns {
  readonly #text: string;
  #readUntil = 0;
  /** Where the row of headings begins that was asked for last, and how often it was. */
  #row = { start: -1, asked: 0 };

  constructor(text: string) {
    this.#text = text;
  }

  /** The cells under a heading, from above. */
  *under(heading: LabelFrame): Generator<TextRange> {
    const row = this.#text[heading.end] === '<' ? this.#htmlRow(heading) : this.#line(heading);
    if (row === undefined || !this.#isNew(row)) return;
    const column = this.#columnOf(row);
    if (column === undefined) return;
    for (let next = column.rows.next(); ; next = column.rows.next()) {
      if (next.done === true) {
        this.#readUntil = next.value;
        return;
      }
      const cell = next.value[column.index];
      if (cell !== undefined) yield cell;
    }
  }

  #isNew({ start }: TextRange): boolean {
    if (start !== this.#row.start) {
      if (start < this.#readUntil) return false;
      this.#row = { start, asked: 0 };
    }
    this.#row.asked += 1;
    return this.#row.asked <= MOST_SECRETS;
  }

  #line(heading: LabelFrame): Headings | undefined {
    const start = this.#lastBefore('\n', heading.start);
    const end = lineEnd(this.#text, heading.end);
    if (start === undefined || end - start > LONGEST_HEADINGS) return undefined;
    return { start, end, heading };
  }

  #columnOf(row: Headings): Column | undefined {
    const { heading, start, end } = row;
    const text = this.#text;
    const behind = text[heading.end] ?? '';
    if (behind === '<') return this.#htmlColumn(row);
    const below = end + 1;
    if (heading.before === '|' || behind === '|') {
      const isFenced = FENCE.test(text.slice(Math.max(0, start - FENCE_REACH), start));
      const first = isFenced ? below : isRule(text, below) ? lineEnd(text, below) + 1 : undefined;
      if (first !== undefined)
        return columnAt(heading, pipeCells(text, start, end), pipeRows(text, first, { isFenced }));
    } else if (isBorder(text, below)) return this.#borderedColumn(row, below);
    return this.#delimitedColumn(row, ',;\t|'.includes(behind) && behind !== '' ? behind : heading.before);
  }

  #delimitedColumn({ heading, start, end }: Headings, delimiter: string): Column | undefined {
    if (delimiter === '' || !',;\t|'.includes(delimiter)) return undefined;
    const record = delimitedRecord(this.#text, start, delimiter);
    // The first may be that of row numbers.
    const isNamed = record?.cells.every(
      (cell, index) =>
        (index === 0 && cell.end === cell.start) ||
        NAME_OF_COLUMN.test(this.#text.slice(cell.start, cell.end)),
    );
    if (record === undefined || record.end !== end || record.cells.length < 2 || isNamed !== true)
      return undefined;
    return columnAt(
      heading,
      record.cells,
      delimitedRows(this.#text, end + 1, { delimiter, count: record.cells.length }),
    );
  }

  #borderedColumn({ heading, start }: Headings, border: number): Column | undefined {
    const end = lineEnd(this.#text, border);
    const columns = Array.from(this.#text.slice(border, end).matchAll(/[=-]+/g), ({ index }) => index);
    const name = heading.end - start;
    const index = columns.filter((column) => column < name).length - 1;
    const above = this.#lastBefore('\n', start - 1) ?? start;
    const isOpen = above < start && isBorder(this.#text, above);
    return { index, rows: bordered(this.#text, end + 1, { columns, isOpen }) };
  }

  /** The first row of a table. */
  #htmlRow(heading: LabelFrame): Headings | undefined {
    if (heading.before !== '>') return undefined;
    const from = Math.max(0, heading.start - LONGEST_HEADINGS);
    const row = FIRST_ROW.exec(this.#text.slice(from, heading.start))?.[1];
    return row === undefined ? undefined : { start: heading.start - row.length, end: heading.end, heading };
  }

  #htmlColumn({ heading, start }: Headings): Column {
    const before = this.#text.slice(start, heading.start);
    const rows = htmlRows(this.#text, start);
    // The headings themselves.
    rows.next();
    return { index: (before.match(/<t[hd]\b/gi)?.length ?? 0) - 1, rows };
  }

  /** The end of the last mark before an offset; the beginning of the text where it is near. */
  #lastBefore(mark: string, at: number): number | undefined {
    const from = Math.max(0, at - LONGEST_HEADINGS);
    const found = this.#text.slice(from, at).lastIndexOf(mark);
    if (found >= 0) return from + found + mark.length;
    return from === 0 ? 0 : undefined;
  }
}

function columnAt(heading: LabelFrame, headings: Row, rows: Rows): Column | undefined {
  const index = headings.findIndex(({ start, end }) => heading.start <= end && heading.end > start);
  return index < 0 ? undefined : { index, rows };
}
