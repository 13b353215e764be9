import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTrecRun } from './trec-run.js';

describe('TREC run files', () => {
  it('have six columns, ranks from 1', () => {
    const run = new Map([
      [
        'q1',
        [
          { id: 'a', score: 2.5 },
          { id: 'b', score: -1e-7 },
        ],
      ],
      ['q2', []],
    ]);
    expect(formatTrecRun(run, 'ragstone')).toBe('q1 Q0 a 1 2.5 ragstone\nq1 Q0 b 2 -1e-7 ragstone\n');
  });

  it('hold every id and score as it is', () => {
    const word = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => /^\S+$/.test(text));
    const results = fc.array(fc.record({ id: word, score: fc.double({ noNaN: true }) }), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(fc.tuple(word, results), { minLength: 1 }), word, (entries, tag) => {
        const run = new Map(entries);
        const lines = formatTrecRun(run, tag).trimEnd().split('\n');
        expect(
          lines.map((line) => line.split(' ').map((cell, i) => (i === 4 ? Number(cell) : cell))),
        ).toEqual(
          // -0 is written as 0.
          [...run].flatMap(([query, found]) =>
            found.map(({ id, score }, i) => [query, 'Q0', id, String(i + 1), score + 0, tag]),
          ),
        );
      }),
    );
  });

  it.each([
    ['an id with a space', new Map([['q', [{ id: 'a b', score: 1 }]]]), 'tag'],
    ['an empty query id', new Map([['', [{ id: 'a', score: 1 }]]]), 'tag'],
    ['a tag with a newline', new Map([['q', [{ id: 'a', score: 1 }]]]), 'a\nb'],
  ])('refuse %s', (_, run, tag) => {
    expect(() => formatTrecRun(run, tag)).toThrow(expect.objectContaining({ reason: 'DATASET_INVALID' }));
  });
});
