import { Tokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../word-piece/test-reference-tokenizer.js';
import { CharacterMap } from './character-map.js';
import { UNIGRAM_FORMS } from './test-unigram.js';
import { encode, openUnigram } from './test-unigram-tokenizer.js';

const WORDS = 'words between white space';
const BLANKS = 'words that blanks begin';
const STRIPPED = 'text without blanks at its end';

describe('UnigramTokenizer', () => {
  // Ids of `tokenizers` 0.23 in Python, for the three forms; one list where they agree.
  it.each<[string, string, ...number[][]]>([
    ['cuts words into the pieces that are most probable together', 'the station', [21, 27]],
    ['reads composed letters', 'caf\u00e9 cafe\u0301 cafe\u0301\u0323', [29, 28, 29, 28, 29, 28]],
    [
      'replaces a whole cluster by what its first character is',
      'ﬁne ﬁ\u0301ne',
      [4, 19, 20, 12, 9, 4, 19, 20, 12, 9],
    ],
    ['reads characters of the map alone', 'ａ①… x\u200bx', [23, 3, 17, 17, 17, 4, 3]],
    ['needs no blanks', '中文中文, 中文', [4, 32, 32, 18, 4, 32]],
    ['makes one unknown token of characters beside each other', 'xyz qq中xx', [4, 3, 4, 3, 30, 3]],
    [
      'looks up long clusters character by character',
      '한\u1112\u1161\u11ab 😀👨‍👩‍👧 🇩🇪🇫',
      [4, 34, 3, 4, 33, 3, 4, 3],
    ],
    ['keeps the marks of long clusters', 'a…\u0301 a…\u0301\u0301', [23, 17, 17, 17, 23, 17, 17, 17, 3]],
    ['keeps tokens that are written out', 'a <mask> b  <mask>', [23, 35, 4, 6, 35]],
    ['reads line ends', 'the\r\nthe\r\r\nthe', [21, 21, 21]],
    ['reads nothing', '', []],
    ['reads blanks', '  ', [], [4], []],
    ['reads blanks at both ends', ' the  thing \n', [21, 4, 16, 10, 25], [21, 4, 16, 10, 25, 4]],
    ['keeps no blank at the end', 'a  ', [23], [23, 4]],
    ['reads marks of words', '▁the▁', [21], [21, 4]],
    ['keeps tokens beside blanks', '＜mask＞ <s>the</s>', [4, 35, 0, 21, 2], [4, 35, 4, 0, 21, 2]],
  ])('%s', (_, text, ids = [], blanks = ids) => {
    expect(encode(openUnigram(WORDS), text)).toEqual(ids);
    expect(encode(openUnigram(BLANKS), text)).toEqual(blanks);
    expect(encode(openUnigram(STRIPPED), text)).toEqual(ids);
  });

  it.each(Object.entries(UNIGRAM_FORMS))('has the ids of the package for %s', (name, json) => {
    const ours = openUnigram(name);
    const theirs = new Tokenizer(json, {});
    // Characters that the package, which has a rule in place of the map, reads alike.
    const text = fc.string({
      unit: fc.constantFrom(...'thestationg cafi\u00e9中文😀é,.x  \n'),
      maxLength: 40,
    });
    fc.assert(
      fc.property(text, (given) => {
        expect(encode(ours, given)).toEqual(theirs.encode(given, { add_special_tokens: false }).ids);
      }),
    );
  });

  it.each(Object.keys(UNIGRAM_FORMS))('reads any text with %s, and counts what it writes', (name) => {
    const tokenizer = openUnigram(name);
    fc.assert(
      fc.property(anyText, fc.nat(20), (text, room) => {
        const ids = encode(tokenizer, text);
        expect(tokenizer.countTokens(text)).toBe(ids.length);
        expect(ids.every((id) => id >= 0 && id <= 35)).toBe(true);
        const target = new Int32Array(room);
        expect(tokenizer.encodeInto(text, target)).toBe(Math.min(room, ids.length));
        expect([...target.subarray(0, ids.length)]).toEqual(ids.slice(0, room));
      }),
    );
  });

  it('finds what is written out in a text as it is read, where the token says so', () => {
    const { added_tokens: tokens, ...json } = UNIGRAM_FORMS[WORDS] ?? {};
    const normalized = (tokens as { content: string }[]).map((token) => ({
      ...token,
      normalized: token.content === '<mask>',
    }));
    const tokenizer = openUnigram({ ...json, added_tokens: normalized });
    expect(encode(tokenizer, 'a ＜mask＞ <mask>')).toEqual([23, 35, 35]);
  });
});

describe('CharacterMap', () => {
  it('refuses bytes that are none', () => {
    for (const bytes of [[], [0, 0, 0, 0], [8, 0, 0, 0, 1], [3, 0, 0, 0, 1, 1, 1]])
      expect(() => new CharacterMap(Buffer.from(bytes))).toThrow('cut short');
  });

  it('reads any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 4, maxLength: 400 }), anyText, (bytes, text) => {
        const whole = Buffer.from(bytes.subarray(0, bytes.length & ~3));
        const length = Buffer.alloc(4);
        length.writeUInt32LE(whole.length);
        expect(typeof new CharacterMap(Buffer.concat([length, whole])).apply(text)).toBe('string');
      }),
    );
  });
});
