import { indexedTextOfStored } from '../../core/analysis/indexed-text.js';
import { analyzeQuery, analyzeText } from '../../core/analysis/lexical-analyzer.js';
import type { StoredChunk } from '../../core/chunk.js';

/** How much of a query's words the chunks of a document hold. */
export interface WordCoverage {
  /** Analysed terms of the query. */
  readonly terms: readonly string[];
  /** Most terms in any one chunk. */
  readonly best: number;
  /** Most terms in a stretch of a chunk's length across the border of two chunks. */
  readonly acrossBorder: number;
  /** Position of the first of those two chunks. */
  readonly border: number;
}

/** Looks for words of the query that a cut has set apart. Chunks in the order of the document. */
export function coverageOf(query: string, chunks: readonly StoredChunk[]): WordCoverage {
  const { terms } = analyzeQuery(query);
  const held = (text: string): number => heldOf(terms, text);
  let acrossBorder = 0;
  let border = 0;
  chunks.slice(1).forEach((after, i) => {
    const before = chunks[i];
    if (before === undefined) return;
    const count = held(`${headOf(before)}\n${endOf(before.content)}\n${startOf(after.content)}`);
    if (count > acrossBorder) {
      acrossBorder = count;
      border = i;
    }
  });
  return {
    terms,
    best: Math.max(0, ...chunks.map((chunk) => held(indexedTextOfStored(chunk)))),
    acrossBorder,
    border,
  };
}

/** How many of the terms a text holds. */
function heldOf(terms: readonly string[], text: string): number {
  const known = new Set(analyzeText(text));
  return terms.filter((term) => known.has(term)).length;
}

/** A chunk is cut off from what the query asks for where its neighbour's half adds a third more of the words. */
export const isCutApart = ({ best, acrossBorder }: WordCoverage): boolean =>
  acrossBorder > best && best <= 0.75 * acrossBorder;

const endOf = (text: string): string => text.slice(Math.floor(text.length / 2));
const startOf = (text: string): string => text.slice(0, Math.ceil(text.length / 2));

const headOf = (chunk: StoredChunk): string => indexedTextOfStored({ ...chunk, content: '' });

/** Whether the embedding model reads less of a text than it holds, and the query's words stand only in the rest. */
export interface Truncation {
  readonly tokens: number;
  readonly limit: number;
  /** Words of the query in the whole text, and in the part that is read. */
  readonly terms: number;
  readonly termsRead: number;
}

/** How a model cuts a text; undefined where it reads all of it. */
export function truncationOf(
  text: string,
  query: string,
  { countTokens, maxInputTokens }: { countTokens: (text: string) => number; maxInputTokens: number },
): Truncation | undefined {
  const tokens = countTokens(text);
  if (tokens <= maxInputTokens) return undefined;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countTokens(text.slice(0, middle)) <= maxInputTokens) low = middle;
    else high = middle - 1;
  }
  const { terms } = analyzeQuery(query);
  return {
    tokens,
    limit: maxInputTokens,
    terms: heldOf(terms, text),
    termsRead: heldOf(terms, text.slice(0, low)),
  };
}
