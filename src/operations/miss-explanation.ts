import type { QueryCorrection } from '../retrieval/retriever.js';
import { asQuery, operation } from './operation.js';
import { checkedName } from './requests/request-fields.js';
import { checkedSearch, type SearchQuery } from './search.js';

/**
 * Where a document was lost on its way to the results, in the order of the way. `chunk-cut`: what the query asks for lies
 * across the border of two chunks. `truncated`: it lies behind the part of the chunk that the embedding model reads.
 */
export const MISS_STAGES = [
  'not-indexed',
  'failed',
  'outdated',
  'scope',
  'filter',
  'chunk-cut',
  'truncated',
  'lexical',
  'vector',
  'fusion',
  'rerank',
  'collapse',
  'near-duplicate',
  'recency',
  'threshold',
  'diversity',
  'top-k',
] as const;
/** A step of a search that may lose a document. */
export type MissStage = (typeof MISS_STAGES)[number];

/** One stage as the document passed or did not pass it. */
export interface MissStep {
  readonly stage: MissStage;
  /** `noted`: passed, with something that a person should know. `off`: the stage had no part in this search. */
  readonly status: 'passed' | 'noted' | 'lost' | 'off';
  readonly detail: string;
}

/** A change that brings the document into the results. */
export interface MissRemedy {
  /** A key of the configuration with a value (`retrieval.topK: 12`), or a command. */
  readonly setting: string;
  /** Place of the document when the same search was tried with it; absent where it was not tried. */
  readonly rank?: number;
  readonly detail: string;
}

/** Why a document is not among the results of a query. */
export interface MissExplanation {
  readonly query: string;
  /** What was searched for in place of mistyped words; absent where the query was taken as it is. */
  readonly correction?: QueryCorrection;
  /** The document as the index knows it; absent where it does not. */
  readonly document?: {
    readonly id: string;
    readonly source: string;
    /** Path or id relative to the source's root. */
    readonly externalId: string;
    /** Absolute path of its file, where it is one of this machine. */
    readonly path?: string;
    readonly title?: string;
  };
  /** The document is among the results: nothing was missed. */
  readonly found: boolean;
  /** Its place in the results, from 1. */
  readonly rank?: number;
  /** The stage that lost it. */
  readonly lostAt?: MissStage;
  /** In words. */
  readonly reason: string;
  readonly remedies: readonly MissRemedy[];
  readonly steps: readonly MissStep[];
  /** Its chunk that came furthest. */
  readonly chunk?: {
    readonly id: string;
    readonly lines: { readonly start: number; readonly end: number };
    readonly headingPath: readonly string[];
  };
}

export const explainMiss = operation({
  access: 'read',
  takes: 2,
  check: (query: string | SearchQuery, document: string) => ({
    query: checkedSearch(query),
    document: checkedName(document),
  }),
  asked: asQuery,
  gave: (_: MissExplanation, __, document) => [document],
});
