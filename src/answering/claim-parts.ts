import { foldCase, normaliseText } from '../core/analysis/normalise.js';

// What a sentence asserts that can be compared exactly: numbers and names.

const UNITS = 'one two three four five six seven eight nine'.split(' ');
const TEENS = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ');
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** Words that state a number, to 99. */
const CARDINALS: ReadonlyMap<string, string> = new Map([
  ...UNITS.map((word, i) => [word, String(i + 1)] as const),
  ...TEENS.map((word, i) => [word, String(i + 10)] as const),
  ...TENS.flatMap((ten, i) => [
    [ten, String(20 + 10 * i)] as const,
    ...UNITS.map((unit, j) => [`${ten}-${unit}`, String(21 + 10 * i + j)] as const),
  ]),
]);
/** Words that may state one, or say something else: "at first", "a second", "one can". Nothing is missing where they are. */
const PERHAPS_NUMBERS: ReadonlyMap<string, string> = new Map([
  ['first', '1'],
  ['second', '2'],
  ['third', '3'],
  ['fourth', '4'],
  ['fifth', '5'],
  ['half', '50'],
  ['once', '1'],
  ['twice', '2'],
  ['zero', '0'],
  ['hundred', '100'],
  ['thousand', '1000'],
  ['million', '1000000'],
  ['billion', '1000000000'],
]);
// Digits in groups of three (`1,200`, `1 200`, `1'200`), or as they stand, with a decimal fraction; what follows is a unit.
const NUMBER = /(?<![\p{L}\d])[-+]?(?:\d{1,3}(?:[,' ]\d{3})+(?!\d)|\d+)(?:\.\d+)*(?:\/\d+)?/gu;
/** A marker of a list item counts the items and claims nothing. */
export const LIST_MARKER = /^\s*\d{1,3}[.)]\s+|(?<=:)\s\d{1,3}[.)]\s*$/g;
const WORD = /[\p{L}][\p{L}'’-]*/gu;

/** Numbers in one spelling: `1,200` is `1200`, `three` is `3`, `50 %` is `50`, `first` is `1`. */
export function numbersOf(text: string): ReadonlySet<string> {
  const found = new Set(statedNumbers(text));
  for (const [word] of text.matchAll(WORD)) {
    const number = PERHAPS_NUMBERS.get(word.toLowerCase());
    if (number !== undefined) found.add(number);
  }
  if (/\bone\b/i.test(text)) found.add('1');
  return found;
}

/** The numbers that a sentence states beyond doubt: its digits, and words from `two` up. */
export function statedNumbers(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [raw] of normaliseText(text).replace(LIST_MARKER, ' ').matchAll(NUMBER)) {
    const plain = raw.replace(/[\s,'+]/g, '');
    found.add(plain.replace(/^(-?\d+)\.0+$/, '$1'));
  }
  for (const [word] of text.matchAll(WORD)) {
    const number = CARDINALS.get(word.toLowerCase());
    if (number !== undefined && number !== '1') found.add(number);
  }
  return found;
}

const NAME = /(?<![\p{L}\p{N}]|[.!?:]\s|^\W*|\n\W*)(?:\p{Lu}[\p{L}\p{N}'’-]+)/gu;
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
