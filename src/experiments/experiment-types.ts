import type { Environment } from '../config/expand-variables.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import type { RAGSettingsInput } from '../config/schema/index.js';
import type { ScopeInput } from '../core/scope.js';
import type { ScoreBy } from '../evaluation/retrieval-dataset.js';
import type { SearchMode } from '../operations/engine.js';

/** Which data set is searched, with which settings and metrics. */
export interface EvaluateOptions {
  /** Folder of a data set in BEIR layout; with `questions`, a folder of documents. */
  readonly target: string;
  /** File of questions with gold quotes about the folder. */
  readonly questions?: string;
  /** Which judgments. @default 'test' */
  readonly split?: string;
  /** @default 'hybrid' */
  readonly mode?: SearchMode;
  /** `builtin` or `transformers:PATH_OR_ID`. Default: the configured one. */
  readonly embedder?: string;
  /** `none`, `builtin`, `reader` or `cross-encoder:PATH_OR_ID`. Default: the configured one. */
  readonly rerank?: string;
  /** Such as `ndcg@10, recall@5|10`. */
  readonly metrics?: string;
  readonly dropSelf?: boolean;
  readonly scoreBy?: ScoreBy;
  /** Where to write the results as a TREC run file. */
  readonly run?: string;
  /** Off (0) unless given, as are the next three. */
  readonly minSimilarity?: number;
  readonly nearDuplicates?: boolean;
  readonly mmr?: number;
  /** Half-life in days. */
  readonly recency?: number;
  /** Who asks, where the configuration has access rules. Default: as a search without a scope. */
  readonly scope?: ScopeInput | undefined;
  readonly configFile?: string;
  /** Settings over those of the file. */
  readonly overrides?: RAGSettingsInput;
  /** Its embedding cache is used; the evaluated index lives in a temporary folder. */
  readonly dataDir?: string;
  readonly cwd?: string;
  /** Variables for `${NAME}`. @default process.env */
  readonly env?: Environment | undefined;
  readonly onProgress?: (progress: EvaluateProgress) => void;
  readonly signal?: AbortSignal;
}

/** How far an evaluation is. `reading`: the reader reads what the searches look at, before they are measured. */
export interface EvaluateProgress {
  readonly stage: 'indexing' | 'reading' | 'searching' | 'tuning';
  readonly done: number;
  readonly total: number;
  /** Milliseconds left, where it can be told. */
  readonly etaMs?: number;
}

/** What the figures were measured with. */
export interface EvaluatedConfig {
  readonly mode: SearchMode;
  readonly embedder: string;
  readonly fingerprint: string;
  readonly store: string;
  readonly rerank: string;
  readonly fusion: {
    readonly method: string;
    /** Of `adaptive` those of a query whose lanes' scores fall alike; each query has its own. */
    /** Under `adaptive` the usual ones, around which each query has its own. */
    readonly weights: { readonly dense: number; readonly lexical: number };
  };
  readonly candidatesPerLane: number;
  readonly chunking: ResolvedConfig['rag']['chunking'];
  readonly analysisVersion: number;
  readonly minSimilarity: number;
  readonly nearDuplicates: boolean;
  readonly mmr: number;
  readonly recency: number;
  readonly dropSelf: boolean;
  readonly scoreBy: ScoreBy;
}

/** Metrics of a data set, with the configuration they hold for. */
export interface EvaluationReport {
  readonly dataset: string;
  readonly split: string;
  readonly queries: number;
  /** Means by label: `ndcg@10` of a data set, `hit@5` and `file@5` of a question set. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Of a question set: means by type of question. */
  readonly byType?: Readonly<
    Record<string, { readonly questions: number; readonly metrics: Readonly<Record<string, number>> }>
  >;
  readonly latencyMs: { readonly p50: number; readonly p95: number };
  readonly documents: number;
  readonly chunks: number;
  readonly config: EvaluatedConfig;
  readonly notices: readonly string[];
}
