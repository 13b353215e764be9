import type { TextRange } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { type Statement, statementsOf } from './statements.js';

/**
 * What is kept of a statement: where it stands, and hashes of its words. Two statements are compared by the text itself; hashes only say which
 * ones are worth it.
 */
export interface StoredStatement extends TextRange {
  /** Of all words, in order: equal where the statements say the same in the same words, but for case and punctuation. */
  readonly form: string;
  /** Number of words. */
  readonly words: number;
  /** Hashes of the distinct terms, ascending. */
  readonly terms: Uint32Array;
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1a, 32 bits. */
function hashOf(text: string, seed = FNV_OFFSET): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return hash >>> 0;
}

/** Numbers before the terms of a statement: start, end, form (two), words, number of terms. */
const HEAD = 6;
const BYTES = 4;
const OTHER_SEED = 0x9747b28c;
/** Of more, one hostile text would take more room than it has itself. */
const MAX_STATEMENTS = 20_000;
const MAX_TERMS = 200;

/** The statements of a text as bytes; little-endian numbers of 32 bits. Pure. */
export function packStatements(text: string): Uint8Array {
  const statements = statementsOf(text).slice(0, MAX_STATEMENTS);
  const hashed = statements.map((statement) => ({
    statement,
    terms: Uint32Array.from(new Set(statement.terms.slice(0, MAX_TERMS).map((term) => hashOf(term)))).sort(),
  }));
  const numbers = hashed.reduce((sum, { terms }) => sum + HEAD + terms.length, 0);
  const bytes = new Uint8Array(numbers * BYTES);
  const view = new DataView(bytes.buffer);
  let at = 0;
  const write = (value: number): void => {
    view.setUint32(at, value, true);
    at += BYTES;
  };
  for (const { statement, terms } of hashed) {
    const form = formOf(statement);
    for (const value of [statement.start, statement.end]) write(value);
    write(hashOf(form));
    write(hashOf(form, OTHER_SEED));
    write(statement.words.length);
    write(terms.length);
    for (const term of terms) write(term);
  }
  return bytes;
}

const formOf = ({ words }: Statement): string => words.map(({ term }) => term).join(' ');

/** Throws `INDEX_DAMAGED` for bytes that `packStatements` cannot have made. */
export function unpackStatements(bytes: Uint8Array): StoredStatement[] {
  if (bytes.byteLength % BYTES !== 0) throw damaged();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = bytes.byteLength / BYTES;
  const numberAt = (index: number): number => view.getUint32(index * BYTES, true);
  const statements: StoredStatement[] = [];
  for (let at = 0; at < count; ) {
    const length = at + HEAD <= count ? numberAt(at + HEAD - 1) : 0;
    const end = at + HEAD + length;
    if (length === 0 || end > count) throw damaged();
    const terms = Uint32Array.from({ length }, (_, i) => numberAt(at + HEAD + i));
    statements.push({
      start: numberAt(at),
      end: numberAt(at + 1),
      form: `${numberAt(at + 2)} ${numberAt(at + 3)}`,
      words: numberAt(at + 4),
      terms,
    });
    at = end;
  }
  return statements;
}

const damaged = (): RAGError =>
  new RAGError(
    'INDEX_DAMAGED',
    'The index holds statements of a document that cannot be read. Run `ragstone index --force` to build the index anew from its sources.',
  );
