import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootstrapInterval, pairedRandomisationTest } from './paired-test.js';
import { seededRandom } from './random.js';

describe('pairedRandomisationTest', () => {
  it('enumerates few queries exactly', () => {
    // |sum| >= 6 of +-1 +-2 +-3: only +++ and ---.
    expect(pairedRandomisationTest([0, 0, 0], [1, 2, 3])).toEqual({
      difference: 2,
      pValue: 2 / 8,
      exact: true,
    });
    // |sum| >= 4 of +-1 +-2 +-3: 6, 4, -4, -6.
    expect(pairedRandomisationTest([1, 0, 0], [0, 2, 3]).pValue).toBe(4 / 8);
  });

  it('counts assignments that differ by rounding alone as equal', () => {
    // .1 + .1 + .1 - .1 is not -.1 + .1 + .1 + .1 in floating point. |sum| >= .2: all but the 6 of 16 that sum to 0.
    expect(pairedRandomisationTest([0, 0, 0, 0.1], [0.1, 0.1, 0.1, 0]).pValue).toBe(10 / 16);
  });

  it('finds nothing between equal systems', () => {
    expect(pairedRandomisationTest([0.5, 0.25], [0.5, 0.25])).toEqual({
      difference: 0,
      pValue: 1,
      exact: true,
    });
  });

  it('a sample agrees with the enumeration', () => {
    const random = seededRandom(7);
    const a = Array.from({ length: 14 }, random);
    const b = a.map((value) => value + random() - 0.4);
    const exact = pairedRandomisationTest(a, b);
    const sampled = pairedRandomisationTest(a, b, { permutations: 10_000, seed: 3 });
    expect(exact.exact).toBe(true);
    expect(sampled.exact).toBe(false);
    expect(Math.abs(sampled.pValue - exact.pValue)).toBeLessThan(0.02);
  });

  it('gives the same figures for the same seed, never 0, and the same when the systems are swapped', () => {
    const a = Array.from({ length: 40 }, () => 0);
    const b = Array.from({ length: 40 }, () => 1);
    const options = { permutations: 1000, seed: 5 };
    const result = pairedRandomisationTest(a, b, options);
    expect(result.pValue).toBeCloseTo(1 / 1001, 12);
    expect(pairedRandomisationTest(b, a, options)).toEqual({ ...result, difference: -1 });
  });

  it('p-values lie in (0, 1]', () => {
    const values = fc.array(
      fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
      {
        minLength: 1,
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(values, (pairs) => {
        const { pValue } = pairedRandomisationTest(
          pairs.map(([a]) => a),
          pairs.map(([, b]) => b),
          { permutations: 200 },
        );
        expect(pValue).toBeGreaterThan(0);
        expect(pValue).toBeLessThanOrEqual(1);
      }),
    );
  });

  it.each([
    [[], []],
    [[1], [1, 2]],
    [[1], [Number.NaN]],
  ])('refuses %j against %j', (a, b) => {
    expect(() => pairedRandomisationTest(a, b)).toThrow(expect.objectContaining({ reason: 'USAGE' }));
    expect(() => bootstrapInterval(a, b)).toThrow(expect.objectContaining({ reason: 'USAGE' }));
  });
});

describe('bootstrapInterval', () => {
  it('is a point where every query differs alike', () => {
    expect(bootstrapInterval([0, 1], [0.5, 1.5])).toEqual({ low: 0.5, high: 0.5 });
  });

  it('covers the true difference about as often as it says', () => {
    const random = seededRandom(11);
    const trials = 300;
    let covered = 0;
    for (let trial = 0; trial < trials; trial++) {
      const a = Array.from({ length: 50 }, random);
      const b = Array.from({ length: 50 }, () => random() + 0.1);
      const { low, high } = bootstrapInterval(a, b, { samples: 300, seed: trial });
      if (low <= 0.1 && 0.1 <= high) covered++;
    }
    expect(covered / trials).toBeGreaterThan(0.9);
    expect(covered / trials).toBeLessThan(0.99);
  });
});

describe('seededRandom', () => {
  it('is even over sixteen bins and differs between seeds', () => {
    const random = seededRandom(1);
    const bins = new Array<number>(16).fill(0);
    for (let i = 0; i < 160_000; i++) {
      const bin = Math.floor(random() * 16);
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    for (const count of bins) expect(Math.abs(count - 10_000)).toBeLessThan(500);
    expect(seededRandom(1)()).not.toBe(seededRandom(2)());
    expect(seededRandom(1)()).not.toBe(seededRandom(2 ** 32 + 1)());
  });
});
