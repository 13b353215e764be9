import { FOLDED_KEY } from '../../core/pushed-fields.js';
import type { GraphPage } from '../../graph/graph.js';
import { text, textAt } from '../../sqlite/row.js';
import { originalText, storableText } from '../ledger-text.js';
import type { Books } from './books.js';

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
