import { RAGError } from '../../core/errors.js';
import type { VectorIndex, VectorIndexes } from '../vector-index.js';
import { removeGraphs } from './graph-file.js';
import { loadUsearch, type Usearch } from './usearch-driver.js';
import { UsearchIndex } from './usearch-index.js';

/** How vectors are searched. `flat`: every one, exactly. `hnsw`: a graph once there are many, nearly exactly. */
export type UsearchIndexKind = 'hnsw' | 'flat';

export interface UsearchIndexesOptions {
  /** Folder of the graph files; made with the first graph. */
  readonly folder: string;
  /** @default 'hnsw' */
  readonly index?: UsearchIndexKind;
  /** Rows from which `hnsw` builds a graph at `optimize`; below, a scan is as fast. @default 10_000 */
  readonly graphRows?: number;
}

/** Vector indexes in this process, without a server: usearch in the role of FAISS. */
export class UsearchIndexes implements VectorIndexes {
  readonly name = 'usearch';
  readonly isExact: boolean;
  readonly #folder: string;
  readonly #graphRows: number;
  #driver: Usearch | undefined;

  constructor({ folder, index = 'hnsw', graphRows = 10_000 }: UsearchIndexesOptions) {
    this.#folder = folder;
    this.isExact = index === 'flat';
    this.#graphRows = this.isExact ? Number.POSITIVE_INFINITY : graphRows;
  }

  async load(): Promise<void> {
    this.#driver = await loadUsearch();
  }

  open(collection: string, dimensions: number): VectorIndex {
    if (this.#driver === undefined)
      throw new RAGError('INTERNAL', 'A vector index was opened before its driver was loaded.');
    const options = { folder: this.#folder, collection, dimensions, graphRows: this.#graphRows };
    return new UsearchIndex(this.#driver, options);
  }

  drop(collection: string): void {
    removeGraphs(this.#folder, collection);
  }
}
