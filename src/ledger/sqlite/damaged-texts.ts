import { isUtf8 } from 'node:buffer';
import { bytesAt, text, textAt } from '../../platform/sqlite/row.js';
import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';

/** Rows whose texts are read as one value: the driver gives one large value far sooner than many small ones. */
const PAGE_ROWS = 32_768;

/**
 * Names the tables with a text that is no UTF-8. SQLite keeps any bytes as a text and its own checks see no fault in them, but
 * what they named can be found no more.
 */
export const damagedTexts = (database: SqliteDatabase, tables: readonly string[]): string[] =>
  tables.flatMap((table) =>
    holdsOnlyUtf8(database, table) ? [] : [`the table ${table} holds a text that is no UTF-8`],
  );

function holdsOnlyUtf8(database: SqliteDatabase, table: string): boolean {
  const columns = textColumns(database, table);
  if (columns.length === 0) return true;
  // A character between two texts keeps the end of one from being mended by the beginning of the next.
  const ofRow = columns.map((column) => `coalesce(${column}, '')`).join(" || ' ' || ");
  const sql = `SELECT ${text(`group_concat(texts, ' ')`)}, count(*)
    FROM (SELECT ${ofRow} AS texts FROM ${table} LIMIT ${PAGE_ROWS} OFFSET ?)`;
  for (let start = 0; ; start += PAGE_ROWS) {
    const row = database.row(sql, start) ?? [];
    if (row[0] !== null && !isUtf8(bytesAt(row, 0))) return false;
    if (row[1] !== PAGE_ROWS) return true;
  }
}

function textColumns(database: SqliteDatabase, table: string): string[] {
  const sql = `SELECT ${text('name')} FROM pragma_table_info(?) WHERE type = 'TEXT'`;
  return database.rows(sql, table).map((row) => textAt(row, 0));
}
