import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unitScaleOf, unitVectorOf } from '../vector-index.js';
import { CoarseVectors } from './coarse-vectors.js';
import { VectorScan } from './vector-scan.js';

const bytesOf = (vector: Float32Array): Uint8Array => new Uint8Array(vector.buffer.slice(0));

/** A query and rows of the same length: even, sparse, and with one component far above the others. */
const vectors = fc.integer({ min: 1, max: 300 }).chain((dimensions) => {
  const component = fc.oneof(
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.constantFrom(0, 0, 1, -1, 1e-3, 100),
  );
  const vector = fc
    .array(component, { minLength: dimensions, maxLength: dimensions })
    .map((components) => Float32Array.from(components));
  return fc.record({ query: vector, rows: fc.array(vector, { minLength: 1, maxLength: 30 }) });
});

describe('CoarseVectors', () => {
  it('never says less than the cosine in single precision, and little more', () => {
    fc.assert(
      fc.property(vectors, ({ query, rows }) => {
        const coarse = new CoarseVectors(query.length);
        const scan = new VectorScan(query.length);
        coarse.reserve(rows.length);
        for (const vector of rows) {
          coarse.push(vector, unitScaleOf(vector));
          scan.push(bytesOf(vector));
        }
        const similarity = scan.cosineTo(query);
        const boundOf = coarse.boundsOf(unitVectorOf(query));
        for (const row of rows.keys()) {
          expect(boundOf(row)).toBeGreaterThanOrEqual(similarity(row));
          expect(boundOf(row)).toBeLessThanOrEqual(similarity(row) + 0.2);
        }
      }),
    );
  });

  it.each([256, 1_536, 4_096])('keeps sums of %d like components within 32 bits', (dimensions) => {
    const coarse = new CoarseVectors(dimensions);
    const vector = new Float32Array(dimensions).fill(1);
    coarse.reserve(2);
    coarse.push(vector, unitScaleOf(vector));
    coarse.push(vector, -unitScaleOf(vector));
    const boundOf = coarse.boundsOf(unitVectorOf(vector));
    expect(boundOf(0)).toBeCloseTo(1, 2);
    expect(boundOf(1)).toBeCloseTo(-1, 2);
  });

  it('knows the rows of every block, and those that came after it grew', () => {
    const [dimensions, count] = [3, 9_001];
    const coarse = new CoarseVectors(dimensions);
    const vectorAt = (row: number): Float32Array => Float32Array.of(Math.cos(row), Math.sin(row), 0);
    for (let row = 0; row < count; row++) {
      if (row % 1_000 === 0) coarse.reserve(row + 1_000);
      coarse.push(vectorAt(row), 1);
    }
    const query = vectorAt(0);
    const boundOf = coarse.boundsOf(query);
    for (let row = 0; row < count; row += 7) {
      expect(boundOf(row)).toBeGreaterThanOrEqual(Math.cos(row) - 1e-6);
      expect(boundOf(row)).toBeLessThan(Math.cos(row) + 0.02);
    }
  });
});

describe('a scan with a floor', () => {
  it('visits everything that reaches the floor, in order, and leaves out most of the rest', () => {
    const [dimensions, count] = [64, 6_000];
    const scan = new VectorScan(dimensions);
    const vectorAt = (seed: number): Float32Array =>
      Float32Array.from({ length: dimensions }, (_, i) => Math.sin(seed * 12.9898 + i * (78.233 + seed)));
    for (let row = 0; row < count; row++) scan.push(bytesOf(vectorAt(row)));
    const query = vectorAt(2_999.5);
    const similarity = scan.cosineTo(query);
    const all = Array.from({ length: count }, (_, row) => row);
    const floor = all.map(similarity).sort((a, b) => b - a)[99] ?? 0;
    const visited: number[] = [];
    scan.visitAbove(query, (row) => {
      visited.push(row);
      return floor;
    });
    const near = all.filter((row) => similarity(row) >= floor);
    expect(visited.filter((row) => similarity(row) >= floor)).toEqual(near);
    expect(visited.length).toBeLessThan(count / 4);
  });
});
