import { cellsOf, type Row } from './table-rows.js';

/** Rows of names above a table, at most. */
export const MOST_HEADINGS = 6;

/** As separator: tables of Markdown. */
export const MARKDOWN = 'markdown';

/** A line of signs alone, below the names of columns or around rows. */
export const RULE = /^[\s>|:+=\u2500-\u257F-]+$/;

/**
 * A row of names above a rule, and the rows below it, where rows that stood in lines of their own have blank lines around them; whether only blank
 * lines stand between it and the table before.
 */
export function* markdownTables(
  text: string,
): Generator<{ readonly rows: Row[]; readonly isBelowOther: boolean }> {
  let above: { readonly line: string; readonly start: number } | undefined;
  let rows: Row[] = [];
  /** Rows above the last one before a rule, over which names may go down. */
  let leading: readonly Row[] = [];
  let isBelowOther = false;
  let isBehindBlank = false;
  let start = 0;
  for (const line of text.split('\n')) {
    const isRow = line.includes('|');
    if (!isRow || rows.length > 0) leading = [];
    if (isRow && above?.line.includes('|') === true && line.includes('-') && RULE.test(line)) {
      const isNext = rows.length > 0 && isBehindBlank;
      if (isNext && rows.at(-1)?.[0]?.start === cellsOf(above.line, above.start)[0]?.start) rows.pop();
      if (rows.length === 0 || isNext) {
        if (rows.length > 0) yield { rows, isBelowOther };
        isBelowOther = isNext;
        const last = cellsOf(above.line, above.start).map((cell) => ({ ...cell, isHeading: true }));
        rows = [...leading.slice(0, -1).filter(({ length }) => length === last.length), last];
      }
      isBehindBlank = false;
    } else if (isRow && rows.length > 0) {
      const row = cellsOf(line, start);
      if (!isBehindBlank || row.length === rows[0]?.length) rows.push(row);
    } else if (line.trim() === '') isBehindBlank = true;
    else {
      if (rows.length > 0) yield { rows, isBelowOther };
      rows = [];
      isBelowOther = false;
      isBehindBlank = false;
    }
    if (isRow && rows.length === 0) leading = [...leading, cellsOf(line, start)].slice(-MOST_HEADINGS);
    above = { line, start };
    start += line.length + 1;
  }
  if (rows.length > 0) yield { rows, isBelowOther };
}
