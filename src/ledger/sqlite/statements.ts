import type { StatementFilling, StatementReader } from '../../conflicts/statement-rows.js';
import type { GraphPage } from '../../graph/graph.js';
import { bytesAt, text, textAt } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import { originalText, storableText } from '../ledger-text.js';
import type { Books } from './books.js';
import { unmarkedDocuments } from './unmarked-documents.js';

/** Forgets what an earlier revision of a planned document said. */
export function forgetOldStatements(database: SqliteDatabase, documentRow: number): void {
  database.run(
    'DELETE FROM statement WHERE document = (SELECT id FROM document WHERE id = ? AND examined = 0)',
    documentRow,
  );
}

/** See `GenerationWriter.fillStatements`. */
export function fillStatements(
  { database, generation }: Books,
  { documentId, revision, packed }: StatementFilling,
): boolean {
  const row = database.row(
    `UPDATE document SET examined = 1 WHERE generation = ? AND document_id = ? AND revision = ? AND examined = 0
     RETURNING id`,
    generation,
    storableText(documentId),
    revision,
  );
  if (row === undefined) return false;
  database.run(
    'INSERT INTO statement (document, generation, packed) VALUES (?, ?, ?)',
    Number(row[0]),
    generation,
    Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength),
  );
  return true;
}

/** What the documents of one generation of a ledger file say. */
export class SqliteStatements implements StatementReader {
  readonly #books: Books;

  constructor(books: Books) {
    this.#books = books;
  }

  async packed(tenant: string, { limit, after }: GraphPage): Promise<StatementFilling[]> {
    const { database, generation } = this.#books;
    return database
      .rows(
        `SELECT ${text('document_id')}, ${text('revision')}, packed FROM document JOIN statement ON statement.document = document.id
         WHERE document.generation = ? AND examined = 1 AND tenant = ?
           AND document_id ${after === undefined ? '>=' : '>'} ? ORDER BY document_id LIMIT ?`,
        generation,
        storableText(tenant),
        after === undefined ? '' : storableText(after),
        limit,
      )
      .map((row) => ({
        documentId: originalText(textAt(row, 0)),
        revision: textAt(row, 1),
        packed: bytesAt(row, 2),
      }));
  }

  async unread(tenant: string, page: GraphPage): Promise<string[]> {
    return unmarkedDocuments(this.#books, 'examined', tenant, page);
  }
}
