import { keyOf, storableText } from '../ledger-text.js';
import type { Column, Columns, Dialect, Key } from './columns.js';

/*
 * SQL that both databases of a ledger take. `@name` in it is the table of that name; a value in `${}` is bound unless it is a fragment. Where
 * the databases differ there is a fragment, so that no statement is written twice.
 */

export type Bound = string | number | Uint8Array | null;

/** Makes the text of one statement, and gathers its parameters. */
export interface SqlWriter {
  readonly dialect: Dialect;
  /** Static text, with the names of tables. */
  text(text: string): string;
  /** Takes a parameter; returns what stands for it. */
  bind(value: Bound): string;
  /** A name as columns of `key` hold it. */
  key(name: string): string;
  /** What `each` is at. */
  given(): string;
  /** Whether what stands before it is one of these. */
  oneOf(type: 'bigint' | 'word' | 'key', values: readonly (Key | number)[]): string;
  /** Columns to select. */
  list(columns: Columns): string;
}

export type Sql = (writer: SqlWriter) => string;

export const sql =
  (texts: readonly string[], ...values: readonly (Bound | Sql)[]): Sql =>
  (writer) => {
    let written = '';
    for (const [at, text] of texts.entries()) {
      const value = values[at];
      written += writer.text(text);
      if (value !== undefined) written += typeof value === 'function' ? value(writer) : writer.bind(value);
    }
    return written;
  };

export const NOTHING: Sql = () => '';

/** What a `SELECT` lists. */
export const listOf =
  (columns: Columns): Sql =>
  (writer) =>
    writer.list(columns);

export const nameOf = ({ spelling }: Column): Sql =>
  typeof spelling === 'string' ? raw(spelling) : ({ dialect }) => spelling[dialect] ?? '';

/** A name that is known where the program is written, of a table with its `@`. */
export const raw =
  (text: string): Sql =>
  (writer) =>
    writer.text(text);

/** What each of the databases says in its own way. */
export const spelled =
  (spelling: Readonly<Record<Dialect, string | Sql>>): Sql =>
  (writer) => {
    const own = spelling[writer.dialect];
    return typeof own === 'string' ? writer.text(own) : own(writer);
  };

export const key =
  (name: string): Sql =>
  (writer) =>
    writer.key(name);

export const GIVEN: Sql = (writer) => writer.given();

export const oneOf =
  (...[type, values]: Parameters<SqlWriter['oneOf']>): Sql =>
  (writer) =>
    writer.oneOf(type, values);

/** Documents and chunks are found by their names in SQLite, by hashes of them in PostgreSQL, whose indexes take no long names. */
export const DOCUMENT_KEY = spelled({ sqlite: 'document_id', postgres: 'document_key' });
export const CHUNK_KEY = spelled({ sqlite: 'chunk_id', postgres: 'chunk_key' });

export const TENANT_KEY = spelled({ sqlite: 'tenant', postgres: 'tenant_key' });
export const REVISION_KEY = spelled({ sqlite: 'revision', postgres: 'revision_key' });

/** Nobody deletes the rows that are read before the transaction ends. */
export const FOR_KEY_SHARE = spelled({ sqlite: '', postgres: 'FOR KEY SHARE' });

/** Holds the rows that are read until the transaction ends. In SQLite nobody else writes before that. */
export const FOR_UPDATE = spelled({ sqlite: '', postgres: 'FOR UPDATE' });

/** Whether a row is of a source. */
export const isOfSource = (tenant: string, source: string): Sql =>
  spelled({
    sqlite: sql`tenant = ${storableText(tenant)} AND source = ${storableText(source)}`,
    postgres: sql`source_key = ${keyOf(tenant, source)}`,
  });

/** Whether a row is of one of some sources. */
export const isOfSources = (tenant: string, sources: readonly string[]): Sql =>
  spelled({
    sqlite: sql`tenant = ${storableText(tenant)} AND source ${oneOf('key', sources)}`,
    postgres: sql`source_key ${oneOf(
      'key',
      sources.map((source) => keyOf(tenant, source)),
    )}`,
  });

/** Whether a row is of one of some items of a source. */
export const isOfItems = (tenant: string, source: string, itemIds: readonly string[]): Sql =>
  spelled({
    sqlite: sql`${isOfSource(tenant, source)} AND item_id ${oneOf('key', itemIds)}`,
    postgres: sql`item_key ${oneOf(
      'key',
      itemIds.map((itemId) => keyOf(tenant, source, itemId)),
    )}`,
  });

/** Whether a text ends with another one. */
export const endsWith = (whole: Sql, end: Sql): Sql =>
  spelled({
    sqlite: sql`substr(${whole}, -length(${end})) = ${end}`,
    postgres: sql`right(${whole}, length(${end})) = ${end}`,
  });

/** A condition that follows others. */
export const after = (column: string, page: { readonly after?: string | undefined }): Sql =>
  page.after === undefined ? NOTHING : sql` AND ${raw(column)} > ${storableText(page.after)}`;

/** A page in the order of ids; an index of PostgreSQL has their first characters. */
export function pageOf(column: string, { limit, ...from }: Page): Sql {
  const given = from.after === undefined ? undefined : storableText(from.after);
  const order = spelled({ sqlite: column, postgres: `left(${column}, 128), ${column}` });
  const later = spelled({
    sqlite: sql`${raw(column)} > ${given ?? ''}`,
    postgres: sql`(left(${raw(column)}, 128), ${raw(column)}) > (left(${given ?? ''}, 128), ${given ?? ''})`,
  });
  return sql`${given === undefined ? NOTHING : sql`AND ${later}`} ORDER BY ${order} LIMIT ${limit}`;
}

export interface Page {
  readonly limit: number;
  readonly after?: string | undefined;
}
