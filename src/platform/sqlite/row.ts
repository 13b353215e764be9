import { isUtf8 } from 'node:buffer';
import { SqliteValueError } from './sqlite-fault.js';

/** One row, its columns in the order of the query. */
export type SqlRow = readonly unknown[];

/**
 * The text of a column in a query, as bytes for `textAt`: the driver ends the whole process where a text is not UTF-8, so none
 * may read one itself (`SqliteDatabase` refuses such a query).
 */
export const text = (column: string): string => `CAST(${column} AS BLOB)`;

/** What `text` selected. Throws `SqliteValueError` where it holds something else. */
export function textAt(row: SqlRow, column: number): string {
  return textOf(bytesAt(row, column), column);
}

/** Bytes as text. Throws `SqliteValueError` where they are not UTF-8. */
export function textOf(bytes: Buffer, column: number): string {
  if (!isUtf8(bytes)) throw new SqliteValueError('text in UTF-8', column);
  return bytes.toString('utf8');
}

export function numberAt(row: SqlRow, column: number): number {
  const value = row[column];
  if (typeof value !== 'number') throw new SqliteValueError('a number', column);
  return value;
}

export function bytesAt(row: SqlRow, column: number): Buffer {
  const value = row[column];
  if (!Buffer.isBuffer(value)) throw new SqliteValueError('bytes', column);
  return value;
}

// libSQL cuts a text value at its first NUL when it reads it back. NUL and the escape character itself are therefore
// written as two characters, in a way that keeps the order of texts.
const ESCAPE = '\u0001';
const NEEDS_ESCAPE = new RegExp(`[\\0${ESCAPE}]`, 'g');
const NEEDS_UNESCAPE = new RegExp(`${ESCAPE}([${ESCAPE}\\u0002])`, 'g');

/** Text as it can be stored in a column; one to one and order-preserving. */
export function storableText(text: string): string {
  return text.replace(NEEDS_ESCAPE, (character) => ESCAPE + (character === '\0' ? ESCAPE : '\u0002'));
}

/** Inverse of `storableText`. */
export function originalText(stored: string): string {
  return stored.includes(ESCAPE)
    ? stored.replace(NEEDS_UNESCAPE, (_, mark: string) => (mark === ESCAPE ? '\0' : ESCAPE))
    : stored;
}
