import type { TextRange } from '../core/document.js';
import { type Label, labelReader, MAX_LABEL_LENGTH } from './label-reader.js';
import type { StatedFields } from './markdown/stated-names.js';
import { MARKDOWN, MOST_HEADINGS, markdownTables, RULE } from './markdown-tables.js';
import { fencesOf } from './named-fields.js';
import { isLone, isWorded } from './named-places.js';
import { cellsOf, type Row, recordsOf } from './table-rows.js';
import { blanked, endOfLine } from './text-range.js';

/** Rows that tell whether the first column names what stands beside it. */
const JUDGED_ROWS = 50;
const ONLY_LETTERS = /^\p{L}[\p{L}\s_.-]*$/u;

/** Of which form a text is. */
interface TableForm {
  /** What parts the cells where the whole text is one table; `MARKDOWN` for a text that may hold some. */
  readonly separator: string;
  /** Lines of equally many cells are a table, whatever parts these. */
  readonly isLoose: boolean;
}

/** Where tables state fields: columns below a name and cells beside one. A table of Markdown may stand anywhere in a text. */
export function tableFields(
  text: string,
  names: readonly string[],
  { separator, isLoose }: TableForm,
): StatedFields[] {
  const labelOf = labelReader(names);
  if (!labelOf.occursIn(text) && !(separator === MARKDOWN && text.includes('|') && occursApart(text, names)))
    return [];
  if (separator !== MARKDOWN) {
    // A table with other separators may follow.
    const others = [
      ...looseTables(
        text,
        labelOf,
        SEPARATORS.filter((each) => each !== separator),
      ),
    ];
    return [...inTable(recordsOf(text, separator), labelOf, new Map(), true), ...others];
  }
  let above: { readonly columns: Columns; readonly width: number | undefined } | undefined;
  const places: TextRange[] = [];
  const fenced = [...fencesOf(text)].filter(({ language }) => /^[ct]sv$/.test(language));
  const inFences = fenced.flatMap(({ start, end, language }) =>
    columnFields(recordsOf(text.slice(0, end), language === 'csv' ? ',' : '\t', start), labelOf),
  );
  const found = [...markdownTables(text)].flatMap(({ rows, isBelowOther }) => {
    const [{ length: width, 0: first } = []] = rows;
    const last = rows.at(-1)?.at(-1)?.end ?? 0;
    places.push({ start: text.lastIndexOf('\n', first?.start ?? 0) + 1, end: endOfLine(text, last) });
    // A sheet goes on below an empty row with the columns of what stands above it.
    const columns: Columns = new Map(isBelowOther && above?.width === width ? above?.columns : []);
    above = { columns, width };
    return [...inTable(rows, labelOf, columns)];
  });
  return isLoose ? [...found, ...inFences, ...looseTables(blanked(text, places), labelOf)] : found;
}

/** Whether all words of a name of several occur, which may stand below each other. */
export function occursApart(text: string, names: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return names.some((name) => {
    const words = name
      .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u);
    return words.length > 1 && words.every((word) => lower.includes(word));
  });
}

/** Where a table whose cells are known states fields. */
export const columnFields = (rows: Iterable<Row>, labelOf: Label): StatedFields[] => [
  ...inTable(rows, labelOf),
];

/** Lines of cells: columns below one that is a name, and what stands beside one in its line. */
function* looseTables(
  text: string,
  labelOf: Label,
  separators: readonly string[] = SEPARATORS,
): Generator<StatedFields> {
  const done = new Map<string, number>();
  let before = '';
  let start = 0;
  for (const line of text.split('\n')) {
    if (labelOf.occursIn(line)) {
      for (const separator of separators) {
        const isRead = (done.get(separator) ?? 0) > start;
        const cells = isRead || !line.includes(separator) ? [] : lineCells(line, separator, start);
        const at = cells.length < 2 ? -1 : cells.findIndex(({ text: cell }) => labelOf(cell).length > 0);
        if (at < 0) continue;
        const rows =
          lineCells(before, separator, 0).length === cells.length
            ? []
            : rowsBelow(text, { separator, cells, start: start + line.length + 1 });
        for (const row of rows)
          for (const [place, { text: name }] of cells.entries()) {
            const cell = row[place];
            const names = cell === undefined ? [] : labelOf(name);
            if (cell !== undefined && names.length > 0) yield { start: cell.start, end: cell.end, names };
          }
        done.set(separator, rows.at(-1)?.at(-1)?.end ?? 0);
        // Behind what it is of, in a row below others.
        const isBehind =
          at > 0 && at < cells.length - 1 && rows.length === 0 && (separator === '\t' || separator === ';');
        const isBeside = at === 0 && (separator !== ',' || cells.length === 2);
        const names = isBehind || isBeside ? labelOf(cells[at]?.text ?? '') : [];
        if (names.length > 0) yield { start: cells[at + 1]?.start ?? 0, end: cells.at(-1)?.end ?? 0, names };
      }
      // Blanks of other tables are in their cells.
      const aligned =
        separators !== SEPARATORS || line.includes('|')
          ? []
          : alignedBelow(text, line, {
              start,
              labelOf,
              isHeader: start >= (done.get(BLANKS) ?? 0),
            });
      for (const stated of aligned) {
        done.set(BLANKS, Math.max(stated.end, done.get(BLANKS) ?? 0));
        yield stated;
      }
    }
    if (!RULE.test(line)) before = line;
    start += line.length + 1;
  }
}

const BLANKS = '  ';
const SEPARATORS = ['\t', ';', '|', '│', '┃', '║', '¦', '!', '&', ','];

const lineCells = (line: string, separator: string, offset: number): Row =>
  separator === '|'
    ? cellsOf(line, offset)
    : line.includes(separator)
      ? [...(recordsOf(line, separator).next().value ?? [])].map((cell) => ({
          ...cell,
          start: cell.start + offset,
          end: cell.end + offset,
        }))
      : [];

/** As many cells as the line above has. */
function rowsBelow(
  text: string,
  { separator, cells, start }: { readonly separator: string; readonly cells: Row; readonly start: number },
): Row[] {
  const rows: Row[] = [];
  if (separator !== '|') {
    for (const row of recordsOf(text, separator, start)) {
      if (isEmptyRow(row) || (row.length === 1 && RULE.test(row[0]?.text ?? ''))) continue;
      if (row.length !== cells.length) break;
      rows.push(row);
    }
    return rows;
  }
  let from = start;
  for (; from < text.length; ) {
    const end = endOfLine(text, from);
    const line = text.slice(from, end);
    const row = cellsOf(line, from);
    // Rows of cells that stood in lines of their own have blank lines between them.
    const isNone = line.trim() === '' || RULE.test(line);
    if (!isNone && row.length !== cells.length) break;
    if (!isNone) rows.push(row);
    from = end + 1;
  }
  return rows;
}

/** Columns that blanks alone part: what stands below a name, up to the next one, and beside it. */
function* alignedBelow(
  text: string,
  line: string,
  {
    start,
    labelOf,
    isHeader,
  }: { readonly start: number; readonly labelOf: Label; readonly isHeader: boolean },
): Generator<StatedFields> {
  const cells = [...line.matchAll(ALIGNED)].map(({ 0: cell, index }) => ({
    cell,
    from: index,
    to: index + cell.length,
  }));
  if (cells.length < 2) return;
  const columns = cells.flatMap(({ cell, from, to }, at) => {
    const names = labelOf(cell);
    return names.length === 0
      ? []
      : [{ at, names, from, until: Math.max(to, (cells[at + 1]?.from ?? Infinity) - 1) }];
  });
  const [first] = columns;
  if (first?.at === 0)
    yield { start: start + (cells[1]?.from ?? 0), end: start + line.length, names: first.names };
  if (!isHeader || first === undefined) return;
  let place = start + line.length + 1;
  for (let count = 0; count < MOST_ALIGNED && place < text.length; count += 1) {
    const below = text.slice(place, endOfLine(text, place));
    if (below.trim() === '') break;
    let next = 0;
    for (const { 0: own, index } of below.matchAll(ALIGNED)) {
      while ((columns[next]?.until ?? Infinity) <= index) next += 1;
      for (let each = next; (columns[each]?.from ?? Infinity) < index + own.length; each += 1)
        if (!RULE.test(own))
          yield { start: place + index, end: place + index + own.length, names: columns[each]?.names ?? [] };
    }
    place += below.length + 1;
  }
}

/** Words with single blanks between them. */
const ALIGNED = /\S+(?: \S+)*/g;
const MOST_ALIGNED = 200;

/** Names of fields by the column that states them. */
type Columns = Map<number, readonly string[]>;

function* inTable(
  rows: Iterable<Row>,
  labelOf: Label,
  columns: Columns = new Map(),
  isFile = false,
): Generator<StatedFields> {
  /** Of each column what stands in the first rows, for a name that goes down over some of them. */
  const headings: string[] = [];
  /** Rows above are none, or titles of the table, which leave cells empty or stand in several. */
  let isHeader = true;
  let number = 0;
  let header: Row = [];
  let width = 0;
  let before = 0;
  for (const [row, { isNaming, isCard }] of judged(rows)) {
    // Below an empty row, or with other columns, another table may begin.
    const isEmpty = isEmptyRow(row);
    const isNext = row.length > 1 && width > 0 && row.length !== width && hasName(row, labelOf);
    if (isEmpty || isNext) {
      isHeader = true;
      number = 0;
    }
    if (isEmpty) continue;
    const isHeading = row.every((cell) => cell.isHeading === true);
    isHeader ||= isHeading;
    if (number === 0 && width > 0 && row.length > 1 && row.length !== width) columns.clear();
    if (row.length > 1) width = row.length;
    // The names of another table, right below the first or a title.
    const isAgain = isFile && !isHeader && (before === 1 || row[0]?.text === header[0]?.text);
    before = row.length;
    if (isHeader) header = row;
    yield* statedInRow(row, header, labelOf);
    /** Cells that a separator inside a value makes too many. */
    const extra = isHeader ? 0 : Math.max(0, row.length - header.length);
    /** Cells of several rows leave a row of Markdown fewer ones. */
    const missing = isHeader || isFile ? 0 : Math.max(0, header.length - row.length);
    const ahead = missing === 0 ? [] : [...columns.keys()].toSorted((a, b) => a - b);
    let next = 0;
    const hasValues = isHeader && isOfValues(row, labelOf);
    let beside: { readonly names: readonly string[]; readonly to: number } | undefined;
    /** The last column so far that has a name. */
    let named = -1;
    for (const [at, { text: written, start, end, said = '', isHeading: isOwn }] of row.entries()) {
      const text = written.replace(/<br\b[^<>]{0,40}>|&nbsp;/gi, ' ');
      if (columns.has(at)) named = at;
      const own = isHeader || isOwn === true ? labelOf.inHeading(`${text}|${said}`) : labelOf(text);
      const down = number < MOST_HEADINGS && own.length === 0 ? labelDown(headings[at], text, labelOf) : [];
      if (number < MOST_HEADINGS && text !== '') headings[at] = `${headings[at] ?? ''}\n${text}`;
      if (down.length > 0) columns.set(at, down);
      // What is more than the name may be read otherwise elsewhere.
      const isMore = labelOf(text).length === 0 || (own.some(isWorded) && !isLone(text, own));
      if (own.length > 0 && (isMore || (at === 0 && isCard))) yield { start, end, names: own };
      if (own.length > 0) {
        const isFirst = number === 0 || isHeading;
        if ((isFirst && !(at === 0 && isCard)) || ((isHeader || isAgain) && at > 0)) {
          columns.set(at, own);
          named = at;
        }
        // Pairs of names and values may stand side by side.
        const isPaired = at > 0 && at % 2 === 0 && row.length % 2 === 0;
        if (at === 0 && (!isFirst || isNaming)) beside = { names: own, to: row.length };
        else if (isPaired) beside = { names: own, to: at + 1 };
        else if (at > 0 && (!isHeader || hasValues)) beside = { names: own, to: row.length };
        continue;
      }
      while ((ahead[next] ?? Infinity) < at) next += 1;
      const later = ahead[next];
      const found = [
        ...(later !== undefined && later <= at + missing ? (columns.get(later) ?? []) : []),
        ...(named < 0 || named < at - extra ? [] : (columns.get(named) ?? [])),
        ...(beside !== undefined && at <= beside.to ? beside.names : []),
      ];
      if (found.length > 0 && text !== '') yield { start, end, names: [...new Set(found)] };
    }
    number += 1;
    const texts = row.map(({ text }) => text);
    isHeader &&= row.length === 1 || new Set(texts).size < row.length || texts.includes('');
  }
}

/** The names that a cell is the end of, with those above it. */
function labelDown(above: string | undefined, text: string, labelOf: Label): readonly string[] {
  if (above === undefined || text === '' || text.length + above.length > MAX_LABEL_LENGTH) return [];
  const words = `${above}\n${text}`.trim().split('\n');
  for (let from = words.length - 2; from >= 0; from -= 1) {
    const names = labelOf(words.slice(from).join(' '));
    if (names.length > 0) return names;
  }
  return [];
}

/** Whether nothing stands in a row. */
export const isEmptyRow = (row: Row): boolean => row.every(({ text }) => text === '');
const hasName = (row: Row, labelOf: Label): boolean => row.some(({ text }) => labelOf(text).length > 0);
/** Names of columns have no digits. */
const isOfValues = (row: Row, labelOf: Label): boolean =>
  row.some(({ text }) => /\d/.test(text) && labelOf(text).length === 0);

const NAMES =
  /^(?:[\p{L}\p{N}]+[ _-])?(?:field|attribute|attr|property|key|name|label|column|parameter|setting|fact)s?$/iu;
const VALUES = /value|^(?:val|v|old|new|from|to|before|after|was|is|now|data|content|text|answer)\b/i;

/** Of a table with a row for each field: `| Ann | Salary band | B7 |` below `| Person | Field | Value |`. */
function* statedInRow(row: Row, header: Row, labelOf: Label): Generator<StatedFields> {
  if (row === header) return;
  const names = row.flatMap(({ text }, at) => (NAMES.test(header[at]?.text ?? '') ? labelOf(text) : []));
  if (names.length === 0) return;
  for (const [at, { text, start, end }] of row.entries())
    if (text !== '' && VALUES.test(header[at]?.text ?? '')) yield { start, end, names };
}

/** What the first cells of rows are. Where a table is neither a card nor told to be none, what stands below a name and beside it goes. */
interface FirstCells {
  /** They may name what stands beside them. */
  readonly isNaming: boolean;
  /** They do, and nothing stands below them. */
  readonly isCard: boolean;
}

function firstCellsOf(rows: readonly Row[]): FirstCells {
  const filled = rows.filter((row) => !isEmptyRow(row));
  const cells = filled.map(([cell]) => (cell?.said ?? cell?.text ?? '').replace(/[*_`\\|]/g, '').trim());
  const below = cells.slice(1).filter((cell) => cell !== '');
  const arePairs = filled.every(({ length }) => length === 2);
  return {
    isNaming:
      new Set(below).size === below.length &&
      (arePairs || cells.slice(1).every((cell) => ONLY_LETTERS.test(cell))),
    isCard: filled.every(
      ([first, second], at) =>
        /[:：]$/.test(cells[at] ?? '') || (first?.isHeading === true && second?.isHeading !== true),
    ),
  };
}

/** Rows, with what their first cells are as far as they were judged. */
function* judged(rows: Iterable<Row>): Generator<readonly [Row, FirstCells]> {
  const first: Row[] = [];
  for (const row of rows) {
    if (first.length > JUDGED_ROWS) yield [row, { isNaming: false, isCard: false }];
    else if (first.push(row) > JUDGED_ROWS) yield* withCells(first);
  }
  if (first.length <= JUDGED_ROWS) yield* withCells(first);
}

function* withCells(rows: readonly Row[]): Generator<readonly [Row, FirstCells]> {
  const cells = firstCellsOf(rows);
  for (const row of rows) yield [row, cells];
}
