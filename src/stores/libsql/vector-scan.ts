const INITIAL_ROWS = 256;

/** Vectors of one length in one growing array, addressed by ordinal, with their exact cosine to a query. */
export class VectorScan {
  readonly #dimensions: number;
  #values: Float32Array;
  #norms: Float64Array;
  #size = 0;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#values = new Float32Array(INITIAL_ROWS * dimensions);
    this.#norms = new Float64Array(INITIAL_ROWS);
  }

  /** Number of vectors; the ordinal that the next one gets. */
  get size(): number {
    return this.#size;
  }

  /** Adds a vector, given as the bytes of its floats: no copy of it is made on the way. */
  push(bytes: Uint8Array): void {
    if (this.#size === this.#norms.length) this.reserve(this.#size * 2);
    const start = this.#size * this.#dimensions;
    new Uint8Array(this.#values.buffer).set(bytes, start * Float32Array.BYTES_PER_ELEMENT);
    const vector = this.#values.subarray(start, start + this.#dimensions);
    this.#norms[this.#size++] = Math.sqrt(dot(vector, vector, 0));
  }

  /** Cosine of the query to the vector of any ordinal, in [-1, 1]; 0 where either is all zero. */
  cosineTo(query: Float32Array): (ordinal: number) => number {
    const queryNorm = Math.sqrt(dot(query, query, 0));
    return (ordinal) => {
      const scale = queryNorm * (this.#norms[ordinal] ?? 0);
      if (scale === 0) return 0;
      return Math.max(-1, Math.min(1, dot(query, this.#values, ordinal * this.#dimensions) / scale));
    };
  }

  /** Makes room for so many vectors in all. */
  reserve(rows: number): void {
    if (rows <= this.#norms.length) return;
    const values = new Float32Array(rows * this.#dimensions);
    const norms = new Float64Array(rows);
    values.set(this.#values);
    norms.set(this.#norms);
    this.#values = values;
    this.#norms = norms;
  }
}

// Four sums, because the processor can then add them at the same time.
function dot(a: Float32Array, b: Float32Array, offset: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let i = 0;
  for (const end = a.length - 3; i < end; i += 4) {
    const j = offset + i;
    s0 += (a[i] ?? 0) * (b[j] ?? 0);
    s1 += (a[i + 1] ?? 0) * (b[j + 1] ?? 0);
    s2 += (a[i + 2] ?? 0) * (b[j + 2] ?? 0);
    s3 += (a[i + 3] ?? 0) * (b[j + 3] ?? 0);
  }
  for (; i < a.length; i++) s0 += (a[i] ?? 0) * (b[offset + i] ?? 0);
  return s0 + s1 + (s2 + s3);
}
