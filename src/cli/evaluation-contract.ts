import type { SearchMode } from '../index.js';
import type { CountedProgress } from './render/progress.js';

/** What `ragstone eval` asks of the library. */
export interface EvaluateOptions {
  /** Folder of a data set; with `questions`, folder of documents. Relative to `cwd`. */
  readonly target: string;
  /** File of questions with gold quotes. Relative to `cwd`. */
  readonly questions?: string;
  /** Judgments `qrels/NAME.tsv`. @default 'test' */
  readonly split?: string;
  /** @default 'hybrid' */
  readonly mode?: SearchMode;
  /** `builtin` or `transformers:PATH_OR_ID`. @default the configured model */
  readonly embedder?: string;
  /** `none`, `builtin` or `cross-encoder:PATH`. @default 'none' */
  readonly rerank?: string;
  /** Such as `ndcg@10,recall@5|10`. @default every metric of the data set's kind */
  readonly metrics?: string;
  readonly dropSelf?: boolean;
  readonly scoreBy?: 'id' | 'text';
  /** TREC run file to write. Relative to `cwd`. */
  readonly run?: string;
  /** @default 0: off */
  readonly minSimilarity?: number;
  /** @default false */
  readonly nearDuplicates?: boolean;
  /** Trade-off of maximal marginal relevance. @default off */
  readonly mmr?: number;
  /** Half-life in days. @default off */
  readonly recency?: number;
  readonly cwd?: string;
  readonly configFile?: string;
  readonly dataDir?: string;
  readonly onProgress?: (progress: CountedProgress) => void;
  readonly signal?: AbortSignal;
}

/** What an evaluation measured. */
export interface EvaluationReport {
  readonly dataset: string;
  /** Absent for questions about a folder. */
  readonly split?: string;
  /** Queries that the means are over. */
  readonly queries: number;
  /** Means by label: `{ 'ndcg@10': 0.71 }`. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Of one search, milliseconds. */
  readonly latencyMs: { readonly p50: number; readonly p95: number };
  /** What was measured: mode, embedder, fusion, everything that changes a figure. */
  readonly config: Readonly<Record<string, unknown>>;
}
