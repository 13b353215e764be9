import { RAGError } from '../../core/errors.js';
import { unitScaleOf, unitVectorOf } from '../vector-index.js';
import { CoarseVectors } from './coarse-vectors.js';
import { createVectorMemory, type VectorMemory } from './vector-memory.js';

const INITIAL_ROWS = 256;

/** Vectors of one length in memory, addressed by ordinal, with their cosine to a query in single precision. */
export class VectorScan {
  readonly #dimensions: number;
  #memory: VectorMemory | undefined;
  /** Absent where the system refused the memory: then every vector is read. */
  #coarse: CoarseVectors | undefined;
  #capacity = 0;
  #size = 0;
  // Where a vector passes through; an array for each would drive the garbage collector.
  readonly #vector: Float32Array;
  readonly #bytesOfVector: Uint8Array;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#vector = new Float32Array(dimensions);
    this.#bytesOfVector = new Uint8Array(this.#vector.buffer);
  }

  /** Number of vectors; the ordinal that the next one gets. */
  get size(): number {
    return this.#size;
  }

  /** False only where the system refused the memory that vector instructions need. */
  get hasSimd(): boolean {
    return this.#memory?.hasSimd ?? true;
  }

  /** Adds a vector, given as the bytes of its floats. It is kept with length 1, so that one product is the cosine. */
  push(bytes: Uint8Array): void {
    this.#bytesOfVector.set(bytes);
    const scale = unitScaleOf(this.#vector);
    this.reserve(this.#size + 1).write(this.#size++, this.#vector, scale);
    this.#coarse?.push(this.#vector, scale);
  }

  /** Cosine of the query to the vector of any ordinal, in [-1, 1]; 0 where either is all zero. Until the next query. */
  cosineTo(query: Float32Array): (ordinal: number) => number {
    const product = this.reserve(this.#size).productsWith(unitVectorOf(query));
    return (ordinal) => Math.max(-1, Math.min(1, product(ordinal)));
  }

  /**
   * Calls `visit` for every ordinal, ascending, but those whose cosine to the query is certainly below what the last visit returned. Most of
   * them are told by a quarter of their bytes.
   */
  visitAbove(query: Float32Array, visit: (ordinal: number) => number): void {
    const boundOf = this.#coarse?.boundsOf(unitVectorOf(query)) ?? (() => 1);
    let floor = Number.NEGATIVE_INFINITY;
    for (let ordinal = 0; ordinal < this.#size; ordinal++)
      if (boundOf(ordinal) >= floor) floor = visit(ordinal);
  }

  /** Makes room for so many vectors in all. Throws `STORE_FULL`. */
  reserve(rows: number): VectorMemory {
    const memory = this.#opened();
    if (rows <= this.#capacity) return memory;
    // By a quarter: growing WebAssembly's memory moves nothing, so there is no need to double it.
    this.#capacity = Math.max(rows, INITIAL_ROWS, Math.ceil(this.#capacity * 1.25));
    try {
      memory.reserve(this.#capacity);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new RAGError(
        'STORE_FULL',
        `${rows} vectors of ${this.#dimensions} dimensions do not fit into the memory in which this store scans them (4 GiB at most). Choose a store with an index, such as \`rag.provider: lancedb\`, and index again.`,
        { cause: error },
      );
    }
    this.#coarse = unlessRefused(() => {
      this.#coarse?.reserve(this.#capacity);
      return this.#coarse;
    });
    return memory;
  }

  #opened(): VectorMemory {
    if (this.#memory !== undefined) return this.#memory;
    this.#memory = createVectorMemory(this.#dimensions);
    if (this.#memory.hasSimd) this.#coarse = unlessRefused(() => new CoarseVectors(this.#dimensions));
    return this.#memory;
  }
}

/** What the work gives; nothing where the system refuses the memory for it. */
function unlessRefused<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
