import { RAGError, throwIfAborted, toRAGError } from '../core/errors.js';
import { percentile } from '../core/percentile.js';
import { runtime } from '../core/runtime.js';
import {
  computeMetric,
  type Judgments,
  labelOf,
  type Metric,
  mean,
  rankAsTrecEval,
  type ScoredId,
} from './metrics.js';
import type { DatasetQuery, RetrievalDataset, ScoreBy } from './retrieval-dataset.js';

/** Finds documents for a query, best first; `topK` is how many count. Order and ties are then trec_eval's, by score and id. */
export type DatasetSearch = (query: DatasetQuery, topK: number) => Promise<readonly ScoredId[]>;

export interface EvaluateRetrievalOptions {
  readonly dataset: RetrievalDataset;
  readonly search: DatasetSearch;
  readonly metrics: readonly Metric[];
  /** Default: what the data set says, else false. */
  readonly dropSelf?: boolean;
  /** Default: what the data set says, else `id`. */
  readonly scoreBy?: ScoreBy;
  readonly signal?: AbortSignal;
  /** Called after each query. */
  readonly onQuery?: (done: number, total: number) => void;
}

export interface RetrievalEvaluation {
  readonly dataset: string;
  readonly split: string;
  /** Number of queries the means are over: judged, with at least one relevant document. */
  readonly queries: number;
  /** Means by label: `{ 'ndcg@10': 0.71 }`. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Values by label in the order of the queries of `run`, for paired tests. */
  readonly perQuery: Readonly<Record<string, readonly number[]>>;
  /** Of one search as the caller sees it, queries run one after another. */
  readonly latencyMs: { readonly p50: number; readonly p95: number };
  /** What was retrieved, own documents dropped, for a TREC run file. */
  readonly run: ReadonlyMap<string, readonly ScoredId[]>;
}

/** Results below this rank do not count for a metric without cut-off, such as `map`. */
export const DEFAULT_DEPTH = 100;

/** How many results the metrics look at: the largest cut-off, at least 100. */
export const depthOf = (metrics: readonly Metric[]): number =>
  Math.max(DEFAULT_DEPTH, ...metrics.map(({ k }) => k ?? 0));

/**
 * Whether a document is the query itself, in sets where documents are the queries (duplicate search): the query's id
 * is the document's id, or `Q` and the document's id.
 */
export const isOwnDocument = (queryId: string, documentId: string): boolean =>
  queryId === documentId || queryId === `Q${documentId}`;

/**
 * Runs every judged query and computes the metrics as trec_eval would from the run file.
 *
 * By text, a result is right when its text equals a judged document's: copies of a passage under other ids count, but
 * a second copy takes a place and gains nothing.
 *
 * @throws RAGError the search's own, naming the query; `ABORTED`.
 */
export async function evaluateRetrieval(options: EvaluateRetrievalOptions): Promise<RetrievalEvaluation> {
  const { dataset, metrics } = options;
  const identityOf = identity(dataset, options.scoreBy ?? dataset.settings.scoreBy ?? 'id');
  const judged = judgedQueries(options, identityOf);
  const { run, times } = await runQueries(options, judged);
  const perQuery = Object.fromEntries(metrics.map((metric) => [labelOf(metric), [] as number[]]));
  for (const { query, judgments } of judged) {
    const ranking = rankAsTrecEval(run.get(query.id) ?? []).map(identityOf);
    for (const metric of metrics) perQuery[labelOf(metric)]?.push(computeMetric(metric, ranking, judgments));
  }
  return {
    dataset: dataset.name,
    split: dataset.split,
    queries: judged.length,
    metrics: Object.fromEntries(Object.entries(perQuery).map(([label, values]) => [label, mean(values)])),
    perQuery,
    latencyMs: { p50: percentile(times, 0.5), p95: percentile(times, 0.95) },
    run,
  };
}

const dropsSelf = ({ dataset, dropSelf }: EvaluateRetrievalOptions): boolean =>
  dropSelf ?? dataset.settings.dropSelf ?? false;

async function runQueries(
  options: EvaluateRetrievalOptions,
  judged: readonly JudgedQuery[],
): Promise<{ run: Map<string, readonly ScoredId[]>; times: number[] }> {
  const { search, metrics, signal, onQuery } = options;
  const run = new Map<string, readonly ScoredId[]>();
  const times: number[] = [];
  const depth = depthOf(metrics);
  const dropSelf = dropsSelf(options);
  for (const { query } of judged) {
    throwIfAborted(signal);
    const started = runtime().elapsed();
    const results = await search(query, dropSelf ? depth + 1 : depth).catch((error: unknown) => {
      throw toRAGError(error, 'SEARCH_FAILED', `The search for query ${JSON.stringify(query.id)} failed.`);
    });
    times.push(runtime().elapsed() - started);
    assertScores(query, results);
    const kept = dropSelf ? results.filter(({ id }) => !isOwnDocument(query.id, id)) : results;
    run.set(query.id, kept.slice(0, depth));
    onQuery?.(times.length, judged.length);
  }
  return { run, times };
}

// NaN compares as neither more nor less, so it would leave the order to chance.
function assertScores(query: DatasetQuery, results: readonly ScoredId[]): void {
  const bad = results.find(({ score }) => Number.isNaN(score));
  if (bad === undefined) return;
  throw new RAGError(
    'INTERNAL',
    `The search for query ${JSON.stringify(query.id)} gave document ${JSON.stringify(bad.id)} a score that is not a number.`,
  );
}

/** Maps a document id to what is compared: itself, or the first id in the corpus with the same text. */
function identity({ documents }: RetrievalDataset, scoreBy: ScoreBy): (id: string) => string {
  if (scoreBy === 'id') return (id) => id;
  const firstOfText = new Map<string, string>();
  const firstOfId = new Map<string, string>();
  for (const { id, text } of documents) {
    const first = firstOfText.get(text) ?? id;
    firstOfText.set(text, first);
    firstOfId.set(id, first);
  }
  return (id) => firstOfId.get(id) ?? id;
}

interface JudgedQuery {
  readonly query: DatasetQuery;
  readonly judgments: Judgments;
}

// A query whose only relevant document is itself has nothing left to find once that is dropped, and is not counted.
function judgedQueries(options: EvaluateRetrievalOptions, identityOf: (id: string) => string): JudgedQuery[] {
  return options.dataset.queries
    .map((query) => ({ query, judgments: judgmentsOf(options, query.id, identityOf) }))
    .filter(({ judgments }) => [...judgments.values()].some((grade) => grade > 0));
}

function judgmentsOf(
  options: EvaluateRetrievalOptions,
  queryId: string,
  identityOf: (id: string) => string,
): Judgments {
  const judged = new Map<string, number>();
  for (const [id, grade] of options.dataset.judgments.get(queryId) ?? []) {
    if (dropsSelf(options) && isOwnDocument(queryId, id)) continue;
    const key = identityOf(id);
    judged.set(key, Math.max(grade, judged.get(key) ?? grade));
  }
  return judged;
}
