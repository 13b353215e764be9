/** A position in the list that was handed in, with a new score; never a document, so nothing can be added or swapped. */
export interface RerankedCandidate {
  readonly index: number;
  /** Relevance in [0, 1], higher is better. */
  readonly score: number;
}

export interface Reranker {
  readonly name: string;
  readonly maxCandidates: number;
  doRerank(query: string, texts: readonly string[], signal?: AbortSignal): Promise<RerankedCandidate[]>;
}
