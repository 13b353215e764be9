import { type NearRow, unitVectorOf, type VectorRows } from '../vector-index.js';
import type { Usearch } from './usearch-driver.js';

const INITIAL_ROWS = 256;
const PAGE_ROWS = 1_000;
/** Rows from which a scan is worth the threads it starts. */
const THREADED_FROM = 20_000;
/** Deleted rows that are kept at least before the rest is moved together. */
const MIN_DEAD_ROWS = 1_024;

/** Unit vectors in one array in row order, searched one by one: exact, with the processor's vector instructions. */
export class FlatVectors {
  readonly #driver: Usearch;
  readonly #dimensions: number;
  #rows: number[] = [];
  #values: Float32Array;
  #lastRow: number;
  /** Rows of the source when it was last looked at. */
  #sourceSize = 0;

  /** @param lastRow rows up to it are somebody else's. */
  constructor(driver: Usearch, dimensions: number, lastRow: number) {
    this.#driver = driver;
    this.#dimensions = dimensions;
    this.#lastRow = lastRow;
    this.#values = new Float32Array(INITIAL_ROWS * dimensions);
  }

  get size(): number {
    return this.#rows.length;
  }

  /** The highest row that was ever taken in. */
  get lastRow(): number {
    return this.#lastRow;
  }

  get rows(): readonly number[] {
    return this.#rows;
  }

  /** Takes in the rows written since, and gives up deleted ones once they are many. */
  refresh(source: VectorRows): void {
    const before = this.size;
    for (;;) {
      const page = source.after(this.#lastRow, PAGE_ROWS);
      for (const { row, vector } of page) this.#push(row, vector);
      if (page.length < PAGE_ROWS) break;
    }
    if (this.size === before && source.size === this.#sourceSize) return;
    this.#sourceSize = source.size;
    const live = this.#rows.filter(source.isLive).length;
    if (this.#rows.length - live > Math.max(MIN_DEAD_ROWS, live)) this.keep(source.isLive);
  }

  /** Forgets the rows that a test refuses. */
  keep(test: (row: number) => boolean): void {
    let kept = 0;
    for (const [slot, row] of this.#rows.entries()) {
      if (!test(row)) continue;
      this.#values.copyWithin(
        kept * this.#dimensions,
        slot * this.#dimensions,
        (slot + 1) * this.#dimensions,
      );
      this.#rows[kept++] = row;
    }
    this.#rows.length = kept;
  }

  vectorOf(row: number): Float32Array | undefined {
    const slot = this.#slotOf(row);
    return slot === undefined ? undefined : this.#vectorAt(slot);
  }

  /** Vectors one after the other, of slots in a half-open range. */
  slice(start: number, end: number): Float32Array {
    return this.#values.subarray(start * this.#dimensions, end * this.#dimensions);
  }

  nearest(unitVector: Float32Array, count: number): NearRow[] {
    const wanted = Math.min(count, this.size);
    if (wanted === 0) return [];
    const { exactSearch, MetricKind } = this.#driver;
    const threads = this.size < THREADED_FROM ? 1 : 0;
    const dataset = this.slice(0, this.size);
    const found = exactSearch(dataset, unitVector, this.#dimensions, wanted, MetricKind.IP, threads);
    return [...found.keys].map((slot, i) => ({
      row: this.#rows[Number(slot)] ?? 0,
      similarity: 1 - (found.distances[i] ?? 0),
    }));
  }

  #push(row: number, vector: Float32Array): void {
    const start = this.size * this.#dimensions;
    if (start === this.#values.length) {
      const values = new Float32Array(this.#values.length * 2);
      values.set(this.#values);
      this.#values = values;
    }
    this.#values.set(unitVectorOf(vector), start);
    this.#rows.push(row);
    this.#lastRow = row;
  }

  #vectorAt(slot: number): Float32Array {
    return this.slice(slot, slot + 1);
  }

  #slotOf(row: number): number | undefined {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#rows[middle] ?? 0) < row) low = middle + 1;
      else high = middle;
    }
    return this.#rows[low] === row ? low : undefined;
  }
}
