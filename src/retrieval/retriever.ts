import type { ScoredChunk, StoredChunk } from '../core/chunk.js';
import type { DegradationLevel } from '../core/degradation.js';
import type { Filter } from '../core/filter.js';
import type { Notice } from '../core/notice.js';
import type { GraphStep } from '../relations/graph/walk.js';
import type { RerankCandidate, Reranker } from '../reranking/reranker.js';
import type { ExpansionKind, QueryIntent } from './understanding/query-expander.js';

/**
 * `hybrid`: all lanes, fused. `dense`: vectors alone. `lexical`: words and identifiers; the query is not embedded. `graph`: as `hybrid`, and
 * what is connected with the first documents that they find.
 */
export type RetrievalMode = 'hybrid' | 'dense' | 'lexical' | 'graph';

/** Share of each lane in the fused score; only their ratio matters: `{ dense: 0.7, lexical: 0.3 }`. */
export interface LaneWeights {
  readonly dense: number;
  readonly lexical: number;
}

export interface FusionSettings {
  /**
   * `adaptive`: weighted sum of min-max normalised scores, the weights found for each query (`fusion/lane-weights.ts`).
   * `convex-combination`: the same with fixed weights. `reciprocal-rank`: weighted sum of 1 / (k + rank), which ignores how
   * far apart scores are and suffers when one lane is weak.
   * @default 'adaptive'
   */
  readonly method: 'adaptive' | 'convex-combination' | 'reciprocal-rank';
  /** Fixed weights, for any method. @default what was learned for the embedding model */
  readonly weights?: LaneWeights | undefined;
  /** Of `reciprocal-rank`: how slowly the weight of a rank falls. @default 60 */
  readonly rankConstant: number;
}

export interface RerankSettings {
  /** @default true: a reranker that is missing is reported as a degradation */
  readonly enabled: boolean;
  /** Candidates handed to the reranker, at most its own `maxCandidates`. @default 100 */
  readonly maxCandidates: number;
  /** A reranker that has not answered by then is skipped and reported. Milliseconds. @default 2000 */
  readonly deadlineMs: number;
  /** Share of the reranker in the order, in (0, 1]; the fused score has the rest. @default 1 */
  readonly weight?: number | undefined;
}

/** What is added to a query; nothing where all of it is off, which is the default: docs/research/fusion.md has what each is worth. */
export interface ExpansionSettings {
  /** In the order in which they are reported. @default none */
  readonly kinds: readonly ExpansionKind[];
  /** Share of all expansions together in the fused score, in (0, 1). @default 0.1 */
  readonly weight: number;
  /** An expansion that is not ready by then is left out and reported. Milliseconds. @default 2000 */
  readonly deadlineMs: number;
}

/** What one request may override. */
export interface DiversitySettings {
  /** Passages whose words overlap at least this much (Jaccard, (0, 1]) with a better one are left out; absent keeps all. */
  readonly nearDuplicateThreshold?: number | undefined;
  /** Trade-off of maximal marginal relevance in (0, 1]; 1 or absent switches it off. */
  readonly mmrLambda?: number | undefined;
  /** Age in days at which a passage's score has lost half of the recency share; 0 or absent switches it off. */
  readonly recencyHalfLifeDays?: number | undefined;
}

export interface RetrievalSettings {
  readonly fusion: FusionSettings;
  /** Candidates fetched by each lane; at least `topK`. @default 100 */
  readonly candidatesPerLane: number;
  /** A lane, or the reading of what was found, that takes longer is given up. Milliseconds. @default 5000 */
  readonly laneDeadlineMs: number;
  readonly rerank: RerankSettings;
  readonly expansion: ExpansionSettings;
}

/** Steps from the documents that are found first, in mode `graph`. */
export const DEFAULT_HOPS = 1;

export interface RetrievalRequest extends DiversitySettings {
  readonly text: string;
  readonly mode: RetrievalMode;
  /** 1 to the store's `maxTopK`. */
  readonly topK: number;
  readonly filter: Filter;
  /** Lowest score that is shown, in [0, 1]; 0 switches the threshold off. */
  readonly minSimilarity: number;
  /** Leave out what scores less than this share of the best probability, in [0, 1); 0 or absent switches it off. */
  readonly scoreFall?: number | undefined;
  /** What is shown once; `topK` counts what is shown. @default 'none' */
  readonly collapse?: CollapseMode | undefined;
  /** Of mode `graph`: steps from the documents that are found first, at least 1. @default 1 */
  readonly hops?: number | undefined;
  /** Of mode `graph`: connections have a say in the order after reranking. @default true */
  readonly connectedFirst?: boolean | undefined;
  /** Overrides `RerankSettings.enabled`. */
  readonly rerank?: boolean | undefined;
  /** Overrides `RetrievalSettings.candidatesPerLane`. */
  readonly candidatesPerLane?: number | undefined;
  /** Overrides `RerankSettings.maxCandidates`. */
  readonly rerankCandidates?: number | undefined;
  /** How many of these candidates a reranker may be given, of the first ones. @default all */
  readonly affordable?:
    | ((reranker: Reranker, query: string, candidates: readonly RerankCandidate[]) => number)
    | undefined;
  /** When the asker stops waiting, as `runtime().elapsed()` counts: what has not ended by then is left out and reported. */
  readonly until?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One summand of a score. */
export interface Contribution {
  /**
   * `dense`, `lexical`, `expansion`, `graph`: shares in the fused score. `identifier`, `recency`: what the step added to it. `rerank`:
   * what the reranker, or its order, changed of the passage's own match. `calibration` closes the sum.
   */
  readonly signal: string;
  readonly value: number;
}

export interface CandidateExplanation {
  /** Cosine of query and chunk, in [-1, 1]; absent when the dense lane did not see the chunk. */
  readonly semanticScore?: number;
  /** BM25 of the chunk; absent when no lexical search saw it. */
  readonly keywordScore?: number;
  /** As the reranker gave it, not calibrated; absent where it was not asked about the chunk. */
  readonly rerankScore?: number;
  /** By which way the graph led to its document, from one that was found first; absent where the graph did not. */
  readonly path?: readonly GraphStep[];
  /** Sum of the values is the score, within 1e-9. */
  readonly contributions: readonly Contribution[];
}

export interface RankedCandidate {
  readonly chunk: StoredChunk;
  /**
   * How well the passage matches, in [0, 1]: above .7 well, above .5 somewhat, below .3 hardly. Falls along the list, but for
   * what variety moved.
   */
  readonly score: number;
  /** Calibrated probability that it is relevant, in the light of the other candidates. */
  readonly probability: number;
  /** Present where another place than the score's was given, and why. */
  readonly movedBy?: 'variety';
  readonly explanation: CandidateExplanation;
  /** Absent where no other passage of its document was found, or where each stands for itself. */
  readonly more?: MorePassages;
}

export interface LaneReport {
  /** `graph` in the mode of that name alone. */
  readonly lane: 'dense' | 'lexical' | 'identifier' | 'expansion' | 'graph' | 'rerank';
  /** `off`: not asked for or not set up. `failed`: the others went on without it. `empty`: ran and found nothing. */
  readonly status: 'ran' | 'off' | 'failed' | 'empty';
  readonly reason?: string;
  /** Present where time ended before it had looked at all, so the next search may order otherwise. */
  readonly unfinished?: true;
  readonly candidates: number;
  readonly tookMs: number;
  /** Of `dense` and `lexical` where they were fused: the share in the fused score of this query. */
  readonly weight?: number;
}

/** How the query was read, and what was added to it. */
export interface QueryUnderstanding {
  readonly intent: QueryIntent;
  readonly keywords: readonly string[];
  /** What it asks, where that decided how many results there are. */
  readonly parts?: readonly string[];
  /** What was looked for beside the query. */
  readonly expansions: readonly {
    readonly kind: ExpansionKind | 'synonyms';
    readonly text: string;
    /** Why, in a sentence. */
    readonly reason: string;
  }[];
}

/** Words of a query that no passage holds, and what was searched for in their place. */
export interface QueryCorrection {
  /** The query as it was searched for. */
  readonly searchedFor: string;
  readonly words: readonly { readonly typed: string; readonly used: string }[];
}

/** Steps whose list can be looked at while a search runs. */
export type TracedStage = 'dense' | 'lexical' | 'identifier' | 'fusion' | 'rerank' | 'refine';

/** Told the list of each step that ran, best first: how a document that is missing from the results is followed. */
export type StageTrace = (stage: TracedStage, list: readonly ScoredChunk[]) => void;

/** Passages that a shown one stands for. */
export interface MorePassages {
  readonly passages: number;
  /** Other documents among theirs: copies of the same item. */
  readonly copies: number;
  /** Passages of this and other documents that say nearly the same, and were left out; absent where there are none. */
  readonly alike?: number;
}

/** `document`: one passage of each document. `items`: of each backlog item and ticket only. `none`: all passages. */
export type CollapseMode = 'document' | 'items' | 'none';

/** A candidate that a step took out of the list. */
export interface RemovedCandidate {
  readonly id: string;
  readonly step: 'operator' | 'collapse' | 'near-duplicate' | 'threshold' | 'score-fall';
  /** In words: of which passage, or which score it had. */
  readonly detail: string;
  /** Of `threshold` and `score-fall`: what it scored. */
  readonly score?: number;
}

export interface RetrievalResult {
  readonly candidates: readonly RankedCandidate[];
  readonly understanding: QueryUnderstanding;
  readonly lanes: readonly LaneReport[];
  readonly degradationLevel: DegradationLevel;
  /** What a person should know: a query that was cut, a lane that failed. */
  readonly notices: readonly Notice[];
  readonly removed: readonly RemovedCandidate[];
}

/**
 * Query to ranked candidates. Throws `QUERY_EMPTY`, `QUERY_INVALID`, `ABORTED`, and `SEARCH_FAILED` where every lane that
 * could have answered failed; a single failed lane is reported instead.
 */
export interface Retriever {
  retrieve(request: RetrievalRequest): Promise<RetrievalResult>;
}
