import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WordMemo } from './word-memo.js';

const unitsOf = (word: string): Uint16Array => Uint16Array.from(word, (letter) => letter.charCodeAt(0));

describe('WordMemo', () => {
  it('knows the pieces of the very word it was told of, or nothing', () => {
    const memo = new WordMemo();
    const words = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '中'), minLength: 1, maxLength: 30 });
    const target = new Int32Array(40);
    const told = new Map<string, readonly number[]>();
    fc.assert(
      fc.property(words, fc.array(fc.nat(), { minLength: 1, maxLength: 12 }), (word, pieces) => {
        const text = unitsOf(`b${word}a`);
        const range = { start: 1, end: 1 + word.length };
        const before = memo.read(text, range, target);
        if (before > 0) expect([...target.subarray(0, before)]).toEqual(told.get(word));
        memo.write(text, range, Int32Array.from(pieces));
        const isShort = word.length <= 24 && pieces.length <= 8;
        if (isShort) told.set(word, pieces);
        const count = memo.read(text, range, target);
        expect([...target.subarray(0, count)]).toEqual(isShort ? pieces : before > 0 ? told.get(word) : []);
      }),
      { numRuns: 3000 },
    );
  });
});
