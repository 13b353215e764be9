import * as z from 'zod';
import type { DocumentOrigin } from '../core/document-origin.js';
import { RAGError } from '../core/errors.js';
import type { Filter } from '../core/filter.js';
import type { MatchBand } from '../core/match-band.js';
import type { MetadataValue } from '../core/metadata.js';
import type { ToldNotices } from '../core/notice.js';
import type { StageTimes } from '../core/telemetry.js';
import type { AsOfReport } from '../ledger/history/as-of-report.js';
import type { ToldDegradation } from '../platform/degradation/degradation-report.js';
import type { GraphStep } from '../relations/graph/walk.js';
import type { SearchPlanReport } from '../retrieval/planning/plan-report.js';
import type { CollapseMode, LaneReport, MorePassages, QueryCorrection } from '../retrieval/retriever.js';
import { FIELDS } from './fields.js';
import { asQuery, operation } from './operation.js';
import { checked, type ShapeOf } from './requests/check-shape.js';
import {
  collapse,
  countOf,
  flag,
  jsonObject,
  number,
  optional,
  signal,
  texts,
} from './requests/request-fields.js';

/** `hybrid`: all lanes, fused. `dense`: vectors alone. `lexical`: words and identifiers, no embedding model is loaded. `graph`: as `hybrid`, and what is connected with it. */
export type SearchMode = 'hybrid' | 'dense' | 'lexical' | 'graph';

/** A question to the index. */
export interface SearchQuery {
  readonly text: string;
  /** The same as `options.topK`; both may stand where they are equal. */
  readonly topK?: number | undefined;
  readonly filters?:
    | {
        readonly sourceType?: readonly string[];
        /** On `updatedAt`, else `createdAt`; both ends inclusive, either may be left out. */
        readonly dateRange?: { readonly start?: Date; readonly end?: Date };
        /** Exact values; for a list field, membership; an array of values means any of them. */
        readonly metadata?: Readonly<Record<string, MetadataValue>>;
        /** Names of configured sources. */
        readonly source?: readonly string[];
        readonly tags?: readonly string[];
      }
    | undefined;
  /** The whole filter algebra, in addition to `filters`. */
  readonly filter?: Filter | undefined;
  /**
   * The index as it was, where `rag.history` keeps that: a moment (a `Date`, `2026-03-01`, an ISO-8601 time with its zone), or a tag of a Git
   * source. @default as it is now
   */
  readonly asOf?: string | Date | undefined;
  readonly options?: {
    /** @default retrieval.topK of the configuration (5) */
    readonly topK?: number;
    /** @default true */
    readonly includeMetadata?: boolean;
    /** Fill `explanation`. @default false */
    readonly explainScore?: boolean;
    /** @default 'hybrid' */
    readonly mode?: SearchMode;
    /** Of mode `graph`: steps from the documents that are found first, 1 to 3. @default 1 */
    readonly hops?: number;
    /** Leaves out what scores less, before age counts, in place of retrieval.minSimilarity; 0 switches the threshold off. */
    readonly minSimilarity?: number;
    /** Another name of `minSimilarity`. */
    readonly minScore?: number;
    /** Overrides whether near-duplicates are removed. */
    readonly nearDuplicates?: 'remove' | 'keep';
    /** Maximal marginal relevance trade-off in (0, 1]; 1 switches it off. */
    readonly mmrLambda?: number;
    /** Half-life in days of the recency boost; 0 switches it off. */
    readonly recencyHalfLifeDays?: number;
    readonly rerank?: boolean;
    /**
     * What is shown once, by its best passage: every `document`, backlog `items` and tickets only, or `none`. `topK` counts
     * what is shown. @default retrieval.collapse of the configuration ('items')
     */
    readonly collapse?: CollapseMode;
    /** Search for every word as it is typed. @default false: mistyped words are put right (retrieval.spelling) */
    readonly exactWords?: boolean;
    /**
     * Of mode `graph`: what the best passages link to, what stands beside them and what is newer come before what only matches. An answer rests
     * on what matches, so `ask` states `false`. @default true
     */
    readonly connectedFirst?: boolean;
    /**
     * Milliseconds, from the call, after which the answer is of no use any more. The search then does what is worth most in that time
     * (`ragstone profile`) and says in `plan` what it left out. @default none: everything is done that is configured
     */
    readonly deadlineMs?: number;
    /**
     * US dollars that the search may spend on models that have a price: the vector of the query (`embedding.price`), reranking
     * (`retrieval.rerank.price`). What would cost more is left out, and `plan` says so; a model whose price is not known is refused.
     * @default none: everything is done that is configured
     */
    readonly maxCost?: number;
  };
  readonly signal?: AbortSignal;
}

/** A step of the graph, with what its documents are called in their sources. */
export interface NamedStep extends GraphStep {
  readonly fromName: string;
  readonly toName: string;
}

/** What a score is made of. */
export interface ScoreExplanation {
  /** Cosine of query and chunk, in [-1, 1]; absent when the dense lane did not see the chunk. */
  readonly semanticScore?: number;
  /** BM25 of the chunk; absent when the lexical lane did not see it. */
  readonly keywordScore?: number;
  readonly rerankScore?: number;
  /** By which way the graph led to its document, by ids of documents, from one that was found first; absent where the graph did not. */
  readonly path?: readonly NamedStep[];
  /** Sum of the values is `score`. */
  readonly contributions: readonly { readonly signal: string; readonly value: number }[];
}

/** A passage found. */
export interface SearchResult {
  /** Chunk id. */
  readonly id: string;
  /** Exact text of the stored revision at `metadata.offsets`. */
  readonly content: string;
  /**
   * How well the passage matches the query, in [0, 1]: above .7 well, above .5 somewhat, below .3 hardly. It falls along the
   * list, but for results that were moved.
   */
  readonly score: number;
  /** The same in a word: `strong` from .94 on, `possible` from .5 on, else `weak`. */
  readonly match: MatchBand;
  /** Calibrated probability that the passage is relevant, in the light of the others: for programs that must decide. */
  readonly probability: number;
  /** Why it stands elsewhere in the list; absent where it does not. */
  readonly movedBy?: 'variety';
  readonly origin: DocumentOrigin;
  /** What else was found of the same document, where it is shown once; absent where there is nothing. */
  readonly more?: MorePassages;
  readonly metadata: {
    /** Path or id relative to the source's root. */
    readonly source: string;
    readonly sourceType: string;
    readonly title?: string;
    readonly url?: string;
    readonly createdAt?: Date;
    readonly updatedAt?: Date;
    /** 1-based, inclusive. */
    readonly lines: { readonly start: number; readonly end: number };
    readonly headingPath: readonly string[];
    readonly [key: string]: unknown;
  };
  readonly explanation?: ScoreExplanation;
}

export type { CollapseMode, MorePassages, QueryCorrection } from '../retrieval/retriever.js';

/** What a lane did in a search. */
export type LaneStatus = LaneReport;

/** How a query was read, and what was looked for beside it. */
export interface QueryReading {
  /** `identifier`: it is about what it names. `question`: it asks. `keywords`: anything else. */
  readonly intent: 'identifier' | 'question' | 'keywords';
  readonly keywords: readonly string[];
  /** What it asks, where that is several things and more results are shown for it (`retrieval.adaptiveTopK.byComplexity`). */
  readonly parts?: readonly string[];
  readonly expansions: readonly {
    /** One of `rag.retrieval.expansion.kinds`. */
    readonly kind: string;
    readonly text: string;
    /** Why, in a sentence. */
    readonly reason: string;
  }[];
}

/** What a search found, and what it did without. */
export interface SearchResponse extends ToldNotices, ToldDegradation {
  readonly query: string;
  /** Which earlier state of the index was searched; absent for the present one. */
  readonly asOf?: AsOfReport;
  /** What was searched for in place of mistyped words; absent where the query was taken as it is. */
  readonly correction?: QueryCorrection;
  /** Present where these are the results of an earlier question that means nearly the same (`rag.retrieval.cache.semantic`): cosine of both, at most 1. */
  readonly semanticCache?: { readonly similarity: number };
  /** Absent where retrieval is switched off, and with `semanticCache`. */
  readonly understanding?: QueryReading;
  readonly results: readonly SearchResult[];
  /** What was done to end in time and within the costs; absent where neither `options.deadlineMs` nor `options.maxCost` was given. */
  readonly plan?: SearchPlanReport;
  readonly lanes: readonly LaneStatus[];
  /**
   * Milliseconds of each stage that ran: `understand`, `embed` (inside `dense`), the lanes, which run side by side, `fuse`,
   * `rerank`, `refine`.
   */
  readonly stages: StageTimes;
  /** Milliseconds in all. */
  readonly tookMs: number;
}

/** Checked by `assertFilterShape`. */
export const filter = z.custom<SearchQuery['filter']>(() => true).optional();

export const filtersSchema = optional<NonNullable<SearchQuery['filters']>>({
  sourceType: texts,
  dateRange: optional<NonNullable<NonNullable<SearchQuery['filters']>['dateRange']>>({
    start: z.date().optional(),
    end: z.date().optional(),
  }),
  metadata: jsonObject.optional(),
  source: texts,
  tags: texts,
});

export const asOf = z
  .custom<NonNullable<SearchQuery['asOf']>>(
    (value) => typeof value === 'string' || value instanceof Date,
    'a text or a Date',
  )
  .optional();

export const searchSchema = z.strictObject({
  text: z.string(),
  topK: number,
  filters: filtersSchema,
  filter,
  asOf,
  options: optional<NonNullable<SearchQuery['options']>>({
    topK: number,
    includeMetadata: flag,
    explainScore: flag,
    mode: z.custom<SearchMode>((value) => typeof value === 'string', 'a text').optional(),
    hops: countOf(FIELDS.search.hops),
    minSimilarity: number,
    minScore: number,
    nearDuplicates: z.enum(['remove', 'keep']).optional(),
    mmrLambda: number,
    recencyHalfLifeDays: number,
    rerank: flag,
    collapse,
    exactWords: flag,
    connectedFirst: flag,
    deadlineMs: number,
    maxCost: number,
  }),
  signal,
} satisfies ShapeOf<SearchQuery>);

/** A search with `topK` among its options, wherever it stood. Throws `QUERY_INVALID`. */
export function checkedSearch(query: string | SearchQuery): SearchQuery {
  if (typeof query === 'string') return { text: query };
  const asked = checked(query, searchSchema, { what: 'A search', reason: 'QUERY_INVALID', orText: true });
  assertHops(asked);
  const { topK: _, ...rest } = asked;
  const topK = oneTopK(asked);
  return topK === undefined ? rest : { ...rest, options: { ...asked.options, topK } };
}

/** Steps that nobody walks would be ignored in silence. */
function assertHops({ options: { mode, hops: steps } = {} }: SearchQuery): void {
  if (steps !== undefined && mode !== 'graph')
    throw new RAGError(
      'QUERY_INVALID',
      'hops is for the mode "graph" alone: ask for that mode too (mode: "graph", --mode graph), or leave hops out.',
    );
}

/** `topK` at the top of a request or among its options. Throws `QUERY_INVALID` where both state it and differ. */
export function oneTopK({
  topK,
  options,
}: {
  readonly topK?: number | undefined;
  readonly options?: { readonly topK?: number | undefined } | undefined;
}): number | undefined {
  const inner = options?.topK;
  if (topK !== undefined && inner !== undefined && topK !== inner)
    throw new RAGError('QUERY_INVALID', `topK is ${topK} and under options ${inner}; state it once.`);
  return topK ?? inner;
}

export const search = operation({
  access: 'read',
  takes: 1,
  check: checkedSearch,
  asked: asQuery,
  gave: ({ results }: SearchResponse) => results.map(({ metadata }) => String(metadata.documentId)),
});
