import type { GraphPage } from '../../relations/graph/graph.js';
import { storableText } from '../ledger-text.js';
import { bigint, bytes, type Columns, integer, type RowOf, text, word } from './columns.js';
import { each, insert, type Program, type ProgramRunner, run, select } from './program.js';
import { after, DOCUMENT_KEY, FOR_UPDATE, GIVEN, nameOf, oneOf, raw, type Sql, sql } from './sql.js';

/*
 * Rows that a feature keeps beside a document. They come with the plan of a revision or are filled in behind the run, and go with the document.
 * A kind of them is declared here, and its table made by a migration; all else is the same for every kind.
 */

/** One generation of a ledger, in whichever database. */
export interface GenerationRows {
  readonly programs: ProgramRunner;
  readonly generation: number;
}

export interface RowKind<Shown extends Columns = Columns, Kept extends Columns = Columns> {
  readonly table: string;
  /** What is read of a row. */
  readonly shown: Shown;
  readonly kept: Kept;
  /** Columns by which the rows of a document are sorted. */
  readonly order: string;
}

const DOCUMENT = { document: bigint('document') };
const GENERATION = { generation: integer('generation') };

/** @param key what rows are found by, and never shown */
const rowKind = <Own extends Columns, Key extends Columns>(
  { table, own, order }: { readonly table: string; readonly own: Own; readonly order: string },
  key: Key,
) => ({
  ...{ table, order },
  shown: { ...DOCUMENT, ...own },
  kept: { ...DOCUMENT, ...GENERATION, ...own, ...key },
});

/** Hash of tenant and name. */
const NAME_KEY = { key: bytes({ sqlite: 'key', postgres: 'name_key' }) };

export const GRAPH_NAMES = rowKind(
  { table: 'graph_name', own: { name: text('name') }, order: 'document, name' },
  NAME_KEY,
);
export const GRAPH_REFERENCES = rowKind(
  {
    table: 'graph_reference',
    own: { kind: word('kind'), name: text('name') },
    order: 'document, kind, name',
  },
  NAME_KEY,
);
export const STATEMENTS = rowKind(
  { table: 'statement', own: { packed: bytes('packed') }, order: 'document' },
  {},
);

const ROW_KINDS: readonly RowKind[] = [GRAPH_NAMES, GRAPH_REFERENCES, STATEMENTS];

export const ROW_TABLES: readonly string[] = ROW_KINDS.map(({ table }) => table);

const tableOf = ({ table }: RowKind): Sql => raw(`@${table}`);

/** Rows of documents, by the numbers of those. */
export const rows = <Shown extends Columns>(
  kind: RowKind<Shown>,
  documents: readonly number[],
): Program<readonly RowOf<Shown>[]> =>
  select(
    kind.shown,
    sql`FROM ${tableOf(kind)} WHERE document ${oneOf('bigint', documents)} ORDER BY ${raw(kind.order)}`,
  );

export const addRows = <Kept extends Columns>(
  { table, kept }: RowKind<Columns, Kept>,
  added: readonly RowOf<Kept>[],
): Program<void> => insert(table, kept, added);

export function* forgetRows(
  documents: readonly number[],
  kinds: readonly RowKind[] = ROW_KINDS,
): Program<void> {
  if (documents.length === 0) return;
  for (const kind of kinds)
    yield* run(sql`DELETE FROM ${tableOf(kind)} WHERE document ${oneOf('bigint', documents)}`);
}

/** Rows that have one of some keys, and their documents: for each key a page in the order of `columns`, those of the document first. */
export const found = <Of extends Columns>(
  kind: RowKind,
  columns: Of,
  keys: readonly Buffer[],
  { generation, page }: { readonly generation: number; readonly page: GraphPage },
) =>
  each(
    keys,
    columns,
    sql`FROM ${tableOf(kind)} AS rows JOIN @document AS documents ON documents.id = rows.document
      WHERE rows.generation = ${generation} AND rows.${nameOf(NAME_KEY.key)} = ${GIVEN}${after('document_id', page)}
      ORDER BY ${raw(
        Object.values(columns)
          .map(({ spelling }) => spelling)
          .join(', '),
      )} LIMIT ${page.limit}`,
  );

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
