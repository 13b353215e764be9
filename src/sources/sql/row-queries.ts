import { type RawBuilder, sql } from 'kysely';
import { RAGError } from '../../core/errors.js';
import type { RowMapping } from './row-mapping.js';
import type { Row } from './row-template.js';
import type { SqlConnection, SqlTransaction } from './sql-database.js';
import { DamagedText } from './sqlite-texts.js';

/** Values of the key columns, as the database gave them or as texts that it understands. */
export type RowKey = readonly unknown[];

/** A row of a listing: its key, the text of `updatedAt`, and the columns asked for. */
export interface KeyedRow {
  readonly id: string;
  readonly key: RowKey;
  /** Absent without `updatedAt`, null where the column is. */
  readonly stamp?: string | null;
  readonly row: Row;
}

/** Statements over one table or query. Names are quoted, values bound, nothing else of the configuration becomes SQL but `query`. */
export class RowQueries {
  readonly #from: RawBuilder<unknown>;
  readonly #key: readonly RawBuilder<unknown>[];
  readonly #mapping: RowMapping;
  readonly #dialect: SqlConnection['dialect'];
  readonly #source: string;

  /** @throws RAGError `CONFIG_INVALID` where not exactly one of `table` and `query` is given. */
  constructor(
    origin: { readonly table?: string | undefined; readonly query?: string | undefined },
    mapping: RowMapping,
    { source, dialect }: { readonly source: string; readonly dialect: SqlConnection['dialect'] },
  ) {
    this.#from = fromOf(origin, source);
    assertNotRows([...mapping.columns, ...mapping.key], source);
    this.#key = mapping.key.map((column) => sql.id(column));
    this.#mapping = mapping;
    this.#dialect = dialect;
    this.#source = source;
  }

  /** The rows after a key in key order, at most `limit`. A limit is always bound, so that the server takes one statement alone. */
  async page(
    transaction: SqlTransaction,
    { after, limit, columns }: { after: RowKey | undefined; limit: number; columns: readonly string[] },
  ): Promise<KeyedRow[]> {
    const names = sql.join(this.#key);
    const where =
      after === undefined
        ? sql``
        : sql`where (${names}) > (${sql.join(after.map((value) => sql.val(value)))})`;
    const query = sql<Row>`select ${this.#selection(columns)} from ${this.#from} ${where} order by ${names} limit ${limit}`;
    return (await query.execute(transaction)).rows.map((row) => this.#keyed(row));
  }

  /** The rows with these keys, in no order. */
  async byKeys(transaction: SqlTransaction, keys: readonly RowKey[]): Promise<KeyedRow[]> {
    const conditions = keys.map((key) =>
      sql.join(
        this.#key.map((name, index) => sql`${name} = ${key[index]}`),
        sql` and `,
      ),
    );
    const where = sql.join(
      conditions.map((condition) => sql`(${condition})`),
      sql` or `,
    );
    const query = sql<Row>`select ${this.#selection(this.#mapping.columns)} from ${this.#from} where ${where} limit ${keys.length + 1}`;
    return (await query.execute(transaction)).rows.map((row) => this.#keyed(row));
  }

  /** How many rows cannot be told apart because a key column is null. */
  async countWithoutKey(transaction: SqlTransaction): Promise<number> {
    const isNull = sql.join(
      this.#key.map((name) => sql`${name} is null`),
      sql` or `,
    );
    const query = sql<Row>`select count(*) as n from ${this.#from} where ${isNull} limit ${1}`;
    return Number((await query.execute(transaction)).rows[0]?.n ?? 0);
  }

  #selection(columns: readonly string[]): RawBuilder<unknown> {
    const { updatedAt } = this.#mapping;
    // SQLite compares by the type of a value, so its keys go back as they came; PostgreSQL reads the text of any type.
    const keys = this.#key.map((name, index) =>
      this.#dialect === 'sqlite'
        ? sql`${name} as ${sql.id(keyAlias(index))}`
        : sql`cast(${name} as text) as ${sql.id(keyAlias(index))}`,
    );
    const stamp =
      updatedAt === undefined ? [] : [sql`cast(${sql.id(updatedAt)} as text) as ${sql.id(STAMP)}`];
    return sql.join([...keys, ...stamp, ...columns.map((column) => sql.id(column))]);
  }

  #keyed(row: Row): KeyedRow {
    const key = this.#key.map((_, index) => row[keyAlias(index)]);
    if (key.some((part) => part instanceof DamagedText))
      throw new RAGError(
        'SOURCE_UNREADABLE',
        `Source "${this.#source}": a row has a key that is not UTF-8 (its bytes are ${key.join(', ')}). Write it again, or leave the row out with \`query\`. What was indexed of it is kept.`,
      );
    const stamp = row[STAMP];
    return {
      id: idOfKey(key),
      key,
      ...(stamp === undefined ? {} : { stamp: stamp === null ? null : String(stamp) }),
      row,
    };
  }
}

/** What the rows are called together. PostgreSQL takes a name of a table for the whole row where no column has it. */
const ROWS = 'ragstone:rows';
const STAMP = 'ragstone:stamp';
const keyAlias = (index: number): string => `ragstone:key${index}`;

/** `BUG-1`; of several columns `BUG-1:7`, with `:` and `%` in their values as in a URL, so that no two keys share an id. */
export const idOfKey = (key: RowKey): string =>
  key.length === 1
    ? String(key[0])
    : key.map((part) => String(part).replaceAll('%', '%25').replaceAll(':', '%3A')).join(':');

/** The key that an id was made of, as texts. */
export const keyOfId = (id: string, columns: number): RowKey =>
  columns === 1 ? [id] : id.split(':').map((part) => part.replaceAll('%3A', ':').replaceAll('%25', '%'));

function assertNotRows(columns: readonly string[], source: string): void {
  if (!columns.includes(ROWS)) return;
  throw new RAGError(
    'CONFIG_INVALID',
    `Source "${source}": "${ROWS}" is what Ragstone calls the rows together, and no column. Name the columns that a document is made of.`,
    { details: { source, key: 'text' } },
  );
}

function fromOf(
  { table, query }: { table?: string | undefined; query?: string | undefined },
  source: string,
): RawBuilder<unknown> {
  if ((table === undefined) === (query === undefined))
    throw new RAGError(
      'CONFIG_INVALID',
      `Source "${source}" needs one of \`table\` and \`query\`${table === undefined ? '' : ', not both'}.`,
      { details: { source, key: 'table' } },
    );
  if (query !== undefined) return sql`(${sql.raw(singleStatement(query, source))}) as ${sql.id(ROWS)}`;
  return sql`${sql.id(...(table ?? '').split('.'))} as ${sql.id(ROWS)}`;
}

/** Quoted texts and names (SQL, and PostgreSQL's dollar quotes), and comments. */
const QUOTED_OR_COMMENT = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\//g;

/** A query without comments and final semicolon. SQLite would run the first of several statements and ignore our paging. */
function singleStatement(query: string, source: string): string {
  const bare = query.replaceAll(QUOTED_OR_COMMENT, (part) => (/^(?:--|\/\*)/.test(part) ? ' ' : part));
  const statement = bare.trim().replace(/;$/, '');
  if (!statement.replaceAll(QUOTED_OR_COMMENT, '').includes(';')) return statement;
  throw new RAGError(
    'CONFIG_INVALID',
    `Source "${source}": \`query\` must be one SELECT, without a semicolon inside.`,
    {
      details: { source, key: 'query' },
    },
  );
}
