import type { GraphPage, GraphReader, GraphRows } from '../../graph/graph.js';
import { type SqlRow, text, textAt } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import { NO_ROWS, nameKeyOf, readKind, sameRows } from '../graph-rows.js';
import { originalText, storableText } from '../ledger-text.js';
import type { Books } from './books.js';
import { STATE } from './chunks.js';
import { rowIdOf } from './documents.js';
import { unmarkedDocuments } from './unmarked-documents.js';

/** Rows of a document, in place of those that it had; without any they are to be made later. */
export function saveGraph(
  { database, generation }: Books,
  documentRow: number,
  tenant: string,
  graph: GraphRows | undefined,
): void {
  const isMade = graph === undefined ? 0 : 1;
  database.run('UPDATE document SET graph = ?1 WHERE id = ?2 AND graph <> ?1', isMade, documentRow);
  const rows = graph ?? NO_ROWS;
  if (sameRows(rows, rowsOf(database, documentRow))) return;
  forgetGraph(database, documentRow);
  for (const name of rows.names)
    database.run(
      'INSERT INTO graph_name (document, name, generation, key) VALUES (?, ?, ?, ?)',
      documentRow,
      storableText(name),
      generation,
      nameKeyOf(tenant, name),
    );
  for (const { kind, target } of rows.references)
    database.run(
      'INSERT INTO graph_reference (document, kind, name, generation, key) VALUES (?, ?, ?, ?, ?)',
      documentRow,
      kind,
      storableText(target),
      generation,
      nameKeyOf(tenant, target),
    );
}

export function forgetGraph(database: SqliteDatabase, documentRow: number): void {
  for (const table of ['graph_name', 'graph_reference'])
    database.run(`DELETE FROM ${table} WHERE document = ?`, documentRow);
}

/** See `GenerationWriter.fillGraph`. */
export function fillGraph(
  books: Books,
  { documentId, revision, graph }: { documentId: string; revision: string; graph: GraphRows },
): boolean {
  const row = books.database.row(
    `SELECT id, ${text('tenant')} FROM document WHERE generation = ? AND document_id = ? AND revision = ? AND graph = 0`,
    books.generation,
    storableText(documentId),
    revision,
  );
  if (row === undefined) return false;
  saveGraph(books, Number(row[0]), originalText(textAt(row, 1)), graph);
  return true;
}

function rowsOf(database: SqliteDatabase, documentRow: number): GraphRows {
  const names = database.rows(
    `SELECT ${text('name')} FROM graph_name WHERE document = ? ORDER BY name`,
    documentRow,
  );
  const references = database.rows(
    `SELECT ${text('kind')}, ${text('name')} FROM graph_reference WHERE document = ? ORDER BY kind, name`,
    documentRow,
  );
  return {
    names: names.map((row) => originalText(textAt(row, 0))),
    references: references.map((row) => ({
      kind: readKind(textAt(row, 0)),
      target: originalText(textAt(row, 1)),
    })),
  };
}

/** The graph of one generation of a ledger file. Every read is one snapshot. */
export class SqliteGraph implements GraphReader {
  readonly #books: Books;

  constructor(books: Books) {
    this.#books = books;
  }

  async rows(documentIds: readonly string[]): Promise<Map<string, GraphRows>> {
    const { database, generation } = this.#books;
    const sql = 'SELECT id FROM document WHERE generation = ? AND document_id = ? AND graph = 1';
    return database.snapshot(
      () =>
        new Map(
          documentIds.flatMap((id) => {
            const row = database.row(sql, generation, storableText(id));
            return row === undefined ? [] : [[id, rowsOf(database, Number(row[0]))] as const];
          }),
        ),
    );
  }

  async named(tenant: string, names: readonly string[], page: GraphPage) {
    return this.#found('graph_name', text('document_id'), { tenant, names, page }, (row, name) => ({
      name,
      documentId: originalText(textAt(row, 0)),
    }));
  }

  async referring(tenant: string, names: readonly string[], page: GraphPage) {
    const columns = `${text('document_id')}, ${text('kind')}`;
    return this.#found('graph_reference', columns, { tenant, names, page }, (row, name) => ({
      name,
      documentId: originalText(textAt(row, 0)),
      kind: readKind(textAt(row, 1)),
    }));
  }

  /** Of each name a page; the key is of the tenant, so that no other tenant's rows are even looked at. */
  #found<Hit>(
    table: string,
    columns: string,
    { tenant, names, page }: { tenant: string; names: readonly string[]; page: GraphPage },
    read: (row: SqlRow, name: string) => Hit,
  ): Hit[] {
    const { database, generation } = this.#books;
    const sql = `SELECT ${columns} FROM ${table} AS rows JOIN document ON document.id = rows.document
      WHERE rows.generation = ? AND rows.key = ? AND document_id ${page.after === undefined ? '>=' : '>'} ?
      ORDER BY document_id${table === 'graph_reference' ? ', kind' : ''} LIMIT ?`;
    const after = page.after === undefined ? '' : storableText(page.after);
    return database.snapshot(() =>
      names.flatMap((name) =>
        database
          .rows(sql, generation, nameKeyOf(tenant, name), after, page.limit)
          .map((row) => read(row, name)),
      ),
    );
  }

  async firstChunks(documentIds: readonly string[]): Promise<Map<string, string>> {
    const { database } = this.#books;
    const sql = `SELECT ${text('chunk_id')} FROM chunk WHERE document = ? AND state = ? ORDER BY ordinal, chunk_id LIMIT 1`;
    return database.snapshot(
      () =>
        new Map(
          documentIds.flatMap((id) => {
            const document = rowIdOf(this.#books, id);
            const row = document === undefined ? undefined : database.row(sql, document, STATE.live);
            return row === undefined ? [] : [[id, originalText(textAt(row, 0))] as const];
          }),
        ),
    );
  }

  async unread(tenant: string, page: GraphPage): Promise<string[]> {
    return unmarkedDocuments(this.#books, 'graph', tenant, page);
  }
}
