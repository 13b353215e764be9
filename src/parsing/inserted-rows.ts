import type { Label } from './label-reader.js';
import type { StatedFields } from './markdown/stated-names.js';
import { endOfLine } from './text-range.js';

/** Of rows, in UTF-16 code units. */
const MAX_VALUE = 20_000;

const OPTION = String.raw`(?:[^;'\n]|'[^'\n]*')*`;
/** Between a list of columns and its rows: as values, or as lines of a copy, whose options may go on below. */
const ROWS = String.raw`(?:(?:overriding\s+\w+\s+value|output\s[^;()]{1,400}?)\s+)?values?\b(?=\s{0,40}\()|as\s{0,9}\(\s{0,40}values\b(?=\s{0,40}\()|(?<select>select\s(?:all\s|distinct\s)?)|from\s+stdin\b(?<options>${OPTION}(?:\n[ \t]*(?:(?:with|format|csv|delimiters?|header|null|quote|escape|encoding)\b|[()])${OPTION}){0,8})(?:;[^\n]*)?\n`;

/** Rows that SQL writes below a list of columns. */
export function* insertedRows(text: string, labelOf: Label): Generator<StatedFields> {
  const columns = new RegExp(String.raw`\(([^()]{1,4000})\)\s{0,40}(?:${ROWS})`, 'gi');
  for (let found = columns.exec(text); found !== null; found = columns.exec(text)) {
    const named = (found[1] ?? '').split(',').map((name) => labelOf(name.replace(/[[\]]/g, '')));
    if (named.every(({ length }) => length === 0)) continue;
    let at = columns.lastIndex;
    const options = found.groups?.options;
    if (options !== undefined) {
      const isCsv = /\bcsv\b/i.test(options);
      const separator = /\bdelimiters?\s+(?:as\s+)?'([^'\\])'/i.exec(options)?.[1] ?? (isCsv ? ',' : '\t');
      while (at < text.length && !text.startsWith('\\.', at)) {
        const end = isCsv ? endOfQuotedLine(text, at) : endOfLine(text, at);
        // Nobody knows where cells end of which a quotation is never closed.
        if (end === undefined)
          yield { start: at, end: Math.min(text.length, at + MAX_VALUE), names: named.flat() };
        else yield* cellsOf(splitRow(text.slice(at, end), separator, isCsv ? '"' : ''), at, named);
        at = (end ?? at + MAX_VALUE) + 1;
      }
      columns.lastIndex = Math.min(at, text.length);
      continue;
    }
    if (found.groups?.select !== undefined) {
      const length = text.slice(at, at + MAX_VALUE).search(SELECTED_END);
      const end = length < 0 ? Math.min(text.length, at + MAX_VALUE) : at + length;
      yield* cellsOf(splitRow(text.slice(at, end)), at, named);
      columns.lastIndex = end;
      continue;
    }
    for (;;) {
      const row = /^[\s,]{0,200}\(/.exec(text.slice(at, at + 201));
      const start = at + (row?.[0].length ?? 0);
      if (row === null) break;
      const end = endOfRow(text, start);
      if (end === undefined) {
        // Nobody knows where its cells end.
        at = Math.min(text.length, start + MAX_VALUE);
        yield { start, end: at, names: named.flat() };
        break;
      }
      yield* cellsOf(splitRow(text.slice(start, end)), start, named);
      at = end + 1;
    }
    columns.lastIndex = at;
  }
}

/** Behind what a query selects. */
const SELECTED_END = /;|\s(?:from|union|where|limit|on\s+conflict|returning)\b|\n\s*\n/i;

/** The same where the list of columns stands behind its rows: `(VALUES ('Rome', 'V')) AS s (office, customer)`. */
export function* rowsBefore(text: string, labelOf: Label): Generator<StatedFields> {
  for (const { index, 0: opening } of text.matchAll(/\(\s{0,40}values(?=\s{0,40}\()/gi)) {
    const end = endOfRow(text, index + 1) ?? text.length;
    const columns = /^\)\s{0,40}(?:as\s{1,40})?\w{1,60}\s{0,40}\(([^()]{1,4000})\)/i.exec(
      text.slice(end, end + MAX_VALUE),
    );
    const named = (columns?.[1] ?? '').split(',').map((name) => labelOf(name));
    if (named.every(({ length }) => length === 0)) continue;
    for (let at = index + opening.length; at < end; ) {
      const start = at + (/^[\s,]{0,200}\(/.exec(text.slice(at, at + 201))?.[0].length ?? MAX_VALUE);
      const last = start < end ? (endOfRow(text, start) ?? end) : end;
      yield* cellsOf(splitRow(text.slice(start, last)), start, named);
      at = last + 1;
    }
  }
}

function* cellsOf(
  cells: readonly string[],
  from: number,
  named: readonly (readonly string[])[],
): Generator<StatedFields> {
  let start = from;
  for (const [at, cell] of cells.entries()) {
    const names = named[at] ?? [];
    if (names.length > 0) yield { start, end: start + cell.length, names };
    start += cell.length + 1;
  }
}

/** Of a line whose cells in quotation marks may have several. */
function endOfQuotedLine(text: string, from: number): number | undefined {
  let isQuoted = false;
  const most = Math.min(text.length, from + MAX_VALUE);
  for (let at = from; at < most; at += 1) {
    if (text.charAt(at) === '"') isQuoted = !isQuoted;
    else if (!isQuoted && text.charAt(at) === '\n') return at;
  }
  return isQuoted ? undefined : most;
}

/** The bracket that closes a row, behind texts in quotation marks. */
function endOfRow(text: string, from: number): number | undefined {
  let depth = 0;
  let isQuoted = false;
  for (let at = from; at < Math.min(text.length, from + MAX_VALUE); at += 1) {
    const character = text.charAt(at);
    if (character === "'") isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === '(') depth += 1;
    else if (character === ')') {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return undefined;
}

function splitRow(row: string, separator = ',', quote = "'"): string[] {
  const cells: string[] = [];
  const hasBrackets = quote === "'";
  let isQuoted = false;
  let depth = 0;
  let start = 0;
  for (let at = 0; at < row.length; at += 1) {
    const character = row.charAt(at);
    if (character === quote) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (hasBrackets && character === '(') depth += 1;
    else if (hasBrackets && character === ')') depth -= 1;
    else if (character === separator && depth === 0) {
      cells.push(row.slice(start, at));
      start = at + 1;
    }
  }
  return [...cells, row.slice(start)];
}
