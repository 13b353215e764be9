import Table from 'cli-table3';
import type { CliContext } from '../context.js';

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

/** Rows under a head, in columns; `numeric` columns are flush right. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  { context, numeric = [] }: { readonly context: CliContext; readonly numeric?: readonly number[] },
): string {
  const table = new Table({
    head: head.map((title) => context.colours.bold(title)),
    chars: PLAIN,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colAligns: head.map((_, column) => (numeric.includes(column) ? 'right' : 'left')),
  });
  table.push(...rows.map((row) => row.map(String)));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
