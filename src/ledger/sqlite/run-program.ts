import { bytesAt, numberAt, type SqlRow, text, textAt, textOf } from '../../platform/sqlite/row.js';
import type { SqliteDatabase, SqlValue } from '../../platform/sqlite/sqlite-database.js';
import { originalText, storableText } from '../ledger-text.js';
import { type ColumnType, madeOf } from '../rows/columns.js';
import type { Answer, EachStep, InsertStep, Program, ProgramRunner, Step } from '../rows/program.js';
import type { Sql, SqlWriter } from '../rows/sql.js';

/** Runs a program in one turn, inside the transaction that is open if one is. */
export function runProgram<Result>(database: SqliteDatabase, program: Program<Result>): Result {
  for (let step = program.next(); ; ) {
    if (step.done === true) return step.value;
    step = program.next(answerOf(database, step.value));
  }
}

export const sqlitePrograms = (database: SqliteDatabase): ProgramRunner => ({
  read: async (_, program) => database.snapshot(() => runProgram(database, program())),
  snapshot: async (_, program) => database.snapshot(() => runProgram(database, program())),
  transaction: async (_, program) => database.transaction(() => runProgram(database, program())),
});

const NOTHING_DONE: Answer = { rows: [], count: 0 };

function answerOf(database: SqliteDatabase, step: Step): Answer {
  if (step.kind === 'insert') return insertRows(database, step);
  if (step.kind === 'each') return { rows: rowsOfEach(database, step), count: 0 };
  const { text: statement, parameters } = written(step.sql);
  // What another database has to lock.
  if (statement === '') return NOTHING_DONE;
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
      .map((row) => Object.assign(read(row), { place })),
  );
}

function insertRows(database: SqliteDatabase, { table, columns, rows, end }: InsertStep): Answer {
  const { names, valuesOf } = insertionOf(columns);
  const statement = `INSERT INTO ${table} ${names} ${written(end).text}`;
  for (const row of rows) database.run(statement, ...valuesOf(row));
  return { rows: [], count: rows.length };
}

const insertionOf = madeOf('sqlite', (columns) => ({
  names: `(${columns.map(({ spelled }) => spelled).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  valuesOf: (row: InsertStep['rows'][number]) => columns.map(({ type, name }) => stored(type, row[name])),
}));

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
    text: tables,
    bind,
    key: (name) => bind(storableText(name)),
    given: () => bind(GIVEN),
    oneOf: (type, values) => {
      const list = type === 'key' ? values.map((name) => storableText(String(name))) : values;
      return list.length === 1
        ? `= ${bind(list[0] ?? '')}`
        : `IN (SELECT value FROM json_each(${bind(JSON.stringify(list))}))`;
    },
    list: listIn,
  };
  const text = sql(writer);
  return { text, parameters: (given = null) => parameters.map((value) => (value === GIVEN ? given : value)) };
}

const tables = (part: string): string => part.replaceAll('@', '');

const IS_TEXT: ReadonlySet<ColumnType> = new Set(['text', 'word', 'key']);

const listIn = madeOf('sqlite', (columns) =>
  columns.map(({ type, spelled }) => tables(IS_TEXT.has(type) ? text(spelled) : spelled)).join(', '),
);

/** A value as a column of its type holds it. */
function stored(type: ColumnType, value: unknown): SqlValue {
  if (value === undefined) return null;
  if (type === 'text' || type === 'key') return storableText(value as string);
  if (type === 'json') return Buffer.from(value as string, 'utf8');
  return value as SqlValue;
}

const readerOf = madeOf('sqlite', (columns) => {
  const reads = columns.map(({ type, isOptional, name }) => ({ name, isOptional, read: READERS[type] }));
  return (row: SqlRow) => {
    const values: Record<string, unknown> = {};
    for (let at = 0; at < reads.length; at++) {
      const column = reads[at];
      if (column === undefined || (column.isOptional && row[at] === null)) continue;
      values[column.name] = column.read(row, at);
    }
    return values;
  };
});

const readText = (row: SqlRow, at: number): string => originalText(textAt(row, at));

const READERS: Readonly<Record<ColumnType, (row: SqlRow, at: number) => unknown>> = {
  bigint: numberAt,
  integer: numberAt,
  boolean: (row, at) => numberAt(row, at) === 1,
  text: readText,
  word: textAt,
  json: (row, at) => textOf(bytesAt(row, at), at),
  bytes: bytesAt,
  key: readText,
};
