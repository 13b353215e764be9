import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeEntries, PackedList, termKey, visitPostings } from './word-codec.js';

const row = fc.nat({ max: 2 ** 45 });
const length = fc.nat({ max: 2 ** 20 });
const postings = fc
  .uniqueArray(fc.record({ row, frequency: fc.integer({ min: 1, max: 2 ** 20 }), length }), {
    selector: (posting) => posting.row,
  })
  .map((list) => list.sort((a, b) => a.row - b.row));

it('gives back postings and entries, rows beyond 32 bits included', () => {
  fc.assert(
    fc.property(postings, (list) => {
      const packed = new PackedList();
      const entries = new PackedList();
      for (const posting of list) {
        packed.push(posting.row, posting.frequency, posting.length);
        entries.push(posting.row, posting.length);
      }
      const seen: unknown[] = [];
      visitPostings(packed.toBuffer(), (number, frequency, chunkLength) =>
        seen.push({ row: number, frequency, length: chunkLength }),
      );
      expect(seen).toEqual(list);
      expect(decodeEntries(entries.toBuffer())).toEqual(
        list.map((posting) => ({ row: posting.row, length: posting.length })),
      );
    }),
  );
});

it('keeps a term of any length in sixteen bytes', () => {
  expect(termKey('x'.repeat(20_000))).toHaveLength(32);
  expect(termKey('a')).not.toBe(termKey('b'));
});
