import { Buffer } from 'node:buffer';
import { countHiddenCharacters, tagCharacterText, withoutHiddenCharacters } from './hidden-characters.js';

/** A text as a patient reader would read it, and how it had been hidden. */
export interface UnmaskedText {
  readonly text: string;
  /** Texts that stood in it in code: base64, hexadecimal, percent signs, tag characters, ROT13. */
  readonly decoded: readonly string[];
  /** Invisible or reordering characters that were taken out. */
  readonly hiddenCharacters: number;
  /** Words that mix Latin with look-alike letters of another script. */
  readonly mixedScriptWords: number;
}

// Letters that look like Latin ones (of Unicode's confusables, UTS #39, those of Cyrillic and Greek).
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['аАеЕоОрРсСуУхХіІјЈѕЅԁһкКмМтТвВнНгԛԝ', 'aAeEoOpPcCyYxXiIjJsSdhkKmMtTbBnHrqw'],
    ['αΑεΕοΟρΡυΥχΧιΙκΚΜΝνΤτΒΖΗ', 'aAeEoOpPuYxXiIkKMNvTtBZH'],
  ].flatMap(([from = '', to = '']) => [...from].map((letter, i) => [letter, to[i] ?? ''] as const)),
);
const LOOK_ALIKE = new RegExp(`[${Object.keys(LOOK_ALIKES).join('')}]`, 'gu');
const MIXED_WORD = /(?=[\p{L}]*[a-z])(?=[\p{L}]*[\p{sc=Cyrillic}\p{sc=Greek}])\p{L}{3,40}/giu;
const OTHER_SCRIPT = /[\p{sc=Cyrillic}\p{sc=Greek}]/u;

/** Undoes disguises: hidden characters go, look-alike letters become Latin where words mix scripts, codes are read. */
export function unmask(original: string): UnmaskedText {
  const visible = withoutHiddenCharacters(original);
  const mixed = OTHER_SCRIPT.test(visible) ? (visible.match(MIXED_WORD)?.length ?? 0) : 0;
  const latin = mixed > 0 ? visible.replace(LOOK_ALIKE, (letter) => LOOK_ALIKES[letter] ?? letter) : visible;
  return {
    text: withoutSpacing(withoutEntities(latin).normalize('NFKC')),
    decoded: decodedTexts(original),
    hiddenCharacters: countHiddenCharacters(original),
    mixedScriptWords: mixed,
  };
}

const ENTITY = /&#(?:x([0-9a-f]{2,6})|(\d{2,7}));/gi;

/** Numeric character references as the characters they stand for. */
const withoutEntities = (text: string): string =>
  text.replace(ENTITY, (whole, hexadecimal: string | undefined, decimal: string | undefined) => {
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : whole;
  });

/** Words of at least five letters with a space, a dot or a hyphen after each: `i g n o r e`. */
const SPACED_WORD = /(?<![\p{L}\p{N}])\p{L}(?:([ ._-])\p{L}(?:\1\p{L}){3,30})(?![\p{L}\p{N}])/gu;

const withoutSpacing = (text: string): string =>
  text.replace(SPACED_WORD, (word, separator: string) => word.replaceAll(separator, ''));

/** ROT13 of the commonest words of English, of which real text has none. */
const ROTATED = /\b(?:gur|naq|lbh|nyy|jvgu|vtaber|nafjre)\b/gi;
const LEAST_ROTATED = 2;

function fromRotation(text: string): string {
  if ((text.match(ROTATED)?.length ?? 0) < LEAST_ROTATED) return '';
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

const BASE64 = /(?<![\w+/])[A-Za-z0-9+/]{24,4000}={0,2}(?![\w+/])/g;
const BASE64URL = /(?<![\w-])[A-Za-z0-9_-]{24,4000}={0,2}(?![\w-])/g;
const HEXADECIMAL = /(?<![\w])(?:[0-9a-f]{2}[ :]?){16,2000}(?![\w])/gi;
const PERCENT = /(?:%[0-9a-f]{2}[\w.~-]{0,20}){4,500}/gi;
const ESCAPED = /(?:\\u[0-9a-f]{4}|\\x[0-9a-f]{2}){6,1000}/gi;

function decodedTexts(text: string): string[] {
  const found = [
    ...(text.match(BASE64) ?? []).map((run) => fromBytes(run, 'base64')),
    ...(text.match(BASE64URL) ?? []).map((run) => fromBytes(run, 'base64url')),
    ...(text.match(HEXADECIMAL) ?? []).map((run) => fromBytes(run.replace(/[^0-9a-f]/gi, ''), 'hex')),
    ...(text.match(PERCENT) ?? []).map(fromPercent),
    ...(text.match(ESCAPED) ?? []).map(fromEscapes),
    tagCharacterText(text),
    fromRotation(text),
  ];
  return [...new Set(found.filter(isReadable))];
}

const fromBytes = (run: string, encoding: 'base64' | 'base64url' | 'hex'): string =>
  Buffer.from(run, encoding).toString('utf8');

function fromPercent(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return '';
  }
}

const fromEscapes = (run: string): string =>
  run.replace(/\\[ux]([0-9a-f]{2,4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Words with spaces between them: what a key or a hash never decodes to. */
const isReadable = (text: string): boolean =>
  text.length >= 8 &&
  !text.includes('\ufffd') &&
  /^[\p{L}\p{N}\p{P}\p{S}\s]+$/u.test(text) &&
  /\p{L}{2,} \p{L}{2,}/u.test(text);
