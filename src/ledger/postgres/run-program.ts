import type { PostgresDatabase, RunStatement } from '../../platform/postgres/postgres-database.js';
import type { SqlParameter, SqlRow } from '../../platform/postgres/postgres-session.js';
import { keyOf, storableText } from '../ledger-text.js';
import { type ColumnType, type Key, madeOf, type SpelledColumn } from '../rows/columns.js';
import type { Answer, InsertStep, Program, ProgramRunner, Step } from '../rows/program.js';
import type { SqlWriter } from '../rows/sql.js';
import { bytesOf, numberOf, storedTextOf, textOf } from './row.js';

/** Runs a program on the connection of a transaction. */
export async function runProgram<Result>(run: RunStatement, program: Program<Result>): Promise<Result> {
  for (let step = program.next(); ; ) {
    if (step.done === true) return step.value;
    step = program.next(await answerOf(run, step.value));
  }
}

export const postgresPrograms = (database: PostgresDatabase): ProgramRunner => ({
  read: (action, program) => database.withConnection({ action }, (run) => runProgram(run, program())),
  snapshot: (action, program) => database.snapshot({ action }, (run) => runProgram(run, program())),
  transaction: (action, program) => database.transaction({ action }, (run) => runProgram(run, program())),
});

async function answerOf(run: RunStatement, step: Step): Promise<Answer> {
  const { text, parameters } = step.kind === 'insert' ? insertion(step) : written(step);
  // What another database has to do.
  if (text === '') return { rows: [], count: 0 };
  const { rows, count } = await run(text, parameters);
  if (step.kind === 'run' || step.kind === 'insert') return { rows: [], count };
  const read = readerOf(step.columns);
  if (step.kind === 'rows') return { rows: rows.map(read), count };
  return { rows: rows.map((row) => ({ ...read(row), place: numberOf(row, 'place') - 1 })), count };
}

const PREFIX = 'ragstone_ledger_';

const tables = (part: string): string => part.replaceAll('@', PREFIX);

const TYPES: Readonly<Record<ColumnType, string>> = {
  bigint: 'bigint',
  integer: 'integer',
  boolean: 'boolean',
  text: 'text',
  word: 'text',
  json: 'text',
  bytes: 'bytea',
  key: 'bytea',
};

interface Statement {
  readonly text: string;
  readonly parameters: readonly SqlParameter[];
}

function insertion({ table, columns, rows, end }: InsertStep): Statement {
  const { text, parametersOf } = insertionOf(columns);
  return {
    text: `INSERT INTO ${PREFIX}${table} ${text} ${end(writerOf([]))}`,
    parameters: parametersOf(rows),
  };
}

const insertionOf = madeOf('postgres', (columns) => ({
  text: `(${columns.map(({ spelled }) => spelled).join(', ')})
    SELECT * FROM unnest(${columns.map(({ type }, at) => `$${at + 1}::${TYPES[type]}[]`).join(', ')})`,
  parametersOf: (rows: InsertStep['rows']) =>
    columns.map(({ type, name }) => rows.map((row) => stored(type, row[name])) as string[]),
}));

/** A value as a column of its type holds it. */
function stored(type: ColumnType, value: unknown): unknown {
  if (value === undefined) return null;
  if (type === 'text') return storableText(value as string);
  if (type === 'key') return keyBytes(value as Key);
  return type === 'bytes' ? bufferOf(value as Uint8Array) : value;
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function written(step: Exclude<Step, InsertStep>): Statement {
  const parameters: SqlParameter[] = step.kind === 'each' ? [step.given.map(keyBytes)] : [];
  const text = step.sql(writerOf(parameters));
  return { text: step.kind === 'each' ? forEach(text) : text, parameters };
}

function writerOf(parameters: SqlParameter[]): SqlWriter {
  const bind = (value: SqlParameter): string => `$${parameters.push(value)}`;
  return {
    dialect: 'postgres',
    text: tables,
    bind,
    key: (name) => bind(keyOf(name)),
    given: () => 'given.value',
    oneOf: (type, values) =>
      `= ANY(${bind(type === 'key' ? values.map(keyBytes) : values.map(String))}::${TYPES[type]}[])`,
    list: listIn,
  };
}

const keyBytes = (given: Key | number): Buffer => (Buffer.isBuffer(given) ? given : keyOf(String(given)));

/** A query for each of the bytes that are the first parameter. */
const forEach = (query: string): string =>
  `SELECT given.place, found.* FROM unnest($1::bytea[]) WITH ORDINALITY AS given (value, place),
     LATERAL (SELECT *, row_number() OVER () AS turn FROM (${query}) AS rows) AS found
   ORDER BY given.place, found.turn`;

const listIn = madeOf('postgres', (columns) =>
  columns.map(({ spelled, name }) => tables(`${spelled} AS "${name}"`)).join(', '),
);

const readerOf = madeOf(
  'postgres',
  (columns) => (row: SqlRow) =>
    Object.fromEntries(columns.map((column) => [column.name, columnOf(row, column)])),
);

function columnOf(row: SqlRow, { type, name, isOptional }: SpelledColumn): unknown {
  if (isOptional && row[name] === null) return undefined;
  if (type === 'text') return textOf(row, name);
  if (type === 'word' || type === 'json') return storedTextOf(row, name);
  if (type === 'bytes' || type === 'key') return bytesOf(row, name);
  return type === 'boolean' ? row[name] === true : numberOf(row, name);
}
