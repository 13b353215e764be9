/** A row and its vector. */
export interface RowVector {
  readonly row: number;
  readonly vector: Float32Array;
}

/** A row and its similarity to a query as the index computes it. */
export interface NearRow {
  readonly row: number;
  /** Cosine, off by at most the index's `precision`. */
  readonly similarity: number;
}

/** A collection at one moment. A row number is never used twice and its vector never changes. */
export interface VectorRows {
  /** Number of rows that exist. */
  readonly size: number;
  readonly isLive: (row: number) => boolean;
  /** Existing rows above a row, ascending. */
  readonly after: (row: number, limit: number) => readonly RowVector[];
  /** What the index wrote down with the rows, in their database; absent after the collection was made anew. */
  readonly readNote: () => string | undefined;
}

/** The records of a collection, for work that takes longer than a moment. */
export interface VectorRecords {
  /** Reads in one snapshot. */
  read<T>(work: (rows: VectorRows) => T): T;
  /** Replaces the note in one transaction. */
  writeNote(note: string): void;
}

/**
 * Finds rows near a vector for a store that keeps the records itself. It may be behind deletions and may miss rows: the
 * store drops what is gone, scores candidates exactly and falls back to the records where candidates do not suffice.
 */
export interface VectorIndex {
  /** Rows it holds, deleted ones too. */
  readonly size: number;
  /** How far its similarities may be off. */
  readonly precision: number;
  /** Takes in what was written since. Called before every search, in a snapshot of the records. */
  refresh(rows: VectorRows): void;
  /** Up to `count` rows near a unit vector, nearest first. */
  nearest(unitVector: Float32Array, count: number): readonly NearRow[];
  /** Builds what makes searching fast. Never changes what is found beyond its precision. */
  optimize(records: VectorRecords, signal?: AbortSignal): Promise<void>;
  /** Leaves no vector of a deleted row in its files. */
  purge(records: VectorRecords, signal?: AbortSignal): Promise<void>;
  /** For `CollectionStats.vectorIndex`. */
  describe(): string;
  /** Bytes of its files. */
  bytes(): number;
  close(): void;
}

/** Vector indexes of a store's collections. */
export interface VectorIndexes {
  /** What a store with them is called. */
  readonly name: string;
  /** Every row is visited by a search. */
  readonly isExact: boolean;
  /** Loads the driver. Throws `PACKAGE_MISSING`. */
  load(): Promise<void>;
  /** After `load`. */
  open(collection: string, dimensions: number): VectorIndex;
  /** Removes the files of a collection; quiet where there are none. */
  drop(collection: string): void;
}

/** A copy with length 1; all zero where the vector is. */
export function unitVectorOf(vector: Float32Array): Float32Array {
  const scale = unitScaleOf(vector);
  const unit = new Float32Array(vector.length);
  for (let i = 0; i < vector.length; i++) unit[i] = (vector[i] ?? 0) * scale;
  return unit;
}

/** What a vector must be multiplied with to have length 1; 0 for a zero vector. */
export function unitScaleOf(vector: Float32Array): number {
  // Counted loops: `map` and iterators of typed arrays take four times as long, and every vector of an index comes by here.
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += (vector[i] ?? 0) ** 2;
  return squares === 0 ? 0 : 1 / Math.sqrt(squares);
}
