import { ENGLISH_STOP_WORDS } from '../../core/analysis/english-stop-words.js';
import { foldCase, normaliseText } from '../../core/analysis/normalise.js';
import { forEachWord } from '../../core/analysis/tokens.js';
import { identifierRoles } from '../identifier-roles.js';
import type { PreparedQuery } from '../prepared-query.js';
import type { ProcessedQuery, QueryIntent } from './query-expander.js';

/** Most keywords that are named of a query. */
const MAX_KEYWORDS = 12;

const ASKS =
  /\?\s*$|^\s*(?:who|what|which|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|should|would|will|has|have|may)\b/i;

/** A query as expanders see it. */
export function processQuery(query: PreparedQuery): ProcessedQuery {
  return {
    text: query.text,
    terms: query.lexical.terms,
    identifiers: query.identifiers,
    keywords: extractKeywords(query.text),
    intent: intentOf(query),
  };
}

/** The words of a text that name something, folded to lower case, distinct, in order of appearance; at most 12. */
export function extractKeywords(text: string): string[] {
  const found = new Set<string>();
  forEachWord(normaliseText(text), (word) => {
    const folded = foldCase(word);
    if (found.size < MAX_KEYWORDS && !ENGLISH_STOP_WORDS.has(folded.replaceAll("'", ''))) found.add(folded);
  });
  return [...found];
}

/** `identifier`: the query is about the identifiers that it names. `question`: it asks. `keywords`: anything else. */
function intentOf(query: PreparedQuery): QueryIntent {
  const { decisive, isAlone } = identifierRoles(query);
  if (query.identifiers.length > 0 && (isAlone || decisive.size > 0)) return 'identifier';
  return ASKS.test(query.text) ? 'question' : 'keywords';
}
