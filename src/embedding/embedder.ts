/** A query and a document may be encoded differently (prefixes, input types). */
export type EmbeddingKind = 'query' | 'document';

/** What makes two vectors comparable. Any difference means another model. */
export interface ModelIdentity {
  /** `builtin`, or `transformers:all-MiniLM-L6-v2`. */
  readonly model: string;
  /** Content hash or commit of the weights. */
  readonly revision: string;
  readonly dimensions: number;
  readonly pooling: string;
  readonly normalised: boolean;
  /** Prefixes put before a query and a document; empty where none. */
  readonly queryPrefix: string;
  readonly documentPrefix: string;
  /** Input is cut here, so it changes vectors. */
  readonly maxInputTokens: number;
}

/** What embedding texts will cost, told before. */
export interface EmbeddingEstimate {
  readonly texts: number;
  /** By the model's own tokenizer where it is public and installed, else by length, on the high side. */
  readonly tokens: number;
  readonly isExact: boolean;
  /** US dollars; absent where no price is known. */
  readonly cost?: number;
}

/** Both estimates together. */
export const sumOfEstimates = (
  before: EmbeddingEstimate | undefined,
  added: EmbeddingEstimate,
): EmbeddingEstimate => ({
  texts: (before?.texts ?? 0) + added.texts,
  tokens: (before?.tokens ?? 0) + added.tokens,
  isExact: before?.isExact !== false && added.isExact,
  ...sumOfCosts(before, added),
});

/** Unknown where one of them is. */
export function sumOfCosts(
  before: { readonly cost?: number } | undefined,
  added: { readonly cost?: number },
): { readonly cost?: number } {
  if (added.cost === undefined || (before !== undefined && before.cost === undefined)) return {};
  return { cost: (before?.cost ?? 0) + added.cost };
}

/** What an embedder has used so far. */
export interface EmbeddingUsage {
  readonly tokens: number;
  /** US dollars; absent where no price is known. */
  readonly cost?: number;
}

/** Text to vectors. Callers use `embedAll`, which adds batching, retries, caching and cancellation once for all embedders. */
export interface Embedder {
  readonly identity: ModelIdentity;
  readonly dimensions: number;
  /** Texts longer than this are cut by the model; `countTokens` tells beforehand. */
  readonly maxInputTokens: number;
  /** Largest number of texts in one `doEmbed` call. */
  readonly maxBatch: number;
  /** Most tokens in one `doEmbed` call, all texts together. @default any */
  readonly maxBatchTokens?: number;
  /** How a failed batch is tried again. @default three times, after 250 ms and doubling */
  readonly retry?: { readonly retries: number; readonly firstDelayMs: number };
  /** True where vectors cost so little that a disk cache would be slower than the model. */
  readonly isCheap: boolean;
  /** Folder of a static model, from which other threads open the same embedder; absent for one that stays where it is. */
  readonly modelFolder?: string;
  /** Learns from a collection how to read queries over it; absent for a model that cannot. */
  readonly adaptation?: QueryAdaptation;
  /** Length of a text in the model's own tokens, special ones included, no prefix added; comparable with `maxInputTokens`. */
  countTokens(text: string): number;
  /**
   * Whether the model knows the script that a text is written in. Vectors of other texts tell nothing of what they say, so searches neither ask by
   * them nor show what they find. @default true of every text
   */
  reads?(text: string): boolean;
  /** One unit-length vector a text, in order; all zero for text without any known token. */
  doEmbed(texts: readonly string[], kind: EmbeddingKind, signal?: AbortSignal): Promise<Float32Array[]>;
  /** What embedding these texts will cost; absent where a model costs nothing but time. Nothing is sent. */
  estimate?(texts: readonly string[]): Promise<EmbeddingEstimate>;
  /** What was used since the embedder was opened; absent where a model costs nothing but time. */
  usage?(): EmbeddingUsage;
  close(): Promise<void>;
}

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

/** One line that names a model for good: equal fingerprints, comparable vectors. */
export function fingerprintOf(identity: ModelIdentity): string {
  const { model, revision, dimensions, pooling, normalised, queryPrefix, documentPrefix, maxInputTokens } =
    identity;
  return JSON.stringify([
    model,
    revision,
    dimensions,
    pooling,
    normalised,
    queryPrefix,
    documentPrefix,
    maxInputTokens,
  ]);
}
