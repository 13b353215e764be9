import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RAGError } from '../../core/errors.js';
import { packStatements, unpackStatements } from './packed-statements.js';
import { overlapOf, type SimilarPair, SimilarPairs } from './similar-pairs.js';
import { statementsOf } from './statements.js';

function allPairs(sets: readonly Uint32Array[], least: number): { pairs: SimilarPair[]; isCut: boolean } {
  const search = new SimilarPairs(sets, least);
  const pairs: SimilarPair[] = [];
  for (let next = search.next(); next !== undefined; next = search.next()) pairs.push(...next);
  return { pairs: pairs.sort((x, y) => x.a - y.a || x.b - y.b), isCut: search.isCut };
}

const set = fc
  .uniqueArray(fc.integer({ min: 0, max: 14 }), { minLength: 1, maxLength: 8 })
  .map((terms) => Uint32Array.from(terms).sort());

describe('similar pairs', () => {
  it('are those that a comparison of all with all finds', () => {
    fc.assert(
      fc.property(fc.array(set, { maxLength: 40 }), fc.constantFrom(0.3, 0.5, 0.7, 1), (sets, least) => {
        const expected = sets.flatMap((first, a) =>
          sets.flatMap((second, b) => {
            const overlap = overlapOf(first, second);
            return a < b && overlap >= least ? [{ a, b, overlap }] : [];
          }),
        );
        expect(allPairs(sets, least)).toEqual({ pairs: expected, isCut: false });
      }),
    );
  });

  it('are looked for in a time that does not grow with the square, and what was left out is said', () => {
    const same = Array.from({ length: 2_000 }, (_, at) => Uint32Array.from([1, 2, 10 + at]));
    const { pairs, isCut } = allPairs(same, 0.5);
    expect(isCut).toBe(true);
    expect(pairs.length).toBeGreaterThan(100);
    expect(pairs.length).toBeLessThan(2_000 * 101);
  });
});

describe('packed statements', () => {
  const text = fc
    .array(
      fc.oneof(fc.lorem({ mode: 'sentences', maxCount: 3 }), fc.string({ unit: 'binary', maxLength: 50 })),
      {
        maxLength: 5,
      },
    )
    .map((parts) => parts.join('\n\n'));

  it('come back with their places and words', () => {
    fc.assert(
      fc.property(text, (content) => {
        const kept = unpackStatements(packStatements(content));
        const statements = statementsOf(content);
        expect(kept.map(({ start, end, words }) => [start, end, words])).toEqual(
          statements.map(({ start, end, words }) => [start, end, words.length]),
        );
        for (const { terms } of kept) expect([...terms]).toEqual([...new Set(terms)].sort((a, b) => a - b));
      }),
    );
  });

  it('have one form where they differ in case and punctuation alone', () => {
    const [a, b, c] = unpackStatements(
      packStatements(
        'Failed payments are retried.\n\nfailed PAYMENTS, are retried!\n\nPayments are failed retried.',
      ),
    );
    expect(a?.form).toBe(b?.form);
    expect(a?.form).not.toBe(c?.form);
  });

  it('that are damaged are said to be', () => {
    const bytes = packStatements('Failed payments are retried after three days.');
    for (const damaged of [bytes.subarray(1), bytes.subarray(0, -4), new Uint8Array(24)])
      expect(() => unpackStatements(damaged)).toThrow(RAGError);
  });
});
