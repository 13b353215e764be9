import { isAscii } from './normalise.js';

/** Longest term that is indexed, in UTF-16 code units: a SHA-256 in hexadecimal fits; longer ones are cut. */
export const MAX_TERM_LENGTH = 64;

// A compound with more parts is data (a path, a table of figures), not a name that someone would type as a whole.
const MAX_COMPOUND_PARTS = 8;

const ASCII_WORD = /[a-z0-9]+(?:(?:[_-]{1,2}|'(?=[a-z])|(?<=[0-9])\.(?=[0-9]))[a-z0-9]+)*/gi;
const WORD = /[\p{L}\p{M}\p{N}]+(?:(?:[_-]{1,2}|'(?=\p{L})|(?<=\p{N})\.(?=\p{N}))[\p{L}\p{M}\p{N}]+)*/gu;
const SPACELESS_SCRIPTS =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー々';
const SCRIPT_RUNS = new RegExp(`[${SPACELESS_SCRIPTS}]+|[^${SPACELESS_SCRIPTS}]+`, 'gu');
const IS_SPACELESS = new RegExp(`^[${SPACELESS_SCRIPTS}]`, 'u');

// Between lower and upper case, before the last capital of an acronym (`HTTPServer`), between letter and digit.
const PART = /\p{Lu}+(?![\p{Ll}\p{M}])|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{N}+(?:\.\p{N}+)*|\p{Lu}+/gu;
const ASCII_PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+(?:\.[0-9]+)*/g;
const ASCII_SIMPLE = /^(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]+)$/;

/** Calls `visit` for every word of normalised text, in order: a run of letters and digits of one kind of script, with the
 * joiners that occur inside names. Time linear in the length of the text. */
export function forEachWord(text: string, visit: (word: string) => void): void {
  const ascii = isAscii(text);
  // `match` makes strings alone; `matchAll` makes a match object for each, which takes twice as long.
  for (const word of text.match(ascii ? ASCII_WORD : WORD) ?? []) {
    if (ascii || isAscii(word)) visitWord(word, visit);
    else for (const [run] of word.matchAll(SCRIPT_RUNS)) visitRun(run, visit);
  }
}

function visitRun(run: string, visit: (word: string) => void): void {
  if (isSpaceless(run)) {
    for (const gram of bigramsOf(run)) visit(gram);
    return;
  }
  const word = run.replace(/^[-_'.]+|[-_'.]+$/g, '');
  if (word !== '') visitWord(word, visit);
}

function visitWord(word: string, visit: (word: string) => void): void {
  const segments = word.length <= MAX_TERM_LENGTH ? [word] : word.split(/[-_]+/);
  for (const segment of segments) if (segment !== '') visit(cutToUnits(segment, MAX_TERM_LENGTH));
}

/** The word belongs to a script written without spaces, so it is a pair of characters, or a lone one. */
export const isSpaceless = (word: string): boolean => IS_SPACELESS.test(word);

/** Parts of a compound word, at least two; empty where the word is simple or has more parts than a name has. */
export function partsOf(word: string): readonly string[] {
  if (ASCII_SIMPLE.test(word)) return [];
  const parts = word.match(isAscii(word) ? ASCII_PART : PART);
  if (parts === null || parts.length < 2) return [];
  return parts.length > MAX_COMPOUND_PARTS ? [] : parts;
}

/** Overlapping pairs of characters, as Lucene's CJKBigramFilter makes them; a lone character stands for itself. */
function* bigramsOf(run: string): Generator<string> {
  let previous: string | undefined;
  let count = 0;
  for (const character of run) {
    if (previous !== undefined) yield previous + character;
    previous = character;
    count++;
  }
  if (count === 1 && previous !== undefined) yield previous;
}

/** The first `units` code units, without half a surrogate pair at the end. */
export function cutToUnits(text: string, units: number): string {
  if (text.length <= units) return text;
  const last = text.charCodeAt(units - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units);
}
