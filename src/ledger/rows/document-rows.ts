import type { GraphPage } from '../../graph/graph.js';
import { storableText } from '../ledger-text.js';
import { bigint, bytes, type Columns, integer, nameOf, type RowOf, text, word } from './columns.js';
import { each, insert, type Program, type ProgramRunner, run, select } from './program.js';
import { DOCUMENT_KEY, FOR_UPDATE, GIVEN, NOTHING, oneOf, raw, type Sql, sql } from './sql.js';

/*
 * Rows that a feature keeps beside a document. They come with the plan of a revision or are filled in behind the run, and go with the document.
 * A kind of them is declared here, and its table made by a migration; all else is the same for every kind.
 */

/** One generation of a ledger, in whichever database. */
export interface RowBooks {
  readonly programs: ProgramRunner;
  readonly generation: number;
}

export interface RowKind<Own extends Columns = Columns> {
  readonly table: string;
  readonly own: Own;
  /** Columns by which the rows of a document are sorted. */
  readonly order: string;
}

const OWNER = { document: bigint('document'), generation: integer('generation') };

/** Hash of tenant and name, by which rows are found. */
const NAME_KEY = bytes({ sqlite: 'key', postgres: 'name_key' });

export const GRAPH_NAMES = {
  table: 'graph_name',
  own: { name: text('name'), key: NAME_KEY },
  order: 'name',
} satisfies RowKind;

export const GRAPH_REFERENCES = {
  table: 'graph_reference',
  own: { kind: word('kind'), name: text('name'), key: NAME_KEY },
  order: 'kind, name',
} satisfies RowKind;

export const STATEMENTS = {
  table: 'statement',
  own: { packed: bytes('packed') },
  order: 'document',
} satisfies RowKind;

const ROW_KINDS: readonly RowKind[] = [GRAPH_NAMES, GRAPH_REFERENCES, STATEMENTS];

export const ROW_TABLES: readonly string[] = ROW_KINDS.map(({ table }) => table);

const tableOf = ({ table }: RowKind): Sql => raw(`@${table}`);

type Row<Own extends Columns> = RowOf<Own> & { readonly document: number };

/** Rows of documents, by the numbers of those. */
export const rows = <Own extends Columns>(
  kind: RowKind<Own>,
  documents: readonly number[],
): Program<readonly Row<Own>[]> =>
  select(
    { document: OWNER.document, ...kind.own },
    sql`FROM ${tableOf(kind)} WHERE document ${oneOf('bigint', documents)} ORDER BY ${raw(kind.order)}`,
  ) as Program<readonly Row<Own>[]>;

export const addRows = <Own extends Columns>(
  kind: RowKind<Own>,
  generation: number,
  added: readonly Row<Own>[],
): Program<void> =>
  insert(
    kind.table,
    { ...OWNER, ...kind.own },
    added.map((row) => ({ ...row, generation })),
  );

export function* forgetRows(
  documents: readonly number[],
  kinds: readonly RowKind[] = ROW_KINDS,
): Program<void> {
  if (documents.length === 0) return;
  for (const kind of kinds)
    yield* run(sql`DELETE FROM ${tableOf(kind)} WHERE document ${oneOf('bigint', documents)}`);
}

/** Rows that have one of some keys, for each key a page in the order of the documents. */
export const found = <Own extends Columns>(
  { table, own, order }: RowKind<Own>,
  keys: readonly Buffer[],
  { generation, page }: { readonly generation: number; readonly page: GraphPage },
) => {
  return each(
    keys,
    { documentId: text('documents.document_id'), ...own },
    sql`FROM ${raw(`@${table}`)} AS rows JOIN @document AS documents ON documents.id = rows.document
      WHERE rows.generation = ${generation} AND rows.${nameOf(NAME_KEY)} = ${GIVEN}${after('documents.document_id', page)}
      ORDER BY documents.document_id, ${raw(order)} LIMIT ${page.limit}`,
  );
};

/** A condition that follows others. */
export const after = (column: string, page: { readonly after?: string | undefined }): Sql =>
  page.after === undefined ? NOTHING : sql` AND ${raw(column)} > ${storableText(page.after)}`;

/** Column of a document that says by 1 that rows were made of it. */
export type Mark = 'graph' | 'examined';

export function* setMark(mark: Mark, documents: readonly number[], value: 0 | 1): Program<void> {
  if (documents.length > 0)
    yield* run(
      sql`UPDATE @document SET ${raw(mark)} = ${value} WHERE id ${oneOf('bigint', documents)} AND ${raw(mark)} <> ${value}`,
    );
}

/** Documents of a tenant without a mark, in the order of their ids. */
export function* unmarked(
  mark: Mark,
  tenant: string,
  { generation, page }: { readonly generation: number; readonly page: GraphPage },
): Program<string[]> {
  const found = yield* select(
    { documentId: text('document_id') },
    sql`FROM @document WHERE generation = ${generation} AND ${raw(mark)} = 0 AND tenant = ${storableText(tenant)}
      ${after('document_id', page)} ORDER BY document_id LIMIT ${page.limit}`,
  );
  return found.map(({ documentId }) => documentId);
}

interface Filling {
  readonly documentId: string;
  /** Of which its rows were made. */
  readonly revision: string;
}

/** Fillings whose document is of that revision still and without a mark, which it gets. */
export function* fillable<Of extends Filling>(
  mark: Mark,
  generation: number,
  fillings: readonly Of[],
): Program<(Of & { readonly document: number; readonly tenant: string })[]> {
  if (fillings.length === 0) return [];
  const ids = fillings.map(({ documentId }) => documentId);
  const unfilled = yield* select(
    {
      document: bigint('id'),
      documentId: text('document_id'),
      revision: word('revision'),
      tenant: text('tenant'),
    },
    sql`FROM @document WHERE generation = ${generation} AND ${DOCUMENT_KEY} ${oneOf('key', ids)} AND ${raw(mark)} = 0
      ORDER BY id ${FOR_UPDATE}`,
  );
  const filled = unfilled.flatMap(({ document, documentId, revision, tenant }) => {
    const filling = fillings.find((given) => given.documentId === documentId && given.revision === revision);
    return filling === undefined ? [] : [{ ...filling, document, tenant }];
  });
  yield* setMark(
    mark,
    filled.map(({ document }) => document),
    1,
  );
  return filled;
}
