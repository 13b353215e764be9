import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bm25Index } from './bm25-index.js';

/** The formula over plain lists, without an index. */
function bruteForce(documents: ReadonlyMap<number, string>, terms: readonly string[]): Map<number, number> {
  const split = new Map([...documents].map(([i, text]) => [i, text.split(' ').filter((t) => t !== '')]));
  const average = [...split.values()].reduce((sum, words) => sum + words.length, 0) / split.size;
  const scores = new Map<number, number>();
  for (const term of new Set(terms)) {
    const df = [...split.values()].filter((words) => words.includes(term)).length;
    for (const [i, words] of split) {
      const tf = words.filter((word) => word === term).length;
      if (tf === 0) continue;
      const idf = Math.log(1 + (split.size - df + 0.5) / (df + 0.5));
      const score = (idf * tf * 2.2) / (tf + 1.2 * (0.25 + (0.75 * words.length) / average));
      scores.set(i, (scores.get(i) ?? 0) + score);
    }
  }
  return scores;
}

describe('Bm25Index', () => {
  it('scores a case worked by hand', () => {
    const index = new Bm25Index();
    index.add(0, 'cat cat dog');
    index.add(1, 'dog');
    // N = 2, df(cat) = 1, length 3 against an average of 2: ln(1 + 1.5/1.5) * 2*2.2 / (2 + 1.2*(0.25 + 0.75*1.5)).
    expect(index.score(['cat']).get(0)).toBeCloseTo((Math.LN2 * 4.4) / (2 + 1.2 * 1.375), 12);
    expect(index.score(['bird']).size).toBe(0);
  });

  it('equals the formula through any adds and removals', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 8 })
      .map((words) => words.join(' '));
    const document = fc.record({ text, isRemoved: fc.boolean() });
    fc.assert(
      fc.property(fc.array(document, { minLength: 1, maxLength: 20 }), (documents) => {
        const index = new Bm25Index();
        const left = new Map<number, string>();
        for (const [i, { text: added }] of documents.entries()) index.add(i, added);
        for (const [i, { text: added, isRemoved }] of documents.entries())
          if (isRemoved) index.remove(added);
          else left.set(i, added);
        for (const terms of [['a'], ['a', 'b', 'a'], ['d', 'x']]) {
          const actual = index.score(terms);
          for (const [i, expected] of bruteForce(left, terms)) expect(actual.get(i)).toBeCloseTo(expected, 9);
        }
      }),
    );
  });
});
