import { INNER_PRODUCT_MODULE } from './inner-product-module.js';

/** The most that the inner product of a row and a query can be, in single precision; until the next query. */
export type UpperBound = (row: number) => number;

const PAGE_BYTES = 65_536;
/** Dimensions that the module multiplies in one step. */
const STEP = 16;
const INT_BYTES = Int32Array.BYTES_PER_ELEMENT;
/** Products that are made at a time: few enough to stay in the processor's cache until they are looked at. */
const BLOCK_ROWS = 4_096;
const LARGEST_COMPONENT = 127;
const LARGEST_OF_QUERY = 32_767;
const LARGEST_SUM = 2 ** 31 - 1;
/** By how much two ways to add up a product in single precision may differ, for each dimension. */
const ROUNDING = 2 ** -22;

let compiled: WebAssembly.Module | undefined;

/**
 * Unit vectors in a byte a dimension, a quarter of their memory, with how far each is from the exact one: enough to tell most rows that
 * cannot be among the nearest without reading them (a filter step as in Blott and Weber, "A simple vector-approximation file for similarity
 * search in high-dimensional vector spaces", 1997). The bound follows from the inequality of Cauchy and Schwarz, so nothing near is lost.
 *
 * In WebAssembly's memory: the query, products of a block of rows, the rows. Its constructor throws a RangeError where there is none.
 */
export class CoarseVectors {
  readonly #dimensions: number;
  readonly #stride: number;
  readonly #rowsAt: number;
  readonly #memory: WebAssembly.Memory;
  readonly #integerProducts: (row: number, rows: number, bytes: number, out: number) => void;
  #bytes: Int8Array;
  #products: Int32Array;
  /** What an integer of a row stands for. */
  #scales: Float64Array = new Float64Array(0);
  /** Distance of a row from the exact vector. */
  #errors: Float64Array = new Float64Array(0);
  #size = 0;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#stride = Math.ceil(dimensions / STEP) * STEP;
    this.#rowsAt = this.#productsAt + BLOCK_ROWS * INT_BYTES;
    compiled ??= new WebAssembly.Module(Buffer.from(INNER_PRODUCT_MODULE, 'base64'));
    const { memory, integerProducts } = new WebAssembly.Instance(compiled).exports;
    // What inner-product.wat exports.
    this.#memory = memory as WebAssembly.Memory;
    this.#integerProducts = integerProducts as (
      row: number,
      rows: number,
      bytes: number,
      out: number,
    ) => void;
    this.#bytes = new Int8Array(this.#memory.buffer);
    this.#products = new Int32Array(0);
    this.reserve(0);
  }

  /** Makes room for so many rows in all; keeps what they hold. Throws a RangeError where there is no memory left. */
  reserve(rows: number): void {
    if (rows > this.#scales.length) {
      this.#scales = grown(this.#scales, rows);
      this.#errors = grown(this.#errors, rows);
    }
    const missing = this.#rowsAt + rows * this.#stride - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE_BYTES));
    // The buffer before is detached.
    this.#bytes = new Int8Array(this.#memory.buffer);
    this.#products = new Int32Array(this.#memory.buffer, this.#productsAt, BLOCK_ROWS);
  }

  /** Adds a vector times a number, of length 1 together or all zero. */
  push(vector: Float32Array, scale: number): void {
    const row = this.#size++;
    const start = this.#rowsAt + row * this.#stride;
    let largest = 0;
    for (let i = 0; i < this.#dimensions; i++)
      largest = Math.max(largest, Math.abs((vector[i] ?? 0) * scale));
    const unit = largest / LARGEST_COMPONENT;
    let squares = 0;
    for (let i = 0; i < this.#dimensions; i++) {
      const exact = Math.fround((vector[i] ?? 0) * scale);
      const coarse = unit === 0 ? 0 : Math.round(exact / unit);
      this.#bytes[start + i] = coarse;
      squares += (exact - coarse * unit) ** 2;
    }
    this.#scales[row] = unit;
    this.#errors[row] = Math.sqrt(squares);
  }

  /** For a query of length 1; rows must be asked for in ascending order. */
  boundsOf(query: Float32Array): UpperBound {
    const { unit, error } = this.#writeQuery(query);
    const slack = error + this.#dimensions * ROUNDING;
    const [products, scales, errors] = [this.#products, this.#scales, this.#errors];
    let [first, end] = [0, 0];
    return (row) => {
      if (row >= end || row < first) {
        first = row;
        end = Math.min(row + BLOCK_ROWS, this.#size);
        const place = this.#rowsAt + first * this.#stride;
        this.#integerProducts(place, end - first, this.#stride, this.#productsAt);
      }
      // |q·v - q'·v'| <= |q| |v - v'| + |q - q'| |v'|, and |v'| <= 1 + |v - v'|.
      const own = errors[row] ?? 0;
      return (products[row - first] ?? 0) * (scales[row] ?? 0) * unit + own * (1 + error) + slack;
    };
  }

  get #productsAt(): number {
    return this.#stride * Int16Array.BYTES_PER_ELEMENT;
  }

  /** Writes the query in integers that keep every sum within 32 bits. */
  #writeQuery(query: Float32Array): { readonly unit: number; readonly error: number } {
    const integers = new Int16Array(this.#memory.buffer, 0, this.#stride);
    const most = Math.min(LARGEST_OF_QUERY, Math.floor(LARGEST_SUM / (LARGEST_COMPONENT * this.#stride)));
    const largest = query.reduce((most, component) => Math.max(most, Math.abs(component)), 0);
    const unit = largest / most;
    let squares = 0;
    for (let i = 0; i < this.#dimensions; i++) {
      const exact = query[i] ?? 0;
      const coarse = unit === 0 ? 0 : Math.round(exact / unit);
      integers[i] = coarse;
      squares += (exact - coarse * unit) ** 2;
    }
    return { unit, error: Math.sqrt(squares) };
  }
}

function grown(values: Float64Array, size: number): Float64Array {
  const larger = new Float64Array(size);
  larger.set(values);
  return larger;
}
