import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseCsv } from './csv.js';

it('reads quoted fields with quotes, commas and line ends inside', () => {
  expect(parseCsv('a,"b ""c"", d",\r\n"e\nf",g\n')).toEqual([
    ['a', 'b "c", d', ''],
    ['e\nf', 'g'],
  ]);
  expect(parseCsv('a,')).toEqual([['a', '']]);
  expect(parseCsv('""')).toEqual([['']]);
  expect(parseCsv('')).toEqual([]);
  expect(parseCsv('a,"never closed')).toEqual([['a', 'never closed']]);
});

it('reads back any records that were written quoted', () => {
  const records = fc.array(fc.array(fc.string(), { minLength: 1, maxLength: 4 }), { maxLength: 5 });
  fc.assert(
    fc.property(records, (written) => {
      const quote = (field: string) => `"${field.replaceAll('"', '""')}"`;
      const text = written.map((record) => record.map(quote).join(',')).join('\r\n');
      expect(parseCsv(text)).toEqual(written);
    }),
  );
});
