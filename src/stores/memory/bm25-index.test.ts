import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bm25Index } from './bm25-index.js';

/** The formula over plain lists, without an index. */
function bruteForce(
  documents: ReadonlyMap<number, string>,
  weights: ReadonlyMap<string, number>,
): Map<number, number> {
  const split = new Map([...documents].map(([i, text]) => [i, text.split(' ').filter((t) => t !== '')]));
  const average = [...split.values()].reduce((sum, words) => sum + words.length, 0) / split.size;
  const scores = new Map<number, number>();
  for (const [term, weight] of weights) {
    const df = [...split.values()].filter((words) => words.includes(term)).length;
    for (const [i, words] of split) {
      const tf = words.filter((word) => word === term).length;
      if (tf === 0) continue;
      const idf = Math.log(1 + (split.size - df + 0.5) / (df + 0.5));
      const score = (idf * tf * 2.2) / (tf + 1.2 * (0.25 + (0.75 * words.length) / average));
      scores.set(i, (scores.get(i) ?? 0) + weight * score);
    }
  }
  return scores;
}

const once = (...terms: string[]) => new Map(terms.map((term) => [term, 1]));

describe('Bm25Index', () => {
  it('scores a case worked by hand', () => {
    const index = new Bm25Index();
    index.add(0, { tenant: 'a', text: 'cat cat dog' });
    index.add(1, { tenant: 'b', text: 'dog' });
    // N = 2, df(cat) = 1, length 3 against an average of 2: ln(1 + 1.5/1.5) * 2*2.2 / (2 + 1.2*(0.25 + 0.75*1.5)).
    expect(index.score(once('cat')).get(0)).toBeCloseTo((Math.LN2 * 4.4) / (2 + 1.2 * 1.375), 12);
    expect(index.score(once('bird')).size).toBe(0);
  });

  it('equals the formula through any adds and removals', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 8 })
      .map((words) => words.join(' '));
    const document = fc.record({ text, isRemoved: fc.boolean(), tenant: fc.constantFrom('a', 'b') });
    fc.assert(
      fc.property(fc.array(document, { minLength: 1, maxLength: 20 }), (documents) => {
        const index = new Bm25Index();
        for (const [i, added] of documents.entries()) index.add(i, added);
        for (const removed of documents) if (removed.isRemoved) index.remove(removed);
        for (const tenant of [undefined, 'a'])
          for (const weights of [once('a'), new Map([...once('a'), ['b', 2.5]]), once('d', 'x')]) {
            const left = [...documents.entries()].filter(
              ([, added]) => !added.isRemoved && (tenant === undefined || added.tenant === tenant),
            );
            const expected = bruteForce(new Map(left.map(([i, added]) => [i, added.text])), weights);
            const actual = index.score(weights, tenant);
            for (const [i, score] of expected) expect(actual.get(i)).toBeCloseTo(score, 9);
            for (const [i] of actual) expect(expected.has(i) || documents[i]?.isRemoved).toBe(true);
          }
      }),
    );
  });
});
