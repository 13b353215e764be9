import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unitScaleOf } from '../vector-index.js';
import { PlainVectorMemory, SimdVectorMemory, type VectorMemory } from './vector-memory.js';
import { VectorScan } from './vector-scan.js';

const bytesOf = (vector: Float32Array): Uint8Array => new Uint8Array(vector.buffer.slice(0));

function cosine(a: Float32Array, b: Float32Array): number {
  const scale = unitScaleOf(a) * unitScaleOf(b);
  return a.reduce((sum, component, i) => sum + component * (b[i] ?? 0) * scale, 0);
}

/** A query and rows of the same length. */
const vectors = fc.integer({ min: 1, max: 70 }).chain((dimensions) => {
  const vector = fc
    .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: dimensions, maxLength: dimensions })
    .map((components) => Float32Array.from(components));
  return fc.record({ query: vector, rows: fc.array(vector, { minLength: 1, maxLength: 20 }) });
});

describe.each([
  ['SIMD', (dimensions: number): VectorMemory => new SimdVectorMemory(dimensions)],
  ['plain', (dimensions: number): VectorMemory => new PlainVectorMemory(dimensions)],
])('%s vector memory', (_, create) => {
  it('multiplies any query with any row, whatever the length', () => {
    fc.assert(
      fc.property(vectors, ({ query, rows }) => {
        const memory = create(query.length);
        for (const [row, vector] of rows.entries()) {
          memory.reserve(row + 1);
          memory.write(row, vector, 0.5);
        }
        const product = memory.productsWith(query);
        for (const [row, vector] of rows.entries()) {
          const expected = vector.reduce((sum, component, i) => sum + 0.5 * component * (query[i] ?? 0), 0);
          expect(product(row)).toBeCloseTo(expected, 4);
        }
      }),
    );
  });

  it('keeps its rows when it grows', () => {
    const memory = create(384);
    memory.reserve(1);
    memory.write(0, new Float32Array(384).fill(1), 1);
    memory.reserve(10_000);
    memory.write(9_999, new Float32Array(384).fill(2), 1);
    const product = memory.productsWith(new Float32Array(384).fill(1));
    expect([product(0), product(5_000), product(9_999)]).toEqual([384, 0, 768]);
  });
});

describe('VectorScan', () => {
  it('gives the cosine, also of very long and very short vectors', () => {
    fc.assert(
      fc.property(vectors, fc.constantFrom(1e-30, 1, 1e30), ({ query, rows }, scale) => {
        const scan = new VectorScan(query.length);
        const scaled = rows.map((vector) => vector.map((component) => component * scale));
        for (const vector of scaled) scan.push(bytesOf(vector));
        const similarity = scan.cosineTo(query);
        for (const [row, vector] of scaled.entries())
          expect(similarity(row)).toBeCloseTo(cosine(query, vector), 4);
      }),
    );
  });

  it('scores equal vectors equally wherever they lie, and a zero vector 0', () => {
    const scan = new VectorScan(5);
    const vector = Float32Array.from([0.3, -0.2, 0.7, 0.1, 0.05]);
    for (let row = 0; row < 300; row++) scan.push(bytesOf(row === 7 ? new Float32Array(5) : vector));
    const similarity = scan.cosineTo(Float32Array.from([0.1, 0.2, 0.3, 0.4, 0.5]));
    const scores = Array.from({ length: 300 }, (_, row) => similarity(row));
    expect(scores[7]).toBe(0);
    expect(new Set(scores)).toEqual(new Set([0, scores[0]]));
  });

  it('refuses what does not fit into its memory with what to do', () => {
    const scan = new VectorScan(1_024);
    expect(() => scan.reserve(2 ** 21)).toThrow(expect.objectContaining({ reason: 'STORE_FULL' }));
  });
});

describe('without the address space for WebAssembly', () => {
  // A limit on addresses holds for a whole process, so another one is started under it.
  it.runIf(process.platform === 'linux')('scans all the same, and says so', () => {
    const scan = new URL('vector-scan.ts', import.meta.url).href;
    const script = `import { VectorScan } from '${scan}';
      const others = [];
      try { for (;;) others.push(new WebAssembly.Memory({ initial: 1 })); } catch {}
      const scan = new VectorScan(2);
      scan.push(new Uint8Array(Float32Array.of(3, 4).buffer));
      console.log(JSON.stringify([scan.cosineTo(Float32Array.of(3, 4))(0), scan.hasSimd]));`;
    const run = `ulimit -v 40000000; exec "$0" --import tsx --input-type=module -e "$1"`;
    const output = execFileSync('bash', ['-c', run, process.execPath, script], { encoding: 'utf8' });
    const [similarity, hasSimd] = JSON.parse(output) as [number, boolean];
    expect(similarity).toBeCloseTo(1, 6);
    expect(hasSimd).toBe(false);
  });
});
