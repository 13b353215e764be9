import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexedTerm, indexedText } from './search-terms.js';

// Java's white space is a part of this; the analyzer cuts terms of more than 255 UTF-16 units.
const CUT = /[\s\p{Z}\p{Cc}]/u;

describe('terms for the whitespace analyzer', () => {
  it('ordinary words stay as they are', () => {
    for (const text of ['', 'plain words', 'c++ foo-bar_baz.qux', 'naïve 数据', 'a  b'])
      expect(indexedText(text)).toBe(text);
  });

  it('a text holds the indexed form of each of its terms, and no term is cut', () => {
    const term = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
      fc.constantFrom(
        '~',
        '~x',
        'tab\there',
        'nbsp\u00a0x',
        'x'.repeat(200),
        'x'.repeat(201),
        'é'.repeat(300),
      ),
    );
    const terms = fc.array(
      term.map((text) => text.replaceAll(' ', '_')),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(terms, (all) => {
        const indexed = indexedText(all.join(' ')).split(' ');
        expect(indexed).toEqual(all.length === 0 ? [''] : all.map(indexedTerm));
        for (const one of indexed) expect(one.length <= 255 && !CUT.test(one)).toBe(true);
      }),
    );
  });

  it('different terms stay different, also from the hashes of others', () => {
    const hash = indexedTerm('x'.repeat(300));
    expect(new Set(['x'.repeat(300), 'x'.repeat(301), hash].map(indexedTerm)).size).toBe(3);
  });
});
