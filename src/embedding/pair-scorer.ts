/** A query, and passages to read each with it. */
export interface PairsToScore {
  readonly query: string;
  /** The most wanted first. */
  readonly passages: readonly string[];
  /** How much is read: the first passages, until so many characters are reached. */
  readonly characters: number;
  /** No further passage is begun after so many. */
  readonly milliseconds: number;
}

export interface ScoredPairs {
  /** Logits of each passage; undefined where it was not read. */
  readonly logits: readonly (Float32Array | undefined)[];
  /** Passages of which only the first tokens were read. */
  readonly cut: number;
  /** Whether time ended before so many characters were read. */
  readonly isLate: boolean;
}

/** A sequence classifier that reads a query and a passage together. */
export interface PairScorer {
  /** Last part of its folder's name. */
  readonly name: string;
  readonly maxInputTokens: number;
  /** @throws RAGError `RERANKER_UNAVAILABLE`; `ABORTED` by the signal */
  score(pairs: PairsToScore, signal?: AbortSignal): Promise<ScoredPairs>;
  close(): Promise<void>;
}
