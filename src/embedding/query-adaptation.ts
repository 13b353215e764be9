import type { Embedder } from './embedder.js';

/**
 * How a model reads queries better once it has seen a sample of the collection: which words are common there, and in which
 * directions all of its texts look alike. Vectors of documents stay as they are, so nothing is indexed anew.
 */
export interface QueryAdaptation {
  /** Part of what kept results are known by: results of another version are not used. */
  readonly version: number;
  /** What was learnt from texts as they were embedded, as bytes to keep; the same texts give the same bytes. */
  learn(sample: readonly string[]): Promise<Uint8Array>;
  /**
   * The same embedder, reading queries by what was learnt. It shares the weights: close the original, not this one.
   * @throws RAGError `MODEL_INVALID` where the bytes are not what `learn` of this model made.
   */
  apply(learned: Uint8Array): Embedder;
}
