/*
 * SQL that both databases of a ledger take. `@name` in it is the table of that name; a value in `${}` is bound unless it is a fragment. Where
 * the databases differ there is a fragment, so that no statement is written twice.
 */

export type Dialect = 'sqlite' | 'postgres';

/**
 * How a column is kept. `text`: any text, escaped. `word`: text that needs no escape: a hash, a state, a time. `json`: bytes in SQLite, text in
 * PostgreSQL. `key`: a name that rows are found by, of which PostgreSQL keeps the hash.
 */
export type ColumnType = 'bigint' | 'integer' | 'boolean' | 'text' | 'word' | 'json' | 'bytes' | 'key';

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
  oneOf(type: 'bigint' | 'word' | 'key', values: readonly (string | number)[]): string;
  selected(type: ColumnType, spelling: string, name: string): string;
}

export type Sql = (writer: SqlWriter) => string;

export const sql =
  (texts: readonly string[], ...values: readonly (Bound | Sql)[]): Sql =>
  (writer) =>
    texts
      .map((text, at) => {
        const value = values[at];
        if (value === undefined) return writer.text(text);
        return writer.text(text) + (typeof value === 'function' ? value(writer) : writer.bind(value));
      })
      .join('');

export const NOTHING: Sql = () => '';

/** A name that is known where the program is written, of a table with its `@`. */
export const raw =
  (text: string): Sql =>
  (writer) =>
    writer.text(text);

/** What each of the databases calls in its own way. */
export const spelled =
  (spelling: Readonly<Record<Dialect, string>>): Sql =>
  ({ dialect }) =>
    spelling[dialect];

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

/** Holds the rows that are read until the transaction ends. In SQLite nobody else writes before that. */
export const FOR_UPDATE = spelled({ sqlite: '', postgres: 'FOR UPDATE' });
