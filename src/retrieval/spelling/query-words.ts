import { extractIdentifiers } from '../../core/analysis/identifiers.js';
import { analyzeText } from '../../core/analysis/lexical-analyzer.js';
import { foldCase, normaliseText } from '../../core/analysis/normalise.js';

/** Shorter words have too many neighbours that are words. */
export const SHORTEST_CORRECTED = 5;
/** A word of so many letters has fewer than 1,000 neighbours, which is what servers take in one search. */
export const LONGEST_CORRECTED = 18;

/** Longer words are no compounds that anybody types. */
const LONGEST_COMPOUND = 40;

/** A word of a query, where it stands and how it is read. */
export interface QueryWord {
  /** As it is written. */
  readonly text: string;
  readonly start: number;
  /** Small letters without accents. */
  readonly folded: string;
  /** As the index keeps it. */
  readonly term: string;
  /** With a capital where no sentence begins: a name. */
  readonly isName: boolean;
}

/** The words of a query that may be mistyped, and the short ones, which tell its language. */
export interface QueryWords {
  readonly correctable: readonly QueryWord[];
  readonly short: readonly QueryWord[];
}

const STRETCH = /\S+/gu;
const WORD = /\p{L}[\p{L}\p{M}]*/gu;
const PLAIN = /^\p{L}?[\p{Ll}\p{Lo}\p{M}]+$/u;
/** Between words of prose; anything else that joins letters makes a name of code, a path or a number. */
const IS_PROSE = /^[^\p{L}\p{N}]*[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*[^\p{L}\p{N}]*$/u;
const QUOTED = /"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|`[^`]*`|(?<=^|\s)'[^']+'(?=\s|$|[?.!,;])/gu;
const SENTENCE_END = /(?:^|[.!?:])["')]?\s*$/;

/**
 * Reads a query for mistyped words. What stands in quotes, is an identifier, holds a digit or a capital inside or is written in
 * capitals is meant as it is.
 */
export function readQueryWords(query: string): QueryWords {
  const open = query.replace(QUOTED, (quoted) => ' '.repeat(quoted.length));
  const words = [...open.matchAll(STRETCH)].flatMap((stretch) => wordsOf(open, stretch[0], stretch.index));
  return {
    correctable: words.filter(({ folded }) => {
      const { length } = folded;
      return length >= SHORTEST_CORRECTED && length <= LONGEST_COMPOUND;
    }),
    short: words.filter(({ folded, isName }) => folded.length < SHORTEST_CORRECTED && !isName),
  };
}

function wordsOf(query: string, stretch: string, at: number): QueryWord[] {
  // Beginnings of words, and words that are left out.
  if (stretch.endsWith('*') || stretch.startsWith('-')) return [];
  if (!IS_PROSE.test(stretch) || /[/\\@#_$=<>]/.test(stretch)) return [];
  if (extractIdentifiers(stretch).length > 0) return [];
  return [...stretch.matchAll(WORD)].flatMap((match) => {
    const [text] = match;
    if (!PLAIN.test(text)) return [];
    const start = at + match.index;
    const folded = foldCase(normaliseText(text));
    const terms = analyzeText(folded);
    const isCapitalised = text.charAt(0) !== text.charAt(0).toLowerCase();
    const isName = isCapitalised && !SENTENCE_END.test(query.slice(0, start));
    // A word of grammar has no term, one of a script without spaces several.
    return terms.length > 1 ? [] : [{ text, start, folded, term: terms[0] ?? '', isName }];
  });
}
