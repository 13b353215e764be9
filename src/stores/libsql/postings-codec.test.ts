import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodePostings, encodePostings } from './postings-codec.js';

const lists = fc
  .uniqueArray(
    fc.record({ row: fc.nat({ max: 2 ** 45 }), frequency: fc.integer({ min: 1, max: 2 ** 20 }) }),
    {
      selector: ({ row }) => row,
    },
  )
  .map((entries) => entries.sort((a, b) => a.row - b.row));

it('gives back every entry, rows beyond 32 bits included', () => {
  fc.assert(
    fc.property(lists, (entries) => {
      const packed = encodePostings({
        rows: entries.map(({ row }) => row),
        frequencies: entries.map(({ frequency }) => frequency),
      });
      const seen: { row: number; frequency: number }[] = [];
      decodePostings(packed, (row, frequency) => seen.push({ row, frequency }));
      expect(seen).toEqual(entries);
    }),
  );
});

it('takes two bytes for a near row and a small frequency', () => {
  expect([...encodePostings({ rows: [3, 130], frequencies: [1, 127] })]).toEqual([3, 1, 127, 127]);
  expect([...encodePostings({ rows: [128], frequencies: [1] })]).toEqual([0x80, 1, 1]);
});
