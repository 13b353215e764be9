import type { StoredChunk } from '../../core/chunk.js';

/** What a query is after: the thing that an identifier names, an answer, or texts about its words. */
export type QueryIntent = 'identifier' | 'question' | 'keywords';

/** A query as expanders see it. */
export interface ProcessedQuery {
  readonly text: string;
  /** Analysed terms that the lexical lane looks for. */
  readonly terms: readonly string[];
  readonly identifiers: readonly string[];
  readonly keywords: readonly string[];
  readonly intent: QueryIntent;
}

/** Ways to add to a query. `rewrite`, `hyde` and `multi-query` ask a language model. */
export type ExpansionKind =
  | 'abbreviations'
  | 'feedback-words'
  | 'feedback-vectors'
  | 'rewrite'
  | 'hyde'
  | 'multi-query';

/** One more thing to look for beside the query. */
export interface ExpandedQuery {
  readonly kind: ExpansionKind;
  /** What is looked for, for people to read. */
  readonly text: string;
  /** Why, in a sentence. */
  readonly reason: string;
  /** Analysed terms for the lexical search; absent or empty for none. */
  readonly terms?: readonly string[];
  /** Direction for the dense search, of any length; absent for none. */
  readonly vector?: Float32Array;
}

/** Texts to vectors of the model in use. */
export interface ExpansionEmbedding {
  embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array>;
  /** As a passage, for models that encode queries and passages differently. */
  embedPassage(text: string, signal?: AbortSignal): Promise<Float32Array>;
}

export interface ExpansionContext extends ExpansionEmbedding {
  /**
   * The first candidates of the query itself, best first. They come through the collection of the asker, narrowed to the
   * scope, so that nothing learned from them can tell of a text that the asker may not read.
   */
  leading(count: number, options?: { readonly includeVectors: boolean }): Promise<readonly StoredChunk[]>;
  readonly signal?: AbortSignal | undefined;
}

/** Adds to a query. Finds nothing to add: an empty list. May throw: the search goes on without it and says so. */
export interface QueryExpander {
  readonly kind: ExpansionKind;
  expand(query: ProcessedQuery, context: ExpansionContext): Promise<readonly ExpandedQuery[]>;
}
