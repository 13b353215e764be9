/** A short form and what it stands for, as a text defines them: `PDB` and `Pod Disruption Budget`. */
export interface Abbreviation {
  readonly short: string;
  readonly long: string;
}

/** `Pod Disruption Budget (PDB)`, `PDB (Pod Disruption Budget)`: a bracket and the words before it. */
const BRACKET = /(\S[^()[\]{}\n]{0,200})\(([^()\n]{2,80})\)/g;
// One word that holds a capital, begins with a letter or digit, and is no longer than a person would abbreviate to.
const SHORT_FORM = /^(?=[^A-Z]*[A-Z])[A-Za-z0-9][A-Za-z0-9./&-]{1,9}$/;
const PLURAL = /(?<=[A-Z0-9])s$/;

/**
 * Abbreviations that a text defines, in order of appearance, each pair once. The algorithm of Schwartz and Hearst ("A Simple
 * Algorithm for Identifying Abbreviation Definitions in Biomedical Text", PSB 2003): the letters of the short form, read
 * from the end, must occur in this order in the words beside the bracket, the first at the start of a word; the long form
 * has at most `min(n + 5, 2n)` words for n characters. Linear time.
 */
export function findAbbreviations(text: string): Abbreviation[] {
  const found = new Map<string, Abbreviation>();
  for (const [, before = '', inside = ''] of text.matchAll(BRACKET)) {
    const pair = pairOf(before.trim(), inside.trim());
    if (pair !== undefined) found.set(`${pair.short} ${pair.long.toLowerCase()}`, pair);
  }
  return [...found.values()];
}

function pairOf(before: string, inside: string): Abbreviation | undefined {
  // `(PDB, or budget for short)`: what follows a comma explains something else.
  const [first = ''] = inside.split(/[,;]/);
  const bracketed = first.trim();
  if (isShortForm(bracketed)) return longFormIn(lastWords(before, wordLimit(bracketed)), bracketed);
  const word = before.split(/\s+/).at(-1) ?? '';
  if (!isShortForm(word) || inside.split(/\s+/).length > wordLimit(word)) return undefined;
  return longFormIn(inside, word);
}

const isShortForm = (word: string): boolean => SHORT_FORM.test(word);

const wordLimit = ({ length }: string): number => Math.min(length + 5, length * 2);

const lastWords = (text: string, count: number): string => text.split(/\s+/).slice(-count).join(' ');

function longFormIn(words: string, plural: string): Abbreviation | undefined {
  const short = plural.replace(PLURAL, '');
  const start = matchFromEnd(words.toLowerCase(), short.toLowerCase());
  if (start === undefined) return undefined;
  const long = words.slice(start).replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
  // What repeats the short form explains nothing.
  const isLonger =
    long.length > short.length && !long.toLowerCase().split(/\s+/).includes(short.toLowerCase());
  return isLonger ? { short, long } : undefined;
}

/** Where the shortest tail of `words` begins that holds the characters of `short` in their order. */
function matchFromEnd(words: string, short: string): number | undefined {
  let at = words.length;
  for (let i = short.length - 1; i >= 0; i--) {
    const character = short[i] ?? '';
    if (!isLetterOrDigit(character)) continue;
    do at--;
    while (at >= 0 && (words[at] !== character || (i === 0 && isLetterOrDigit(words[at - 1] ?? ' '))));
    if (at < 0) return undefined;
  }
  return at;
}

const isLetterOrDigit = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);
