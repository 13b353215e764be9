import { FOLDED_KEY } from '../../core/pushed-fields.js';
import type { GraphPage } from '../../graph/graph.js';
import { text, textAt } from '../../sqlite/row.js';
import { originalText, storableText } from '../ledger-text.js';
import type { Books } from './books.js';

/** Documents of a tenant of which something is to be made yet, by the column that says so; in the order of their ids. */
export const unmarkedDocuments = (
  { database, generation }: Books,
  mark: 'graph' | 'examined',
  tenant: string,
  { limit, after }: GraphPage,
): string[] =>
  database
    .rows(
      `SELECT ${text('document_id')} FROM document WHERE generation = ? AND ${mark} = 0 AND tenant = ?
         AND document_id ${after === undefined ? '>=' : '>'} ? ORDER BY document_id LIMIT ?`,
      generation,
      storableText(tenant),
      after === undefined ? '' : storableText(after),
      limit,
    )
    .map((row) => originalText(textAt(row, 0)));

/** See `GenerationReader.folded`. */
export const foldedDocuments = ({ database, generation }: Books, { limit, after }: GraphPage): string[] =>
  database
    .rows(
      `SELECT ${text('document_id')} FROM document WHERE generation = ? AND instr(metadata, ?) > 0
         AND document_id ${after === undefined ? '>=' : '>'} ? ORDER BY document_id LIMIT ?`,
      generation,
      `${JSON.stringify(FOLDED_KEY)}:`,
      after === undefined ? '' : storableText(after),
      limit,
    )
    .map((row) => originalText(textAt(row, 0)));
