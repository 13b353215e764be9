import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SqliteValueError } from '../../platform/sqlite/sqlite-fault.js';
import { packTerms, unpackTerms } from './packed-terms.js';

const terms = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.string()));

it('gives back the terms, whatever their letters', () => {
  fc.assert(
    fc.property(terms, (given) => {
      expect(unpackTerms(packTerms(given))).toEqual(given);
    }),
  );
});

it('reads what earlier versions compressed', () => {
  fc.assert(
    fc.property(terms, fc.constantFrom(1, 6, 9), (given, level) => {
      const before = deflateRawSync(JSON.stringify(given), { level });
      expect(unpackTerms(before)).toEqual(given);
    }),
  );
});

it('refuses bytes that are no terms', () => {
  for (const bytes of [[], [7], [7, 0x5b, 0x31, 0x5d], [7, 0xff], [0xff, 0xff]])
    expect(() => unpackTerms(new Uint8Array(bytes))).toThrow(SqliteValueError);
});
