const INITIAL_ROWS = 64;

/** Vectors of one length in a growing typed array, addressed by row, and their exact cosine to a query. */
export class VectorTable {
  readonly #dimensions: number;
  #values: Float32Array;
  #norms: Float64Array;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#values = new Float32Array(INITIAL_ROWS * dimensions);
    this.#norms = new Float64Array(INITIAL_ROWS);
  }

  set(row: number, vector: Float32Array): void {
    this.#reserve(row + 1);
    this.#values.set(vector, row * this.#dimensions);
    this.#norms[row] = Math.sqrt(dot(vector, vector, 0));
  }

  /** A view of the row; it changes when the row does. */
  at(row: number): Float32Array {
    return this.#values.subarray(row * this.#dimensions, (row + 1) * this.#dimensions);
  }

  /** The cosine of the query to any row, in [-1, 1]; 0 where either vector is all zero. */
  cosineTo(query: Float32Array): (row: number) => number {
    const queryNorm = Math.sqrt(dot(query, query, 0));
    return (row) => {
      const scale = queryNorm * (this.#norms[row] ?? 0);
      if (scale === 0) return 0;
      return Math.max(-1, Math.min(1, dot(query, this.#values, row * this.#dimensions) / scale));
    };
  }

  #reserve(rows: number): void {
    if (rows <= this.#norms.length) return;
    const capacity = Math.max(rows, this.#norms.length * 2);
    const values = new Float32Array(capacity * this.#dimensions);
    const norms = new Float64Array(capacity);
    values.set(this.#values);
    norms.set(this.#norms);
    this.#values = values;
    this.#norms = norms;
  }
}

function dot(a: Float32Array, b: Float32Array, offset: number): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[offset + i] ?? 0);
  return sum;
}
