import { RAGError } from '../../core/errors.js';
import type { SqlRow } from '../../platform/postgres/postgres-session.js';
import { originalText } from '../ledger-text.js';

/** Text of a column as it was handed in. Throws `INDEX_DAMAGED` where it holds something else. */
export const textOf = (row: SqlRow, column: string): string => originalText(storedTextOf(row, column));

export const optionalTextOf = (row: SqlRow, column: string): string | undefined =>
  row[column] === null ? undefined : textOf(row, column);

/** Text of a column that is never escaped: JSON, states, times. */
export function storedTextOf(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw damaged(column);
  return value;
}

/** A number of a column; a bigint, which the driver gives as text, too. */
export function numberOf(row: SqlRow, column: string): number {
  const value = row[column];
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number)) throw damaged(column);
  return number;
}

export function bytesOf(row: SqlRow, column: string): Buffer {
  const value = row[column];
  if (!Buffer.isBuffer(value)) throw damaged(column);
  return value;
}

/** The one of `values` that a column holds. */
export function oneOf<T extends string>(row: SqlRow, column: string, values: readonly T[]): T {
  const text = storedTextOf(row, column);
  const value = values.find((candidate) => candidate === text);
  if (value === undefined) throw damaged(column);
  return value;
}

const damaged = (column: string): RAGError =>
  new RAGError(
    'INDEX_DAMAGED',
    `Column "${column}" of the PostgreSQL ledger holds a value of another type than it was made for. Run \`ragstone index --force\` to build the index anew from its sources.`,
  );
