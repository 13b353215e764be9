import type { SaxesParser } from 'saxes';
import { RAGError } from '../../core/errors.js';
import type { TextRoom } from '../text-room.js';
import { type NumberForm, PLAIN_NUMBER, shownNumber } from './number-formats.js';

/** What cells refer to. */
export interface SheetFacts {
  /** Without blanks around them. */
  readonly strings: readonly string[];
  readonly forms: readonly NumberForm[];
  readonly epoch: 1900 | 1904;
}

export interface Sheet {
  /** Texts of cells by column, from 0, of the rows that hold any, by row. */
  readonly rows: ReadonlyMap<number, ReadonlyMap<number, string>>;
  /** Formulas of which the file does not hold what they come to. */
  readonly formulas: number;
  /** Cells behind the last that is read. */
  readonly left: number;
  /** Rows and columns that are hidden and hold something. */
  readonly hidden: number;
  /** Those of them that are rows: the rows around one follow each other. */
  readonly hiddenRows: ReadonlySet<number>;
}

/** Cells of a sheet that are read. */
export const MAX_CELLS = 500_000;
/** Cells that take over the value of a merged one. */
const MAX_MERGED = 20_000;

/**
 * Cells of a sheet, in one pass over its XML, of which nothing else is kept.
 *
 * @param room for the text of its cells
 * @throws `DOCUMENT_INVALID` for what is not well-formed; what `room` throws
 */
export async function readSheet(xml: string, facts: SheetFacts, room: TextRoom): Promise<Sheet> {
  const { SaxesParser: Parser } = await import('saxes');
  const rows = new Map<number, Map<number, string>>();
  let [read, left, formulas, row] = [0, 0, 0, -1];
  let cell: OpenCell | undefined;
  let column = -1;
  let text: string | undefined;
  const merged: string[] = [];
  const hiddenColumns: { readonly first: number; readonly last: number }[] = [];
  const hiddenRows = new Set<number>();
  const filledHiddenColumns = new Set<number>();
  let isHiddenRow = false;
  const isHiddenColumn = (): boolean =>
    hiddenColumns.some(({ first, last }) => first <= column && column <= last);
  const parser: SaxesParser = new Parser({ xmlns: false, fragment: true });
  parser.on('opentag', ({ name: tag, attributes }) => {
    const local = tag.slice(tag.indexOf(':') + 1);
    if (local === 'row') {
      row = attributes.r === undefined ? row + 1 : Number(attributes.r) - 1;
      column = -1;
      isHiddenRow = isTrue(attributes.hidden);
    } else if (local === 'col') {
      if (isTrue(attributes.hidden))
        hiddenColumns.push({ first: Number(attributes.min) - 1, last: Number(attributes.max) - 1 });
    } else if (local === 'c') {
      column = attributes.r === undefined ? column + 1 : columnOf(attributes.r);
      cell = { type: attributes.t ?? 'n', style: Number(attributes.s ?? 0), value: '', hasFormula: false };
    } else if (local === 'v' || local === 't') text = '';
    else if (local === 'f' && cell !== undefined) cell.hasFormula = true;
    else if (local === 'mergeCell') merged.push(attributes.ref ?? '');
  });
  parser.on('text', (part) => {
    if (text !== undefined) text += part;
  });
  parser.on('closetag', ({ name: tag }) => {
    const local = tag.slice(tag.indexOf(':') + 1);
    if ((local === 'v' || local === 't') && cell !== undefined) {
      cell.value += text ?? '';
      text = undefined;
    } else if (local === 'c' && cell !== undefined) {
      const shown = shownValue(cell, facts);
      const isEmpty = shown === '' && !cell.hasFormula;
      if (!isEmpty && isHiddenRow) hiddenRows.add(row);
      else if (!isEmpty && isHiddenColumn()) filledHiddenColumns.add(column);
      else if (shown === '' && cell.hasFormula) formulas += 1;
      else if (shown !== '') {
        read += 1;
        if (read > MAX_CELLS) left += 1;
        else {
          room.take(shown.length);
          rows.set(row, (rows.get(row) ?? new Map<number, string>()).set(column, shown));
        }
      }
      cell = undefined;
    }
  });
  parser.on('error', (cause) => {
    throw new RAGError(
      'DOCUMENT_INVALID',
      `"${room.name}" holds a sheet that cannot be read. Save it again, or exclude it.`,
      { cause },
    );
  });
  parser.write(xml.replace(/^\s*<\?xml[^>]*\?>/, '')).close();
  fillMerged(rows, merged, room);
  return { rows, formulas, left, hidden: hiddenRows.size + filledHiddenColumns.size, hiddenRows };
}

const isTrue = (value: string | undefined): boolean => /^(?:1|true)$/.test(value ?? '');

interface OpenCell {
  readonly type: string;
  readonly style: number;
  value: string;
  hasFormula: boolean;
}

function shownValue({ type, style, value }: OpenCell, { strings, forms, epoch }: SheetFacts): string {
  if (type === 's') return strings[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (type === 'n') return shownNumber(value.trim(), forms[style] ?? PLAIN_NUMBER, epoch);
  return value.trim();
}

/** Column of a reference such as `AB12`, from 0. */
export const columnOf = (reference: string): number =>
  [...(/^[A-Z]{1,3}/i.exec(reference)?.[0].toUpperCase() ?? 'A')].reduce(
    (sum, letter) => sum * 26 + letter.charCodeAt(0) - 64,
    0,
  ) - 1;

/** The row before one, hidden rows aside. */
export function rowBefore(row: number, { hiddenRows }: Pick<Sheet, 'hiddenRows'>): number {
  let before = row - 1;
  while (hiddenRows.has(before)) before -= 1;
  return before;
}

export const rowOf = (reference: string): number => Number(/\d+$/.exec(reference)?.[0] ?? 1) - 1;

/** Each cell of a merged range says what its first one says. */
function fillMerged(rows: Map<number, Map<number, string>>, ranges: readonly string[], room: TextRoom): void {
  let left = MAX_MERGED;
  for (const range of ranges) {
    const [first = '', last = first] = range.split(':');
    const value = rows.get(rowOf(first))?.get(columnOf(first));
    const [bottom, right] = [rowOf(last), columnOf(last)];
    if (value === undefined || (bottom - rowOf(first) + 1) * (right - columnOf(first) + 1) > left) continue;
    for (let row = rowOf(first); row <= bottom; row += 1)
      for (let column = columnOf(first); column <= right; column += 1) {
        left -= 1;
        room.take(value.length);
        rows.set(row, (rows.get(row) ?? new Map<number, string>()).set(column, value));
      }
  }
}
