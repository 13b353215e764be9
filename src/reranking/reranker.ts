import { indexedTextOf } from '../core/analysis/indexed-text.js';

/** What is read of a passage. */
export interface PassageText {
  /** The passage itself, without title and headings. */
  readonly content: string;
  readonly title?: string | undefined;
  /** Headings above the passage, outermost first. */
  readonly headingPath: readonly string[];
}

/** A passage that answers perhaps, and what the lanes said of it. */
export interface RerankCandidate extends PassageText {
  /** Identifiers of the passage, normalised (`core/analysis/identifiers.ts`). */
  readonly identifiers: readonly string[];
  /** Cosine; absent where the dense lane did not see the passage. */
  readonly semanticScore?: number;
  /** BM25; absent where no lexical search saw it. */
  readonly keywordScore?: number;
  /** Score of the fusion, in [0, 1]. Candidates come in its order, exact identifier hits before. */
  readonly fusedScore: number;
}

/** A position in the list that was handed in, with a new score; never a document, so nothing can be added or swapped. */
export interface RerankedCandidate {
  readonly index: number;
  /** Probability of relevance in [0, 1], higher is better. */
  readonly score: number;
  /** Cosine with the query that the reader of the package found, in [-1, 1]: what results are scored by. Absent where it did not read the passage. */
  readonly reading?: number;
}

/**
 * How the scores of a reranker enter a calibrated one. `fitted`: calibration was fitted behind this
 * reranker. `probability`: each stands for itself, on a scale that was not measured. `order`: only their order means anything.
 */
export type RerankScoring = 'fitted' | 'probability' | 'order';

export interface RerankRemark {
  readonly text: string;
  /** Time ended before all was read, so the next search may order otherwise. */
  readonly isUnfinished: boolean;
}

export interface Reranker {
  /** `builtin`, or `cross-encoder:ms-marco-MiniLM-L-6-v2`. */
  readonly name: string;
  /** Most candidates of one call. */
  readonly maxCandidates: number;
  /** What its scores say. @default 'probability' */
  readonly scoring?: RerankScoring;
  /**
   * `inline`: it computes on the calling thread, so it is bounded by `maxCandidates` alone: nothing could end it earlier, and a
   * deadline would count the work of other searches. A number: so many calls at once; others wait for their turn, and their
   * deadline begins with it. @default any number of calls, as a service takes them
   */
  readonly concurrency?: 'inline' | number;
  /**
   * One score a candidate, in any order; those that were not read may be left out where `remarkOf` says so, and keep their order behind the others.
   * Throws `ABORTED` soon after the signal fires.
   */
  doRerank(
    query: string,
    candidates: readonly RerankCandidate[],
    signal?: AbortSignal,
  ): Promise<RerankedCandidate[]>;
  /**
   * US dollars for reranking these candidates in one call; undefined where the price is not known. Absent where a model costs nothing but time.
   */
  costOf?(query: string, candidates: readonly RerankCandidate[]): number | undefined;
  /** It stands in for the reranker that is configured, and why: told with each of its answers. */
  readonly standsIn?: string;
  /** What a person should know of an answer that this reranker gave: what a model left out or made up. */
  noticeOf?(answer: readonly RerankedCandidate[]): string | undefined;
  /** What the report of the lane says of an answer, and a person need not be told. */
  remarkOf?(answer: readonly RerankedCandidate[]): RerankRemark | undefined;
  /** Reads a passage before anybody asks, and keeps what a search would read of it. Absent where nothing is kept. */
  readAhead?(passage: PassageText, signal?: AbortSignal): Promise<void>;
  /** Frees what it holds. It must not be used afterwards. */
  close(): Promise<void>;
}

/** The text that a model reads of a candidate: title and headings, then the passage, as they were indexed. */
export const passageTextOf = ({ title, headingPath, content }: PassageText): string =>
  indexedTextOf({ title, headingPath, content });
