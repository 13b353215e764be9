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

/** Vowel signs of Arabic, and the stroke that stretches a word. */
const ARABIC_MARKS = /[\u064b-\u065f\u0670\u0640]/g;
/** Letters that people write one for the other, Arabic and Persian (Lucene's ArabicNormalizationFilter, PersianNormalizationFilter), and ё. */
const ALIKE: Readonly<Record<string, string>> = {
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
  ۀ: 'ه',
  ё: 'е',
  Ё: 'Е',
};
const ALIKE_LETTERS = /[أإآٱىیکةۀёЁ]/g;
const ARABIC_DIGITS = /[\u0660-\u0669\u06f0-\u06f9]/g;

export const isAscii = (text: string): boolean => !NON_ASCII.test(text);

/**
 * Compatibility-composed text (NFKC, UAX #15) without accents on Latin and Greek letters and vowel signs of Arabic, with letters that people
 * take for each other as one (ё, forms of alif); case is kept. Linear time.
 */
export function normaliseText(text: string): string {
  if (isAscii(text)) return text;
  return text
    .replace(INVISIBLE, '')
    .replace(EXCESS_MARKS, '$1')
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .normalize('NFKC')
    .replace(ARABIC_MARKS, '')
    .replace(ALIKE_LETTERS, (letter) => ALIKE[letter] ?? letter)
    .replace(ARABIC_DIGITS, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf))
    .replace(/[‘’ʼ]/g, "'")
    .replace(/[‐‑]/g, '-');
}

/** Lower case, with the Latin letters that have no decomposition written out (`ß` -> `ss`, `ø` -> `o`). */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  return isAscii(lower) ? lower : lower.replace(UNDECOMPOSABLE, (letter) => FOLDED[letter] ?? letter);
}
