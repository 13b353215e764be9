import Table from 'cli-table3';
import type { CliContext } from '../context.js';
import { widestLine, widestWord, wrapText } from './wrap.js';

// Lines under the head only: the rest is white space, so that a table can be copied and grepped.
const PLAIN = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

const GAP = PLAIN.middle.length;
const HANG = 4;

/**
 * Rows under a head, in columns; `numeric` columns are flush right. Where the terminal is too narrow, cells wrap between words; where
 * not even that is enough, each row is a line of its own that wraps.
 */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  { context, numeric = [] }: { readonly context: CliContext; readonly numeric?: readonly number[] },
): string {
  const cells = rows.map((row) => row.map(String));
  const { width } = context.out;
  const columns = head.map((title, column) => [title, ...cells.map((row) => row[column] ?? '')]);
  const widths = fitColumns(columns, width - GAP * (head.length - 1));
  if (widths === undefined) return wrapText(joinRows(head, cells), width, HANG);
  const table = new Table({
    head: head.map((title) => context.colours.bold(title)),
    chars: PLAIN,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colAligns: head.map((_, column) => (numeric.includes(column) ? 'right' : 'left')),
    colWidths: widths,
    wordWrap: true,
  });
  table.push(...cells);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Widths with which no word is broken, the widest columns narrowed first; undefined where there is too little room. */
function fitColumns(columns: readonly (readonly string[])[], room: number): number[] | undefined {
  const widths = columns.map((cells) => Math.max(...cells.map(widestLine)));
  const least = columns.map((cells) => Math.max(...cells.map(widestWord)));
  for (let excess = sum(widths) - room; excess > 0; excess--) {
    const widest = Math.max(...widths.filter((width, column) => width > (least[column] ?? 0)));
    const column = widths.findIndex((width, at) => width === widest && width > (least[at] ?? 0));
    if (column < 0) return undefined;
    widths[column] = widest - 1;
  }
  return widths;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The first cell names the row, the others say what they are. */
const joinRows = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 || (head[column] ?? '') === '' ? cell : `${head[column]}: ${cell}`,
        )
        .filter((cell, column) => row[column] !== '' && cell !== '')
        .join('  '),
    )
    .join('\n');
