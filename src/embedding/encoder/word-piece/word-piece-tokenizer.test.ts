import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { BUILTIN_MODEL_FOLDER, readVocabulary } from '../../static/model-folder.js';
import { anyText, openTokenizers } from './test-reference-tokenizer.js';
import { knownScripts, WordPieceTokenizer } from './word-piece-tokenizer.js';

let ours: WordPieceTokenizer;
let reference: (text: string) => number[];

beforeAll(async () => {
  ({ ours, reference } = await openTokenizers());
});

describe('WordPieceTokenizer', () => {
  it.each([
    ['splits words greedily', 'unaffable tokenization'],
    ['lower-cases and strips accents', 'Ünïcödé ÉCOLE Ångström İstanbul'],
    ['keeps final sigma as whole-text lower-casing writes it', "ΟΔΟΣ ΟΔΟΣ. ΑΣ'Α ΣΑΣ"],
    ['splits at punctuation and symbols of ASCII', "don't $5 a+b `c` x^y <tag/> «quoted» — dash"],
    ['splits ideographs one by one', '北京abc東京 豈カタカナ한국어'],
    [
      'drops control characters and keeps white space',
      'a\u0000b\u200dc\u00a0d\te\u2028f\ufeffg\ufffdh\u00adi',
    ],
    ['drops lone surrogates', 'a\ud800b \udc00c'],
    ['reads characters beyond the basic plane', 'x😀y 𠀀丽 𝒳𝒴 \u{1d165}\u{e0001}'],
    ['keeps special tokens that are written out', '[CLS] a [MASK]b[SEP][PAD][UNK] [cls] [ CLS ]'],
    ['reads combining marks of every order', 'a\u0301\u0323b\u0323\u0301c \u0301 \u0915\u094d\u0937'],
    ['reads nothing', ''],
    ['reads only space', ' \n\t '],
    ['gives up on words of over 100 characters', `${'a'.repeat(100)} ${'a'.repeat(101)} ${'😀'.repeat(101)}`],
  ])('%s', (_, text) => {
    expect([...ours.encode(text)]).toEqual(reference(text));
  });

  it('has the ids of the reference tokenizer for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect([...ours.encode(text)]).toEqual(reference(text));
      }),
    );
  });

  it('counts what it encodes, and writes a prefix where there is less room', () => {
    fc.assert(
      fc.property(anyText, fc.nat(20), (text, room) => {
        const ids = ours.encode(text);
        const target = new Int32Array(room);
        expect(ours.countTokens(text)).toBe(ids.length);
        expect(ours.encodeInto(text, target)).toBe(Math.min(room, ids.length));
        expect([...target.subarray(0, ids.length)]).toEqual([...ids.subarray(0, room)]);
      }),
    );
  });

  it('counts slices of words of over 100 characters', () => {
    const text = `${'a'.repeat(101)} ${'😀'.repeat(101)}b`;
    const count = ours.countSlices(text);
    for (const [start, end] of [
      [0, 101],
      [1, 101],
      [0, 100],
      [2, 104],
      [102, 304],
      [104, 305],
    ] as const) {
      expect(count(start, end)).toBe(ours.countTokens(text.slice(start, end)));
    }
  });

  it('reads long runs of marks as the reference does', () => {
    const text = `a${'\u0301\u0323\u302e'.repeat(30)} b${'\u0301'.repeat(200)} c${'\u302e'.repeat(200)}d e`;
    expect([...ours.encode(text)]).toEqual(reference(text));
  });

  it('refuses a vocabulary without an unknown token', () => {
    expect(() => new WordPieceTokenizer(['a', 'b'])).toThrow(/\[UNK\]/);
  });
});

/** First and last letter of a run of letters of each script. */
const UNREAD: readonly (readonly [script: string, first: number, last: number])[] = [
  ['Greek', 0x3b1, 0x3c9],
  ['Cyrillic', 0x430, 0x44f],
  ['Armenian', 0x561, 0x586],
  ['Hebrew', 0x5d0, 0x5ea],
  ['Arabic', 0x628, 0x63a],
  ['Devanagari', 0x915, 0x939],
  ['Bengali', 0x995, 0x9a8],
  ['Tamil', 0xba8, 0xbaa],
  ['Thai', 0xe01, 0xe2e],
  ['Lao', 0xe94, 0xe97],
  ['Georgian', 0x10d0, 0x10f0],
  ['Ethiopic', 0x1200, 0x1246],
  ['Cherokee', 0x13a0, 0x13ef],
  ['Khmer', 0x1780, 0x17a2],
  ['Hiragana', 0x3042, 0x3093],
  ['Katakana', 0x30a2, 0x30f3],
  ['half-width Katakana', 0xff71, 0xff9d],
  ['Han', 0x4e00, 0x9fa5],
  ['Hangul', 0xac00, 0xd7a3],
  ['Han beyond the basic plane', 0x20000, 0x2a6d6],
];

const lettersOf = (first: number, last: number): fc.Arbitrary<string> =>
  fc
    .array(fc.integer({ min: first, max: last }), { minLength: 1, maxLength: 30 })
    .map((codes) => String.fromCodePoint(...codes));

const latin = fc.stringMatching(/^[a-zA-ZäöüßéèçñøåłığžšÀ-ÖØ-öø-ÿ]{1,30}$/);
const signs = fc.stringMatching(/^[ 0-9.,;:!?()[\]{}<>/"'@#$%&*+=|~^_-]{0,10}$/);

describe('the vocabulary of the built-in model', () => {
  let reads: (text: string) => boolean;
  beforeAll(async () => {
    reads = knownScripts(await readVocabulary(BUILTIN_MODEL_FOLDER));
  });

  it.each(UNREAD)('has no words of %s', (_, first, last) => {
    fc.assert(
      fc.property(lettersOf(first, last), signs, (letters, around) => {
        expect(reads(around + letters + around)).toBe(false);
      }),
    );
  });

  it('has words of whatever is written in Latin letters, and takes signs and numbers for no script', () => {
    fc.assert(
      fc.property(latin, signs, (letters, around) => {
        expect(reads(around + letters)).toBe(true);
        expect(reads(around)).toBe(true);
      }),
    );
  });

  it('goes by what most of the letters are', () => {
    fc.assert(
      fc.property(fc.constantFrom(...UNREAD), fc.nat(40), fc.nat(40), ([, first], known, other) => {
        const text = `${'a'.repeat(known)} ${String.fromCodePoint(first).repeat(other)}`;
        expect(reads(text)).toBe(known >= other);
      }),
    );
  });
});

it('a vocabulary of another script reads that one', () => {
  const words = Array.from({ length: 1_000 }, (_, i) =>
    String.fromCodePoint(0x430 + (i % 32), 0x430 + (i >> 5)),
  );
  const reads = knownScripts(['[UNK]', ...words]);
  expect([reads('привет'), reads('hello'), reads('123')]).toEqual([true, false, true]);
});

it('one of a few words, which is of no script, reads everything', () => {
  const reads = knownScripts(['[UNK]', 'hello']);
  expect([reads('привет'), reads('hello')]).toEqual([true, true]);
});
