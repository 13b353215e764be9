import type { SciFact, VectorQuery } from './scifact.js';

/** An index that can be asked; document ids, best first. */
export interface OpenIndex {
  lexical(query: VectorQuery, topK: number): Promise<readonly string[]>;
  hybrid(query: VectorQuery, topK: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** One library, set up as its documentation says. */
export interface Contender {
  readonly name: string;
  /** What the two lanes are and how they are joined. */
  readonly how: string;
  /** Indexes documents whose vectors are given, and keeps the index in the folder where the library can. */
  build(documents: SciFact['documents'], folder: string): Promise<void>;
  /** Opens what `build` kept, ready to answer. Builds anew where nothing can be kept. */
  open(documents: SciFact['documents'], folder: string): Promise<OpenIndex>;
  /** False where the library keeps nothing on disk, so that opening means building again. */
  readonly isPersistent: boolean;
}
