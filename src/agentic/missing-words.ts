import { indexedTextOfStored } from '../analysis/indexed-text.js';
import { analyzeText } from '../analysis/lexical-analyzer.js';
import type { ScoredChunk } from '../core/chunk.js';
import { contentTerms } from './question-parts.js';

const WORD = /[\p{L}\p{N}][\p{L}\p{N}._/'’-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu;
const MOST = 12;

/** Words of a question, as they stand in it, that are about something and that no passage holds in any form. */
export function missingWords(question: string, passages: readonly ScoredChunk[]): string[] {
  const held = new Set(passages.flatMap(({ chunk }) => analyzeText(indexedTextOfStored(chunk))));
  const isMissing = (word: string): boolean => {
    const terms = contentTerms(word);
    return terms.length > 0 && terms.every((term) => !held.has(term));
  };
  return [...new Set(question.match(WORD) ?? [])].filter(isMissing).slice(0, MOST);
}
