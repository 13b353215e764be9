import { RAGError } from '../../core/errors.js';
import { unitScaleOf, unitVectorOf } from '../vector-index.js';
import { createVectorMemory, type VectorMemory } from './vector-memory.js';

const INITIAL_ROWS = 256;

/** Vectors of one length in memory, addressed by ordinal, with their cosine to a query in single precision. */
export class VectorScan {
  readonly #dimensions: number;
  #memory: VectorMemory | undefined;
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
    this.reserve(this.#size + 1).write(this.#size++, this.#vector, unitScaleOf(this.#vector));
  }

  /** Cosine of the query to the vector of any ordinal, in [-1, 1]; 0 where either is all zero. Until the next query. */
  cosineTo(query: Float32Array): (ordinal: number) => number {
    const product = this.reserve(this.#size).productsWith(unitVectorOf(query));
    return (ordinal) => Math.max(-1, Math.min(1, product(ordinal)));
  }

  /** Makes room for so many vectors in all. Throws `STORE_FULL`. */
  reserve(rows: number): VectorMemory {
    this.#memory ??= createVectorMemory(this.#dimensions);
    const memory = this.#memory;
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
    return memory;
  }
}
