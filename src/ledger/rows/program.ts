import type { Columns, Key, RowOf } from './columns.js';
import { listOf, NOTHING, type Sql, sql } from './sql.js';

/*
 * Work on a ledger, whichever database keeps it: a generator that yields one statement after another and gets its answer. SQLite answers all
 * of them in one turn, since its transactions belong to a connection that others use too; PostgreSQL waits for the server in between.
 */

export type Program<Result> = Generator<Step, Result, Answer>;

export type Step =
  | { readonly kind: 'run'; readonly sql: Sql }
  | { readonly kind: 'rows'; readonly sql: Sql; readonly columns: Columns }
  | EachStep
  | InsertStep;

/** The same query for each of some names or bytes, which it calls `GIVEN`. */
export interface EachStep {
  readonly kind: 'each';
  readonly given: readonly Key[];
  readonly sql: Sql;
  readonly columns: Columns;
}

export interface InsertStep {
  readonly kind: 'insert';
  readonly table: string;
  readonly columns: Columns;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** `ON CONFLICT ...`, without parameters. */
  readonly end: Sql;
}

export interface Answer {
  /** By the names of the step's columns; those of `each` say by `place` which of the given ones it was. */
  readonly rows: readonly unknown[];
  /** Rows that were changed. */
  readonly count: number;
}

/** A database that runs programs; `action` completes "could not ...". */
export interface ProgramRunner {
  read<Result>(action: string, program: () => Program<Result>): Promise<Result>;
  /** The same where several statements are to see one moment. */
  snapshot<Result>(action: string, program: () => Program<Result>): Promise<Result>;
  /** All or nothing. */
  transaction<Result>(action: string, program: () => Program<Result>): Promise<Result>;
}

/** Says how many rows were changed. */
export function* run(statement: Sql): Program<number> {
  return (yield { kind: 'run', sql: statement }).count;
}

/** @param rest what follows the columns: `FROM ...` */
export function* select<Of extends Columns>(columns: Of, rest: Sql): Program<readonly RowOf<Of>[]> {
  const { rows } = yield { kind: 'rows', columns, sql: sql`SELECT ${listOf(columns)} ${rest}` };
  return rows as RowOf<Of>[];
}

/** The rows that a statement changes. */
export function* returning<Of extends Columns>(columns: Of, statement: Sql): Program<readonly RowOf<Of>[]> {
  const { rows } = yield { kind: 'rows', columns, sql: sql`${statement} RETURNING ${listOf(columns)}` };
  return rows as RowOf<Of>[];
}

/** In the order of what is given, and for each in that of the query. */
export function* each<Of extends Columns>(
  given: readonly Key[],
  columns: Of,
  rest: Sql,
): Program<readonly (RowOf<Of> & { readonly place: number })[]> {
  if (given.length === 0) return [];
  const { rows } = yield { kind: 'each', given, columns, sql: sql`SELECT ${listOf(columns)} ${rest}` };
  return rows as (RowOf<Of> & { readonly place: number })[];
}

/** @param columns in place of those that the rows may have besides */
export function* insert<Of extends Columns>(
  table: string,
  columns: Of,
  rows: readonly RowOf<Of>[],
  end: Sql = NOTHING,
): Program<void> {
  if (rows.length > 0) yield { kind: 'insert', table, columns, rows, end };
}
