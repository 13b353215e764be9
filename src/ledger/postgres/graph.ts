import type { GraphPage, GraphReader, GraphRows } from '../../graph/graph.js';
import type { SqlRow } from '../../postgres/postgres-session.js';
import { NO_ROWS, nameKeyOf, readKind, sameRows } from '../graph-rows.js';
import type { GraphFilling } from '../ledger.js';
import { hexOf, storableText } from '../ledger-text.js';
import type { Books, OpenBooks } from './books.js';
import { codeOf } from './chunks.js';
import { documentKeyOf } from './documents.js';
import { revisionKeyOf } from './revisions.js';
import { numberOf, storedTextOf, textOf } from './row.js';

/** Tables that refer to documents. */
export const GRAPH_TABLES = ['ragstone_ledger_graph_name', 'ragstone_ledger_graph_reference'] as const;

interface GraphOfDocument {
  /** Key of the document's row. */
  readonly row: string;
  readonly tenant: string;
  readonly graph: GraphRows | undefined;
}

const NAMES = `SELECT document, NULL AS kind, name FROM ragstone_ledger_graph_name WHERE document = ANY($1::bigint[])
  UNION ALL
  SELECT document, kind, name FROM ragstone_ledger_graph_reference WHERE document = ANY($1::bigint[])
  ORDER BY kind NULLS FIRST, name`;

/** Rows of documents, in place of those that they had; without any they are to be made later. */
export async function saveGraphs(books: OpenBooks, documents: readonly GraphOfDocument[]): Promise<void> {
  const { run, generation } = books;
  const before = rowsByDocument((await run(NAMES, [documents.map(({ row }) => row)])).rows);
  await run(
    `UPDATE ragstone_ledger_document AS documents SET graph = given.is_made
     FROM unnest($1::bigint[], $2::smallint[]) AS given (id, is_made)
     WHERE documents.id = given.id AND documents.graph <> given.is_made`,
    [documents.map(({ row }) => row), documents.map(({ graph }) => (graph === undefined ? 0 : 1))],
  );
  const changed = documents.filter(
    ({ row, graph = NO_ROWS }) => !sameRows(graph, before.get(row) ?? NO_ROWS),
  );
  if (changed.length === 0) return;
  for (const table of GRAPH_TABLES)
    await run(`DELETE FROM ${table} WHERE document = ANY($1::bigint[])`, [changed.map(({ row }) => row)]);
  const names = changed.flatMap(({ row, tenant, graph = NO_ROWS }) =>
    graph.names.map((name) => ({ row, tenant, name })),
  );
  const references = changed.flatMap(({ row, tenant, graph = NO_ROWS }) =>
    graph.references.map(({ kind, target }) => ({ row, tenant, kind, name: target })),
  );
  await run(
    `INSERT INTO ragstone_ledger_graph_name (generation, document, name_key, name)
     SELECT $1, * FROM unnest($2::bigint[], $3::bytea[], $4::text[])`,
    [
      generation,
      names.map(({ row }) => row),
      names.map(({ tenant, name }) => nameKeyOf(tenant, name)),
      names.map(({ name }) => storableText(name)),
    ],
  );
  await run(
    `INSERT INTO ragstone_ledger_graph_reference (generation, document, kind, name_key, name)
     SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bytea[], $5::text[])`,
    [
      generation,
      references.map(({ row }) => row),
      references.map(({ kind }) => kind),
      references.map(({ tenant, name }) => nameKeyOf(tenant, name)),
      references.map(({ name }) => storableText(name)),
    ],
  );
}

/** See `GenerationWriter.fillGraph`. */
export async function fillGraph(
  books: OpenBooks,
  { documentId, revision, graph }: GraphFilling,
): Promise<boolean> {
  const { rows } = await books.run(
    `SELECT id, tenant FROM ragstone_ledger_document
     WHERE generation = $1 AND document_key = $2 AND revision_key = $3 AND graph = 0 FOR UPDATE`,
    [books.generation, documentKeyOf(documentId), revisionKeyOf(revision)],
  );
  const [row] = rows;
  if (row === undefined) return false;
  await saveGraphs(books, [{ row: storedTextOf(row, 'id'), tenant: textOf(row, 'tenant'), graph }]);
  return true;
}

/** By the key of the document's row. */
function rowsByDocument(rows: readonly SqlRow[]): Map<string, GraphRows> {
  const found = new Map<string, { names: string[]; references: GraphRows['references'][number][] }>();
  for (const row of rows) {
    const id = storedTextOf(row, 'document');
    const graph = found.get(id) ?? { names: [], references: [] };
    found.set(id, graph);
    const name = textOf(row, 'name');
    if (row.kind === null) graph.names.push(name);
    else graph.references.push({ kind: readKind(storedTextOf(row, 'kind')), target: name });
  }
  return found;
}

/** The graph of one generation of a PostgreSQL ledger. Every read is one statement, but for `rows`. */
export class PostgresGraph implements GraphReader {
  readonly #books: Books;

  constructor(books: Books) {
    this.#books = books;
  }

  async rows(documentIds: readonly string[]): Promise<Map<string, GraphRows>> {
    const { database, generation } = this.#books;
    const documents = await database.rows(
      `SELECT id, document_key FROM ragstone_ledger_document
       WHERE generation = $1 AND document_key = ANY($2::bytea[]) AND graph = 1`,
      [generation, documentIds.map(documentKeyOf)],
      { action: 'read its graph' },
    );
    const ids = documents.map((row) => storedTextOf(row, 'id'));
    const rows = rowsByDocument(await database.rows(NAMES, [ids], { action: 'read its graph' }));
    const byKey = new Map(
      documents.map((row) => [hexOf(row.document_key as Buffer), storedTextOf(row, 'id')]),
    );
    return new Map(
      documentIds.flatMap((id) => {
        const row = byKey.get(hexOf(documentKeyOf(id)));
        return row === undefined ? [] : [[id, rows.get(row) ?? NO_ROWS] as const];
      }),
    );
  }

  async named(tenant: string, names: readonly string[], page: GraphPage) {
    const rows = await this.#found('ragstone_ledger_graph_name', 'NULL', { tenant, names, page });
    return rows.map((row) => ({
      name: names[numberOf(row, 'place') - 1] ?? '',
      documentId: textOf(row, 'document_id'),
    }));
  }

  async referring(tenant: string, names: readonly string[], page: GraphPage) {
    const rows = await this.#found('ragstone_ledger_graph_reference', 'kind', { tenant, names, page });
    return rows.map((row) => ({
      name: names[numberOf(row, 'place') - 1] ?? '',
      documentId: textOf(row, 'document_id'),
      kind: readKind(storedTextOf(row, 'kind')),
    }));
  }

  /** Of each name a page. */
  #found(
    table: string,
    kind: string,
    { tenant, names, page }: { tenant: string; names: readonly string[]; page: GraphPage },
  ): Promise<readonly SqlRow[]> {
    const { database, generation } = this.#books;
    return database.rows(
      `SELECT wanted.place, hit.document_id, hit.kind
       FROM unnest($2::bytea[]) WITH ORDINALITY AS wanted (key, place), LATERAL (
         SELECT documents.document_id, ${kind} AS kind FROM ${table} AS found
         JOIN ragstone_ledger_document AS documents ON documents.id = found.document
         WHERE found.generation = $1 AND found.name_key = wanted.key
           AND ($3::text IS NULL OR documents.document_id > $3)
         ORDER BY documents.document_id, kind LIMIT $4) AS hit
       ORDER BY wanted.place, hit.document_id, hit.kind`,
      [
        generation,
        names.map((name) => nameKeyOf(tenant, name)),
        page.after === undefined ? null : storableText(page.after),
        page.limit,
      ],
      { action: 'walk through its graph' },
    );
  }

  async firstChunks(documentIds: readonly string[]): Promise<Map<string, string>> {
    const { database, generation } = this.#books;
    const rows = await database.rows(
      `SELECT DISTINCT ON (documents.id) documents.document_id, chunk_id FROM ragstone_ledger_document AS documents
       JOIN ragstone_ledger_chunk AS chunks ON chunks.document = documents.id AND state = ${codeOf('live')}
       WHERE documents.generation = $1 AND document_key = ANY($2::bytea[])
       ORDER BY documents.id, ordinal, chunk_id`,
      [generation, documentIds.map(documentKeyOf)],
      { action: 'read first chunks' },
    );
    const found = new Map(rows.map((row) => [textOf(row, 'document_id'), textOf(row, 'chunk_id')]));
    return new Map(
      documentIds.flatMap((id) => {
        const chunk = found.get(id);
        return chunk === undefined ? [] : [[id, chunk] as const];
      }),
    );
  }

  async unread(tenant: string, { limit, after }: GraphPage): Promise<string[]> {
    const { database, generation } = this.#books;
    const rows = await database.rows(
      `SELECT document_id FROM ragstone_ledger_document
       WHERE generation = $1 AND graph = 0 AND tenant = $2 AND ($3::text IS NULL OR document_id > $3)
       ORDER BY document_id LIMIT $4`,
      [generation, storableText(tenant), after === undefined ? null : storableText(after), limit],
      { action: 'list what has no graph yet' },
    );
    return rows.map((row) => textOf(row, 'document_id'));
  }
}
