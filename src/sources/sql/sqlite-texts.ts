import { isUtf8 } from 'node:buffer';

/** In place of a text that is no UTF-8. It reads as its bytes, so that it is told from others. */
export class DamagedText {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  toString(): string {
    return this.#bytes.toString('hex');
  }
}

type Value = Readonly<Record<string, unknown>>;

/**
 * A query that gives the texts of another one as bytes, with their types: the driver ends the whole process where a text is no
 * UTF-8, so it must not read one.
 */
export function withTextsAsBytes(query: string, columns: number): string {
  const names = Array.from({ length: columns }, (_, i) => `c${i}`);
  const read = names.map(
    (name) => `CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) ELSE ${name} END AS ${name},
      typeof(${name}) = 'text' AS is_text_${name}`,
  );
  return `WITH rows_read(${names.join(', ')}) AS (${query}) SELECT ${read.join(', ')} FROM rows_read`;
}

/** A row of such a query as the other one would have given it. */
export function rowOfBytes(row: Value, columns: readonly string[]): Value {
  return Object.fromEntries(
    columns.map((column, i) => {
      const value = row[`c${i}`];
      if (Number(row[`is_text_c${i}`]) !== 1 || !(value instanceof ArrayBuffer)) return [column, value];
      const bytes = Buffer.from(value);
      return [column, isUtf8(bytes) ? bytes.toString('utf8') : new DamagedText(bytes)];
    }),
  );
}
