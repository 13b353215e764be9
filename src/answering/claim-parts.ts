import { foldCase, normaliseText } from '../analysis/normalise.js';

// What a sentence asserts that can be compared exactly: numbers and names.

const NUMBER_WORDS: Readonly<Record<string, string>> = {
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  ten: '10',
  eleven: '11',
  twelve: '12',
  first: '1',
  second: '2',
  third: '3',
  fourth: '4',
  fifth: '5',
  half: '50%',
  once: '1',
  twice: '2',
  zero: '0',
  hundred: '100',
  thousand: '1000',
  million: '1000000',
  billion: '1000000000',
};
const NUMBER =
  /(?<![\p{L}\d])[-+]?\d[\d,.' ]*\d(?:st|nd|rd|th|%|k|m|bn)?|(?<![\p{L}\d])\d(?:st|nd|rd|th|%|k|m)?(?![\p{L}\d])/giu;
const WORD = /[\p{L}][\p{L}'’-]*/gu;

/** Numbers in one spelling: `1,200` is `1200`, `three` is `3`, `50 %` is `50`. */
export function numbersOf(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [raw] of normaliseText(text).matchAll(NUMBER)) {
    const plain = raw
      .replace(/[\s,']/g, '')
      .replace(/[^\d.+-].*$/, '')
      .replace(/^\+|\.+$/g, '');
    if (plain !== '') found.add(plain.replace(/\.0+$/, ''));
  }
  for (const [word] of text.matchAll(WORD)) {
    const number = NUMBER_WORDS[word.toLowerCase()];
    if (number !== undefined) found.add(number.replace('%', ''));
  }
  return found;
}

const NAME = /(?<![.!?:]\s|^\W*|\n\W*)(?:\p{Lu}[\p{L}\p{N}'’-]+)/gu;
const NO_NAMES = new Set(
  'I A An The This That These Those It Its He She They We You Yes No Not And Or But If In On At To For From By With As Of Is Are Was Were Be There Here When Where Who What Which How Why However Additionally Also Furthermore Overall Therefore While Although Since Because Some Many Most All Both Each Other Another'.split(
    ' ',
  ),
);

/** Capitalised words inside sentences, folded: names of people, places and products. */
export function namesOf(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [name] of text.matchAll(NAME)) {
    if (!NO_NAMES.has(name)) found.add(foldCase(normaliseText(name).replace(/['’]s$/, '')));
  }
  return found;
}
