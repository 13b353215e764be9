import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../evaluation/random.js';
import {
  type CollectionSample,
  decodeCollectionFit,
  encodeCollectionFit,
  learnCollectionFit,
  mapQuery,
} from './collection-fit.js';
import { inverseOf } from './positive-definite.js';

const unit = (...values: number[]): Float32Array => {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
};

/** Texts that all lie near the first axis and spread along the second, little along the third. */
function spreadTexts(count: number): Float32Array[] {
  const random = seededRandom(7);
  return Array.from({ length: count }, () => unit(1, 2 * random() - 1, 0.1 * (2 * random() - 1)));
}

const sampleOf = (vectors: readonly Float32Array[], pieces: readonly number[][]): CollectionSample => ({
  pieces,
  vectors,
  dimensions: 3,
  backgroundIdf: Float32Array.of(3, 3, 3),
});

describe('inverseOf', () => {
  it('times the matrix is the identity', () => {
    const entry = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(entry, { minLength: 16, maxLength: 16 }), (entries) => {
        const at = (i: number, j: number): number => entries[i * 4 + j] ?? 0;
        const cells = Array.from({ length: 16 }, (_, cell) => [cell >> 2, cell & 3] as const);
        // A A' + I is symmetric and positive definite.
        const matrix = Float64Array.from(cells, ([i, j]) =>
          [0, 1, 2, 3].reduce((sum, k) => sum + at(i, k) * at(j, k), i === j ? 1 : 0),
        );
        const inverse = inverseOf(matrix, 4);
        for (const [i, j] of cells) {
          const product = [0, 1, 2, 3].reduce(
            (sum, k) => sum + (matrix[i * 4 + k] ?? 0) * (inverse[k * 4 + j] ?? 0),
            0,
          );
          expect(product).toBeCloseTo(i === j ? 1 : 0, 8);
        }
      }),
    );
  });
});

describe('learnCollectionFit', () => {
  it('turns down the direction in which the texts differ most', async () => {
    const vectors = spreadTexts(2000);
    const fit = await learnCollectionFit(
      sampleOf(
        vectors,
        vectors.map(() => []),
      ),
    );
    const [, spread = 0, narrow = 0] = mapQuery(unit(0, 1, 1), fit);
    expect(narrow).toBeGreaterThan(1.2 * spread);
  });

  it('weighs words by how rare they are in the collection, within bounds', async () => {
    const vectors = spreadTexts(1000);
    const pieces = vectors.map((_, i) => (i % 2 === 0 ? [0] : i % 20 === 1 ? [0, 1] : [0]));
    const [everywhere = 0, usual = 0, unseen = 0] = (await learnCollectionFit(sampleOf(vectors, pieces)))
      .pieceFactors;
    expect(everywhere).toBeLessThan(usual);
    expect(usual).toBeLessThan(unseen);
    for (const factor of [everywhere, usual, unseen]) {
      expect(factor).toBeGreaterThanOrEqual(Math.SQRT1_2);
      expect(factor).toBeLessThanOrEqual(Math.SQRT2);
    }
  });

  it('learns little from few texts and nothing from none', async () => {
    const query = unit(0, 1, 1);
    const changed = async (count: number): Promise<number> => {
      const vectors = spreadTexts(count);
      const mapped = mapQuery(
        query,
        await learnCollectionFit(
          sampleOf(
            vectors,
            vectors.map(() => [0]),
          ),
        ),
      );
      return 1 - mapped.reduce((sum, value, i) => sum + value * (query[i] ?? 0), 0);
    };
    expect(await changed(0)).toBeCloseTo(0, 6);
    expect(await changed(10)).toBeLessThan((await changed(1000)) / 4);
  });

  it('changes nothing where all texts are the same', async () => {
    const vectors = Array.from({ length: 500 }, () => unit(1, 2, 3));
    const fit = await learnCollectionFit(
      sampleOf(
        vectors,
        vectors.map(() => []),
      ),
    );
    expect([...mapQuery(unit(3, 1, 2), fit)]).toEqual(
      [...unit(3, 1, 2)].map((value) => expect.closeTo(value, 6)),
    );
  });

  it('keeps a zero vector zero', async () => {
    const fit = await learnCollectionFit(sampleOf(spreadTexts(100), []));
    expect([...mapQuery(new Float32Array(3), fit)]).toEqual([0, 0, 0]);
  });
});

describe('the bytes of a fit', async () => {
  const fit = await learnCollectionFit(sampleOf(spreadTexts(100), [[0], [1]]));
  const shape = { pieces: 3, dimensions: 3 };

  it('come back as they were', () => {
    expect(decodeCollectionFit(encodeCollectionFit(fit), shape)).toEqual(fit);
  });

  it.each<[string, Uint8Array]>([
    ['cut off', encodeCollectionFit(fit).subarray(1)],
    ['not numbers', encodeCollectionFit({ ...fit, map: Float32Array.from(fit.map, () => Number.NaN) })],
  ])('are refused when %s', (_, bytes) => {
    expect(decodeCollectionFit(bytes, shape)).toBeUndefined();
  });
});
