/**
 * Longest run of combining marks that is kept. Unicode's Stream-Safe Text Format (UAX #15, section 13) allows 30; longer
 * runs occur in no language and make normalisation take quadratic time.
 */
const MAX_COMBINING_MARKS = 30;

const NON_ASCII = /[^\0-\x7f]/;
const EXCESS_MARKS = new RegExp(`(\\p{M}{${MAX_COMBINING_MARKS}})\\p{M}+`, 'gu');
// Only where the mark is an accent: in other scripts it distinguishes letters (й, が, Indic vowel signs).
const ACCENTS = /(?<=[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu;
const UNDECOMPOSABLE = /[ßæœøđðłþıħ]/g;
const FOLDED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
};
// Zero-width characters and soft hyphens are invisible and would split words: an easy way to hide one.
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;

export const isAscii = (text: string): boolean => !NON_ASCII.test(text);

/** Compatibility-composed text (NFKC, UAX #15) without accents on Latin and Greek letters; case is kept. Linear time. */
export function normaliseText(text: string): string {
  if (isAscii(text)) return text;
  return text
    .replace(INVISIBLE, '')
    .replace(EXCESS_MARKS, '$1')
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .normalize('NFKC')
    .replace(/[‘’ʼ]/g, "'")
    .replace(/[‐‑]/g, '-');
}

/** Lower case, with the Latin letters that have no decomposition written out (`ß` -> `ss`, `ø` -> `o`). */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  return isAscii(lower) ? lower : lower.replace(UNDECOMPOSABLE, (letter) => FOLDED[letter] ?? letter);
}
