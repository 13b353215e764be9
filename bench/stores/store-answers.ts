import type { SearchMode } from '../../src/operations/engine.js';

export type CorpusName = 'scifact' | 'keps';

export interface AnswersInput {
  readonly documents: readonly { readonly id: string; readonly title: string; readonly text: string }[];
  readonly queries: Readonly<Record<CorpusName, readonly { readonly id: string; readonly text: string }[]>>;
}

/** The first ten of each query, by query id: names of documents for SciFact, ids of chunks for the KEPs. */
export type Rankings = Readonly<Record<string, readonly string[]>>;

export interface StoreAnswers
  extends Readonly<Record<CorpusName, Readonly<Record<Exclude<SearchMode, 'graph'>, Rankings>>>> {
  /** SciFact as the store ranks text without the engine, where it does. */
  readonly ownText?: { readonly name: string; readonly rankings: Rankings };
}
