import fc from 'fast-check';
import { expect, it } from 'vitest';
import { normaliseText } from './normalise.js';
import { forEachWord } from './tokens.js';
import { forEachWantedWord, type IsWantedBeginning } from './wanted-words.js';

function wordsOf(text: string): string[] {
  const words: string[] = [];
  forEachWord(text, (word) => words.push(word));
  return words;
}

function wantedOf(text: string, isWanted: IsWantedBeginning): (string | undefined)[] {
  const words: (string | undefined)[] = [];
  forEachWantedWord(text, isWanted, (word) => words.push(word));
  return words;
}

const joiners = fc.constantFrom('_', '-', '--', '---', '_-', "'", '.', ' ', ', ', '\n', '"', '(');
const pieces = fc.constantFrom(
  'a',
  'Ab',
  'HTTP',
  'word',
  'x1',
  '42',
  '3',
  'ä',
  'naïve',
  '日本',
  'ー',
  '\u0301',
  'é',
  '😀',
  'İ',
);
const text = fc
  .array(
    fc.oneof(joiners, pieces, fc.string({ maxLength: 4 }), fc.string({ unit: 'grapheme', maxLength: 3 })),
    {
      maxLength: 40,
    },
  )
  .map((parts) => normaliseText(parts.join('')));

it('gives the words of forEachWord where all are wanted', () => {
  fc.assert(
    fc.property(text, (given) => {
      expect(wantedOf(given, () => true)).toEqual(wordsOf(given));
    }),
    { numRuns: 2_000 },
  );
});

it('gives as many words, and all but simple ones, where none is wanted', () => {
  fc.assert(
    fc.property(text, (given) => {
      const words = wordsOf(given);
      const left = wantedOf(given, () => false);
      expect(left.map((word, i) => word ?? words[i])).toEqual(words);
      for (const [i, word] of left.entries())
        if (word === undefined) expect(words[i]).toMatch(/^[A-Za-z][a-z]*$/);
    }),
  );
});

it('asks by the first three letters, a capital as its small letter', () => {
  const wanted = new Set(['ind', 'in\0', 'i\0\0']);
  const isWanted: IsWantedBeginning = (...units) => wanted.has(String.fromCharCode(...units));
  expect(wantedOf('Index in I inner inner_x index2 of', isWanted)).toEqual([
    'Index',
    'in',
    'I',
    undefined,
    'inner_x',
    'index2',
    undefined,
  ]);
});

it('cuts very long words as forEachWord does', () => {
  const long = `${'a'.repeat(70)}_${'b'.repeat(80)} c ${'-'.repeat(500)}`;
  expect(wantedOf(long, () => true)).toEqual(wordsOf(long));
});
