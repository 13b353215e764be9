import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sliceReader } from './slice-reader.js';

const character = fc.constantFrom('a', 'b', ' ', '\n', 'é', 'Я', '中', '😀', '\u0301', '\ufeff', '\ufffd');

describe('slices of a long text', () => {
  it('are those of the string, wherever windows end', () => {
    const cut = fc.nat(60);
    fc.assert(
      fc.property(
        fc.string({ unit: character, maxLength: 40 }),
        fc.array(fc.tuple(cut, cut), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 9 }),
        (text, cuts, window) => {
          const read = sliceReader(text, new TextEncoder().encode(text), window);
          for (const [start, end] of cuts) {
            if (start <= end) expect(read(start, end)).toBe(text.slice(start, end));
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
