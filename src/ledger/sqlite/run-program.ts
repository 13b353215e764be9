import { bytesAt, numberAt, type SqlRow, text, textAt, textOf } from '../../sqlite/row.js';
import type { SqliteDatabase, SqlValue } from '../../sqlite/sqlite-database.js';
import { originalText, storableText } from '../ledger-text.js';
import { type Columns, columnsIn, type SpelledColumn } from '../rows/columns.js';
import type { Answer, EachStep, InsertStep, Program, ProgramRunner, Step } from '../rows/program.js';
import type { Bound, ColumnType, Sql, SqlWriter } from '../rows/sql.js';

/** Runs a program in one turn, inside the transaction that is open if one is. */
export function runProgram<Result>(database: SqliteDatabase, program: Program<Result>): Result {
  for (let step = program.next(); ; ) {
    if (step.done === true) return step.value;
    step = program.next(answerOf(database, step.value));
  }
}

export const sqlitePrograms = (database: SqliteDatabase): ProgramRunner => ({
  read: async (_, program) => database.snapshot(() => runProgram(database, program())),
  transaction: async (_, program) => database.transaction(() => runProgram(database, program())),
});

function answerOf(database: SqliteDatabase, step: Step): Answer {
  if (step.kind === 'insert') return insertRows(database, step);
  if (step.kind === 'each') return { rows: rowsOfEach(database, step), count: 0 };
  const { text: statement, parameters } = written(step.sql);
  if (step.kind === 'run') return { rows: [], count: database.run(statement, ...parameters()) };
  const rows = database.rows(statement, ...parameters());
  return { rows: rows.map(readerOf(step.columns)), count: rows.length };
}

function rowsOfEach(database: SqliteDatabase, { given, sql, columns }: EachStep): unknown[] {
  const { text: statement, parameters } = written(sql);
  const read = readerOf(columns);
  return given.flatMap((value, place) =>
    database
      .rows(statement, ...parameters(typeof value === 'string' ? storableText(value) : value))
      .map((row) => ({ ...read(row), place })),
  );
}

function insertRows(database: SqliteDatabase, { table, columns, rows, end }: InsertStep): Answer {
  const kept = columnsIn(columns, 'sqlite');
  const statement = `INSERT INTO ${table} (${kept.map(({ spelled }) => spelled).join(', ')})
    VALUES (${kept.map(() => '?').join(', ')}) ${end}`;
  for (const row of rows) database.run(statement, ...kept.map(({ type, name }) => stored(type, row[name])));
  return { rows: [], count: rows.length };
}

/** Stands for the value that `each` is at. */
const GIVEN = Symbol('given');

function written(sql: Sql): {
  readonly text: string;
  readonly parameters: (given?: SqlValue) => SqlValue[];
} {
  const parameters: (SqlValue | typeof GIVEN)[] = [];
  const bind = (value: SqlValue | typeof GIVEN): string => {
    parameters.push(value);
    return '?';
  };
  const writer: SqlWriter = {
    dialect: 'sqlite',
    text: (part) => part.replaceAll('@', ''),
    bind,
    key: (name) => bind(storableText(name)),
    given: () => bind(GIVEN),
    oneOf: (type, values) => {
      const list = type === 'key' ? values.map((name) => storableText(String(name))) : values;
      return `IN (SELECT value FROM json_each(${bind(JSON.stringify(list))}))`;
    },
    selected: (type, spelled) => (IS_TEXT.has(type) ? text(spelled) : spelled),
  };
  const statement = sql(writer);
  return {
    text: statement,
    parameters: (given = null) => parameters.map((value) => (value === GIVEN ? given : value)),
  };
}

const IS_TEXT: ReadonlySet<ColumnType> = new Set(['text', 'word']);

/** A value as a column of its type holds it. */
function stored(type: ColumnType, value: unknown): Bound {
  if (value === undefined) return null;
  if (type === 'text' || type === 'key') return storableText(value as string);
  if (type === 'json') return Buffer.from(value as string, 'utf8');
  return value as Bound;
}

function readerOf(columns: Columns): (row: SqlRow) => Readonly<Record<string, unknown>> {
  const kept = columnsIn(columns, 'sqlite');
  return (row) => Object.fromEntries(kept.map((column, at) => [column.name, valueAt(row, at, column)]));
}

function valueAt(row: SqlRow, at: number, { type, isOptional }: SpelledColumn): unknown {
  if (isOptional && row[at] === null) return undefined;
  if (type === 'text') return originalText(textAt(row, at));
  if (type === 'word') return textAt(row, at);
  if (type === 'json') return textOf(bytesAt(row, at), at);
  if (type === 'bytes') return bytesAt(row, at);
  return type === 'boolean' ? numberAt(row, at) === 1 : numberAt(row, at);
}
