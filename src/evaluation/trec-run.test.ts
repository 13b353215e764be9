import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTrecRun, parseTrecRun } from './trec-run.js';

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

  it('come back as they were written', () => {
    const word = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => /^\S+$/.test(text));
    const results = fc.array(fc.record({ id: word, score: fc.double({ noNaN: true }) }), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(fc.tuple(word, results)), word, (entries, tag) => {
        const run = new Map(entries);
        // -0 is written as 0.
        const expected = new Map(
          [...run].map(([query, found]) => [query, found.map(({ id, score }) => ({ id, score: score + 0 }))]),
        );
        expect(parseTrecRun(formatTrecRun(run, tag))).toEqual(expected);
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

  it.each(['q Q0 a 1 0.5', 'q Q0 a 1 high tag', 'q Q0 a 1 0.5 tag more'])('refuse the line %j', (line) => {
    expect(() => parseTrecRun(`q Q0 b 1 1 tag\n${line}\n`)).toThrow(/Line 2 of the run file/);
  });

  it('are read with tabs, CRLF and blank lines', () => {
    expect(parseTrecRun('q\tQ0\ta\t1\t0.5\ttag\r\n\r\n')).toEqual(
      new Map([['q', [{ id: 'a', score: 0.5 }]]]),
    );
  });
});
