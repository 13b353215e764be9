export type Dialect = 'sqlite' | 'postgres';

/**
 * How a column is kept. `text`: any text, escaped. `word`: text that needs no escape: a hash, a state, a time. `json`: bytes in SQLite, text in
 * PostgreSQL. `key`: a name that rows are found by, of which PostgreSQL keeps the hash.
 */
export type ColumnType = 'bigint' | 'integer' | 'boolean' | 'text' | 'word' | 'json' | 'bytes' | 'key';

/** A name, or what a database keeps in place of it. */
export type Key = string | Buffer;

interface TypeValues {
  readonly bigint: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly text: string;
  readonly word: string;
  readonly json: string;
  readonly bytes: Uint8Array;
  readonly key: Key;
}

/** Name or expression; by database where they differ, null where one has no such column. */
type Spelling = string | Readonly<Record<Dialect, string | null>>;

export interface Column<Type extends ColumnType = ColumnType, Optional extends boolean = boolean> {
  readonly type: Type;
  readonly spelling: Spelling;
  readonly isOptional: Optional;
}

/** By the names that programs use. */
export type Columns = Readonly<Record<string, Column>>;

/** A row as programs see it; null is undefined there. */
export type RowOf<Of extends Columns> = {
  readonly [Name in keyof Of]: Of[Name] extends Column<infer Type, infer Optional>
    ? TypeValues[Type] | (true extends Optional ? undefined : never)
    : never;
};

const column =
  <Type extends ColumnType>(type: Type) =>
  (spelling: Spelling): Column<Type, false> => ({ type, spelling, isOptional: false });

export const bigint = column('bigint');
export const integer = column('integer');
export const boolean = column('boolean');
export const text = column('text');
export const word = column('word');
export const json = column('json');
export const bytes = column('bytes');
export const key = column('key');

export const optional = <Type extends ColumnType>(of: Column<Type>): Column<Type, true> => ({
  ...of,
  isOptional: true,
});

export interface SpelledColumn extends Column {
  readonly name: string;
  readonly spelled: string;
}

/** Those that a database has, in their order. */
const columnsIn = (columns: Columns, dialect: Dialect): SpelledColumn[] =>
  Object.entries(columns).flatMap(([name, of]) => {
    const spelled = typeof of.spelling === 'string' ? of.spelling : of.spelling[dialect];
    return spelled === null ? [] : [{ ...of, name, spelled }];
  });

/** What a database makes of columns, once. */
export function madeOf<Made>(
  dialect: Dialect,
  make: (columns: readonly SpelledColumn[]) => Made,
): (columns: Columns) => Made {
  const known = new WeakMap<Columns, Made>();
  return (columns) => {
    const made = known.get(columns) ?? make(columnsIn(columns, dialect));
    known.set(columns, made);
    return made;
  };
}
