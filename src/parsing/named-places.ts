import type { TextRange } from '../core/document.js';
import { madeOnce } from '../core/made-once.js';
import { foldedName } from '../core/metadata.js';

/** What may stand inside a name, backslashes so many as text inside of text has: blanks, signs that join words, what is not seen, and how others write these. */
const GAP = String.raw`(?:\r?\n[ \t]{0,8}|[ \t\u00A0\u2000-\u200F\u202F\u2060\u3000\uFEFF\u00AD\u2010-\u2015\uFF0D\uFF3F_*\x60\x2d]|\.(?!\s)|\\\r?\n[ \t]{0,20}|\\{1,16}[ _.\x2d]|\]\([^()\s]{0,200}\)|<!--[^<>\n]{0,80}-->|&(?:nbsp|shy|lowbar|hyphen|zwnj|zwj|#\d{2,5}|#x[\da-f]{2,5});|%(?:20|2d|5f|2e|c2%a0)|\\{1,16}u(?:00)?(?:5f|20|2d|ad|a0)|</?[a-z]{1,8} ?/?>){0,6}`;
const PLAIN = /[\p{L}\p{N}]/u;
/** Words of a name: behind another of small letters a capital begins one. */
const WORDS = /[\s_.-]+|(?<=\p{Ll})(?=\p{Lu})/u;

/** Where a text names a field, in whatever letters, alone or as a part of a longer name. */
export interface NamedPlace extends TextRange {
  readonly names: readonly string[];
  /** The name has several words, so that it is no word of other texts. */
  readonly isWorded: boolean;
}

/** Whether a name has several words. */
export const isWorded = (name: string): boolean => name.split(WORDS).filter((word) => word !== '').length > 1;

interface Patterns {
  readonly named: RegExp;
  /** With the longer name that one is a part of. */
  readonly longer: RegExp;
}

const patternsOf = madeOnce((names: readonly string[]): Patterns => {
  const written = names.map((name) => [...foldedName(name)].map(letterSource).join(GAP));
  const named = String.raw`(?:(?:set|with|put|add|update|change)_?)?(?:${written.map((own) => `(${own})`).join('|') || '(?!)'})(?:e?s(?!\p{Ll}))?`;
  return {
    named: new RegExp(named, 'giu'),
    longer: new RegExp(String.raw`[\p{L}_.$]{0,60}(?:${named})[\p{L}_.$]{0,60}(?:\(\))?`, 'giu'),
  };
});

/** A letter, in its full width, and as escapes write it. */
function letterSource(letter: string): string {
  const codes = [...new Set([letter, letter.toUpperCase()])].map((each) => each.codePointAt(0) ?? 0);
  const [code = 0] = codes;
  if (code < 0x21 || code > 0x7e) return letter.replace(/[^\p{L}\p{N}]/gu, String.raw`\$&`);
  const hex = codes.map((each) => each.toString(16)).join('|');
  const plain = PLAIN.test(letter) ? letter : `\\x${code.toString(16)}`;
  const wide = String.fromCodePoint(code + 0xfee0);
  return String.raw`(?:[${plain}${wide}]|\\{1,16}u00(?:${hex})|%(?:${hex})|&#(?:${codes.join('|')}|x(?:${hex}));)`;
}

/** All places, in order. */
export function namedPlaces(text: string, names: readonly string[]): NamedPlace[] {
  const found: NamedPlace[] = [];
  for (const match of text.matchAll(patternsOf(names).named)) {
    const start = match.index;
    const end = start + match[0].length;
    const own = names.filter((_, place) => match[place + 1] !== undefined);
    const place = { start, end, names: own, isWorded: own.some(isWorded) };
    if (isWhole(text, place)) found.push(place);
  }
  return found;
}

/** Whether no word goes on beyond a name: one of several words may be a part of a longer name. */
function isWhole(text: string, { start, end, isWorded: isOfWords }: NamedPlace): boolean {
  const [before, first, second] = [start - 1, start, start + 1].map((at) => text.charAt(at));
  const [last, next] = [end - 1, end].map((at) => text.charAt(at));
  const isBehindEscape = /(?:\\[nrt]|%[\da-f]{2})$/i.test(text.slice(Math.max(0, start - 3), start));
  if (!isOfWords)
    return (
      (isBehindEscape || !/[\p{L}\p{N}_]/u.test(before ?? '')) &&
      !/^_{0,3}[\p{L}\p{N}]/u.test(text.slice(end, end + 4))
    );
  const isCapital = (letter = ''): boolean => /\p{Lu}/u.test(letter);
  const isSmall = (letter = ''): boolean => /\p{Ll}/u.test(letter);
  const begins =
    isBehindEscape ||
    !/\p{L}/u.test(before ?? '') ||
    (isCapital(first) && (!isCapital(before) || isSmall(second)));
  return begins && (!/\p{L}/u.test(next ?? '') || (isCapital(next) && !isCapital(last)));
}

/** A text without its names, and the longer ones that they are parts of. */
export const withoutNames = (text: string, names: readonly string[]): string =>
  text.replace(patternsOf(names).longer, ' ');

/** Whether nothing but names is in a text. */
export const isLone = (text: string, names: readonly string[]): boolean =>
  !PLAIN.test(withoutNames(text, names));
