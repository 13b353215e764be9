/** Texts to read for a question. */
export interface TextsToCompare {
  /** Read first. Its vector is kept in memory alone. */
  readonly query?: string | undefined;
  /** The most wanted first. */
  readonly passages: readonly string[];
  /** How much is read of passages that were not read before: the first ones, until so many characters are reached. */
  readonly characters: number;
  /** A call reads no longer than that from the first answer of a thread on, however slow the machine is, in milliseconds. @default 1,000 */
  readonly longestMs?: number | undefined;
}

/** Vectors of length 1; undefined for a passage that was not reached, empty for a text in a language or script that is not read. */
export interface ComparedTexts {
  readonly query: Float32Array | undefined;
  readonly passages: readonly (Float32Array | undefined)[];
}

/** Makes texts vectors whose cosines tell how alike they are. */
export interface TextReader {
  /** @throws RAGError `RERANKER_UNAVAILABLE`, `MODEL_NOT_FOUND`, `MODEL_INVALID`; `ABORTED` by the signal */
  read(texts: TextsToCompare, signal?: AbortSignal): Promise<ComparedTexts>;
  close(): Promise<void>;
}
