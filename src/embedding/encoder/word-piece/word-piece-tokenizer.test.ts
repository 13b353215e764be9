import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { anyText, openTokenizers } from './test-reference-tokenizer.js';
import { WordPieceTokenizer } from './word-piece-tokenizer.js';

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
