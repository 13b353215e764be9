import type { StatementFilling, StatementReader } from '../../conflicts/statement-rows.js';
import type { GraphPage } from '../../graph/graph.js';
import { storableText } from '../ledger-text.js';
import type { Books, OpenBooks } from './books.js';
import { documentKeyOf } from './documents.js';
import { revisionKeyOf } from './revisions.js';
import { bytesOf, textOf } from './row.js';

export const STATEMENT_TABLE = 'ragstone_ledger_statement';

/** Forgets what earlier revisions of planned documents said. */
export async function forgetOldStatements(
  { run }: OpenBooks,
  documentRows: readonly string[],
): Promise<void> {
  await run(
    `DELETE FROM ${STATEMENT_TABLE} USING ragstone_ledger_document AS documents
     WHERE document = documents.id AND documents.id = ANY($1::bigint[]) AND examined = 0`,
    [documentRows],
  );
}

/** See `GenerationWriter.fillStatements`. */
export async function fillStatements(
  { run, generation }: OpenBooks,
  fillings: readonly StatementFilling[],
): Promise<number> {
  const { count } = await run(
    `WITH given AS (
       SELECT * FROM unnest($2::bytea[], $3::bytea[], $4::bytea[]) AS given (document_key, revision_key, packed)
     ), examined AS (
       UPDATE ragstone_ledger_document AS documents SET examined = 1 FROM given
       WHERE generation = $1 AND documents.document_key = given.document_key
         AND documents.revision_key = given.revision_key AND examined = 0
       RETURNING id, packed)
     INSERT INTO ${STATEMENT_TABLE} (document, generation, packed) SELECT id, $1, packed FROM examined`,
    [
      generation,
      fillings.map(({ documentId }) => documentKeyOf(documentId)),
      fillings.map(({ revision }) => revisionKeyOf(revision)),
      fillings.map(({ packed }) => Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)),
    ],
  );
  return count;
}

/** What the documents of one generation of a PostgreSQL ledger say. Every read is one statement. */
export class PostgresStatements implements StatementReader {
  readonly #books: Books;

  constructor(books: Books) {
    this.#books = books;
  }

  async packed(tenant: string, page: GraphPage): Promise<StatementFilling[]> {
    const rows = await this.#page(
      `SELECT document_id, revision, packed FROM ragstone_ledger_document AS documents
       JOIN ${STATEMENT_TABLE} ON document = documents.id WHERE documents.generation = $1 AND examined = 1`,
      tenant,
      page,
    );
    return rows.map((row) => ({
      documentId: textOf(row, 'document_id'),
      revision: textOf(row, 'revision'),
      packed: bytesOf(row, 'packed'),
    }));
  }

  async unread(tenant: string, page: GraphPage): Promise<string[]> {
    const rows = await this.#page(
      'SELECT document_id FROM ragstone_ledger_document WHERE generation = $1 AND examined = 0',
      tenant,
      page,
    );
    return rows.map((row) => textOf(row, 'document_id'));
  }

  #page(sql: string, tenant: string, { limit, after }: GraphPage) {
    const { database, generation } = this.#books;
    return database.rows(
      `${sql} AND tenant = $2 AND ($3::text IS NULL OR document_id > $3) ORDER BY document_id LIMIT $4`,
      [generation, storableText(tenant), after === undefined ? null : storableText(after), limit],
      { action: 'read what its documents say' },
    );
  }
}
