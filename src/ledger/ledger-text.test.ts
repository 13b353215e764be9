import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inCodePointOrder } from '../testing/ledger/records.js';
import { keyOf, originalText, storableText } from './ledger-text.js';

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\0',
      '\u0001',
      '\u0002',
      '\ud7ff',
      '\ud800',
      '\udbff',
      '\udc00',
      '\udfff',
      '\ue000',
      '\ue001',
    ),
    fc.constantFrom('Ā', '\u08ff', '\u0900', '😀', '\uffff', 'a'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});

it('any text can be stored in UTF-8 without NUL, and comes back as it was', () => {
  fc.assert(
    fc.property(text, (original) => {
      const stored = storableText(original);
      expect(stored).not.toMatch(/\0|\p{Surrogate}/u);
      expect(originalText(stored)).toBe(original);
    }),
    { numRuns: 2_000 },
  );
});

it('stored texts have the order of their code points', () => {
  const bytes = (stored: string) => Buffer.from(stored, 'utf8');
  fc.assert(
    fc.property(text, text, (a, b) => {
      const stored = Math.sign(Buffer.compare(bytes(storableText(a)), bytes(storableText(b))));
      expect(stored).toBe(a === b ? 0 : inCodePointOrder([a, b])[0] === a ? -1 : 1);
    }),
    { numRuns: 2_000 },
  );
});

it('keys tell names apart that run together when joined', () => {
  const keys = [
    keyOf('a', 'b'),
    keyOf('ab'),
    keyOf('a","b'),
    keyOf('a', '', 'b'),
    keyOf('\ud800'),
    keyOf('\ud801'),
  ];
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(keys.length);
});
