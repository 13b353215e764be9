import { extractIdentifiers } from '../analysis/identifiers.js';
import { indexedTextOfStored } from '../analysis/indexed-text.js';
import { analyzeText } from '../analysis/lexical-analyzer.js';
import { contentTerms } from '../analysis/question-parts.js';
import type { ScoredChunk } from '../core/chunk.js';

const WORD = /[\p{L}\p{N}][\p{L}\p{N}._/'’-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu;
const MOST = 6;

/**
 * Names and identifiers of a question, as they stand in it, that no passage holds. Other words are left out: that no passage says "later"
 * tells nothing, and a search for it finds anything.
 */
export function missingNames(question: string, passages: readonly ScoredChunk[]): string[] {
  const texts = passages.map(({ chunk }) => indexedTextOfStored(chunk));
  const terms = new Set(texts.flatMap(analyzeText));
  const identifiers = new Set(texts.flatMap(extractIdentifiers));
  // `SHOP-512` is not held where `SHOP-481` is, though they share a term.
  const isHeld = (name: string): boolean => {
    const named = extractIdentifiers(name);
    if (named.length > 0) return named.some((identifier) => identifiers.has(identifier));
    const own = contentTerms(name);
    return own.length === 0 || own.some((term) => terms.has(term));
  };
  const missing = [...question.matchAll(WORD)]
    .filter((match) => isName(match[0], question, match.index))
    .map(([word]) => word)
    .filter((word) => !isHeld(word));
  return [...new Set(missing)].slice(0, MOST);
}

/** An identifier, or a capital where no sentence begins. */
const isName = (word: string, text: string, at: number): boolean =>
  extractIdentifiers(word).length > 0 ||
  (/^\p{Lu}/u.test(word) && !/(?:^|[.?!:;]["')]?\s*)["'(]?$/.test(text.slice(0, at).trimEnd()));
