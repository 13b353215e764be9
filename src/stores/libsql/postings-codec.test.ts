import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodePostings, encodePostings, PostingBuffer } from './postings-codec.js';

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

it('collects the entries of several lists in a buffer that is used again', () => {
  const buffer = new PostingBuffer();
  fc.assert(
    fc.property(fc.array(lists, { maxLength: 4 }), (several) => {
      buffer.clear();
      for (const entries of several)
        buffer.add(
          encodePostings({
            rows: entries.map(({ row }) => row),
            frequencies: entries.map(({ frequency }) => frequency),
          }),
        );
      const seen = Array.from({ length: buffer.size }, (_, i) => ({
        row: buffer.rows[i],
        frequency: buffer.frequencies[i],
      }));
      expect(seen).toEqual(several.flat());
    }),
  );
});

it('has room for more entries than it had at first', () => {
  const rows = Array.from({ length: 5_000 }, (_, i) => i + 1);
  const buffer = new PostingBuffer();
  buffer.add(encodePostings({ rows: [7], frequencies: [3] }));
  buffer.add(encodePostings({ rows, frequencies: rows }));
  expect([buffer.size, buffer.rows[0], buffer.rows[5_000], buffer.frequencies[5_000]]).toEqual([
    5_001, 7, 5_000, 5_000,
  ]);
});
