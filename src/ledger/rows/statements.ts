import type { StatementFilling, StatementReader } from '../../relations/conflicts/statement-rows.js';
import { storableText } from '../ledger-text.js';
import { bytes, text, word } from './columns.js';
import { addRows, fillable, type GenerationRows, STATEMENTS, unmarked } from './document-rows.js';
import { type Program, run, select } from './program.js';
import { after, oneOf, sql } from './sql.js';

/** Forgets what earlier revisions of planned documents said. */
export function* forgetOldStatements(documents: readonly number[]): Program<void> {
  yield* run(
    sql`DELETE FROM @statement WHERE document IN
      (SELECT id FROM @document WHERE id ${oneOf('bigint', documents)} AND examined = 0)`,
  );
}

/** See `GenerationWriter.fillStatements`. */
export function* fillStatements(generation: number, fillings: readonly StatementFilling[]): Program<number> {
  const filled = yield* fillable('examined', generation, fillings);
  yield* addRows(
    STATEMENTS,
    filled.map((filling) => ({ ...filling, generation })),
  );
  return filled.length;
}

/** What the documents of one generation say. */
export const statementReader = ({ programs, generation }: GenerationRows): StatementReader => ({
  packed: (tenant, page) =>
    programs.read('read what its documents say', () =>
      select(
        { documentId: text('document_id'), revision: word('revision'), packed: bytes('packed') },
        sql`FROM @document AS documents JOIN @statement AS statement ON statement.document = documents.id
          WHERE documents.generation = ${generation} AND examined = 1 AND tenant = ${storableText(tenant)}
            ${after('document_id', page)} ORDER BY document_id LIMIT ${page.limit}`,
      ),
    ),
  unread: (tenant, page) =>
    programs.read('list what is not examined yet', () => unmarked('examined', tenant, { generation, page })),
});
