import { INNER_PRODUCT_MODULE } from './inner-product-module.js';

/** Vectors of one length in rows, and their inner products with a query. */
export interface VectorMemory {
  /** Whether products are computed by the processor's vector instructions. */
  readonly hasSimd: boolean;
  /** Makes room for so many rows in all; keeps what they hold. Throws a RangeError where there is no memory left. */
  reserve(rows: number): void;
  /** Replaces a row by a vector times a number. */
  write(row: number, vector: Float32Array, scale: number): void;
  /** Products of any row with this query, until the next query or more room is asked for. */
  productsWith(query: Float32Array): (row: number) => number;
}

/** Floats that the module multiplies in one step. */
const STEP_FLOATS = 8;
const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;
const PAGE_BYTES = 65_536;

let compiled: WebAssembly.Module | undefined;

/**
 * WebAssembly's memory where the system grants it: beside what is used it reserves gigabytes of addresses, which a limit
 * on them (`ulimit -v`) may refuse. Else plain arrays, with the same products more slowly.
 */
export function createVectorMemory(dimensions: number): VectorMemory {
  try {
    return new SimdVectorMemory(dimensions);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new PlainVectorMemory(dimensions);
  }
}

/** The query at address 0, then the rows, each padded with zeros to whole steps. */
export class SimdVectorMemory implements VectorMemory {
  readonly hasSimd = true;
  readonly #dimensions: number;
  readonly #stride: number;
  readonly #memory: WebAssembly.Memory;
  readonly #innerProduct: (a: number, b: number, bytes: number) => number;
  #floats: Float32Array;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#stride = Math.ceil(dimensions / STEP_FLOATS) * STEP_FLOATS * FLOAT_BYTES;
    compiled ??= new WebAssembly.Module(Buffer.from(INNER_PRODUCT_MODULE, 'base64'));
    const { memory, innerProduct } = new WebAssembly.Instance(compiled).exports;
    // What inner-product.wat exports.
    this.#memory = memory as WebAssembly.Memory;
    this.#innerProduct = innerProduct as (a: number, b: number, bytes: number) => number;
    this.#floats = new Float32Array(this.#memory.buffer);
    this.reserve(0);
  }

  reserve(rows: number): void {
    const missing = (rows + 1) * this.#stride - this.#memory.buffer.byteLength;
    if (missing <= 0) return;
    this.#memory.grow(Math.ceil(missing / PAGE_BYTES));
    // The buffer before is detached.
    this.#floats = new Float32Array(this.#memory.buffer);
  }

  write(row: number, vector: Float32Array, scale: number): void {
    const start = ((row + 1) * this.#stride) / FLOAT_BYTES;
    for (let i = 0; i < this.#dimensions; i++) this.#floats[start + i] = (vector[i] ?? 0) * scale;
  }

  productsWith(query: Float32Array): (row: number) => number {
    this.#floats.set(query.subarray(0, this.#dimensions));
    const [innerProduct, stride] = [this.#innerProduct, this.#stride];
    return (row) => innerProduct(0, (row + 1) * stride, stride);
  }
}

export class PlainVectorMemory implements VectorMemory {
  readonly hasSimd = false;
  readonly #dimensions: number;
  #floats: Float32Array;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#floats = new Float32Array(0);
  }

  reserve(rows: number): void {
    if (rows * this.#dimensions <= this.#floats.length) return;
    const floats = new Float32Array(rows * this.#dimensions);
    floats.set(this.#floats);
    this.#floats = floats;
  }

  write(row: number, vector: Float32Array, scale: number): void {
    const start = row * this.#dimensions;
    for (let i = 0; i < this.#dimensions; i++) this.#floats[start + i] = (vector[i] ?? 0) * scale;
  }

  productsWith(query: Float32Array): (row: number) => number {
    const [floats, dimensions] = [this.#floats, this.#dimensions];
    return (row) => {
      let sum = 0;
      const start = row * dimensions;
      for (let i = 0; i < dimensions; i++) sum += (query[i] ?? 0) * (floats[start + i] ?? 0);
      return sum;
    };
  }
}
