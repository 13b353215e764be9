import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { ANALYSIS_VERSION } from '../analysis/lexical-analyzer.js';
import { loadConfig } from '../config/load-config.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import type { RAGSettingsInput } from '../config/schema/index.js';
import { RAGError } from '../core/errors.js';
import { evaluateRetrieval } from '../evaluation/evaluate-retrieval.js';
import { DEFAULT_METRICS, parseMetrics, type ScoredId } from '../evaluation/metrics.js';
import { readQuestionSet } from '../evaluation/question-set.js';
import {
  type RetrievalDataset,
  readRetrievalDataset,
  type ScoreBy,
} from '../evaluation/retrieval-dataset.js';
import { evaluateQuestions, type QuestionMeans } from '../evaluation/score-questions.js';
import { formatTrecRun } from '../evaluation/trec-run.js';
import { laneWeightsFor } from '../retrieval/fusion/lane-weights.js';
import { createEngine } from './create-engine.js';
import type { Engine, IndexProgress, SearchMode, SearchQuery } from './engine.js';

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
  /** `none`, `builtin` or `cross-encoder:PATH_OR_ID`. Default: the configured one. */
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
  readonly configFile?: string;
  /** Its embedding cache is used; the evaluated index lives in a temporary folder. */
  readonly dataDir?: string;
  readonly cwd?: string;
  readonly onProgress?: (progress: EvaluateProgress) => void;
  readonly signal?: AbortSignal;
}

export interface EvaluateProgress {
  readonly stage: 'indexing' | 'searching';
  readonly done: number;
  readonly total: number;
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

/**
 * Measures retrieval through the whole engine: a data set, one chunk a document; or a folder, indexed as `index` would,
 * with questions. Threshold, near-duplicate removal, variety and recency are off unless asked for.
 */
export async function evaluate(options: EvaluateOptions): Promise<EvaluationReport> {
  const folder = await mkdtemp(join(tmpdir(), 'ragstone-eval-'));
  try {
    const config = await loadUserConfig(options);
    const engine = await createEngine({
      ...(options.configFile === undefined ? {} : { configFile: options.configFile }),
      cwd: options.cwd ?? process.cwd(),
      dataDir: folder,
      overrides: evaluationSettings(options, config, folder),
    });
    const evaluated =
      options.questions === undefined
        ? evaluateDataset(engine, options)
        : evaluateFolder(engine, options, options.questions);
    return await evaluated.finally(() => engine.close());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const loadUserConfig = ({ configFile, dataDir, cwd }: EvaluateOptions): Promise<ResolvedConfig> =>
  loadConfig({
    ...(configFile === undefined ? {} : { file: configFile }),
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(cwd === undefined ? {} : { cwd }),
  });

/** The user's settings, with the index in a temporary folder and the embedding cache where it always is. */
function evaluationSettings(
  options: EvaluateOptions,
  config: ResolvedConfig,
  folder: string,
): RAGSettingsInput {
  const { cache } = config.rag.embedding;
  return {
    sources: [],
    storage: { local: { path: join(folder, 'store') } },
    embedding: {
      ...(options.embedder === undefined ? {} : { model: options.embedder }),
      cache: { enabled: cache.enabled, path: cache.path },
    },
    ...(options.rerank === undefined ? {} : { retrieval: { rerank: rerankSettings(options.rerank) } }),
    // Documents of a test collection are judged whole.
    ...(options.questions === undefined ? { chunking: { strategy: 'whole' } } : {}),
  };
}

/** A measurement waits for the reranker: figures of which some are without it would mean nothing. */
const RERANK_DEADLINE_MS = 600_000;

const rerankSettings = (model: string) =>
  model === 'none' ? { enabled: false } : { enabled: true, model, deadlineMs: RERANK_DEADLINE_MS };

function searchOptions(options: EvaluateOptions, topK: number): NonNullable<SearchQuery['options']> {
  return {
    topK,
    mode: options.mode ?? 'hybrid',
    minSimilarity: options.minSimilarity ?? 0,
    nearDuplicates: options.nearDuplicates === true ? 'remove' : 'keep',
    mmrLambda: options.mmr ?? 1,
    recencyHalfLifeDays: options.recency ?? 0,
  };
}

async function evaluateDataset(engine: Engine, options: EvaluateOptions): Promise<EvaluationReport> {
  const metrics = parseMetrics(options.metrics ?? DEFAULT_METRICS);
  const dataset = await readRetrievalDataset(resolve(options.cwd ?? '.', options.target), {
    split: options.split ?? 'test',
  });
  const indexed = await engine.index({
    documents: dataset.documents.map(({ id, title, text }) => ({
      id,
      text,
      ...(title === '' ? {} : { title }),
    })),
    ...indexHooks(options),
  });
  const evaluation = await evaluateRetrieval({
    dataset,
    metrics,
    search: async ({ text }, topK) => byDocument(await search(engine, options, text, topK)),
    ...(options.dropSelf === undefined ? {} : { dropSelf: options.dropSelf }),
    ...(options.scoreBy === undefined ? {} : { scoreBy: options.scoreBy }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    onQuery: (done, total) => options.onProgress?.({ stage: 'searching', done, total }),
  });
  if (options.run !== undefined) {
    await writeFile(resolve(options.cwd ?? '.', options.run), formatTrecRun(evaluation.run, 'ragstone'));
  }
  return {
    dataset: evaluation.dataset,
    split: evaluation.split,
    queries: evaluation.queries,
    metrics: evaluation.metrics,
    latencyMs: evaluation.latencyMs,
    ...(await indexFigures(engine)),
    config: await evaluatedConfig(engine, options, dataset),
    notices: [...indexed.notices, ...missingNotice(dataset)],
  };
}

function missingNotice({ missingDocuments }: RetrievalDataset): string[] {
  if (missingDocuments === 0) return [];
  return [`${missingDocuments} relevant documents are not in the corpus and count as missed.`];
}

interface Found {
  readonly documentId: string;
  readonly content: string;
}

async function search(
  engine: Engine,
  options: EvaluateOptions,
  text: string,
  topK: number,
): Promise<Found[]> {
  const { results, lanes } = await engine.search({
    text,
    options: searchOptions(options, topK),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const rerank = lanes.find(({ lane }) => lane === 'rerank');
  if (rerank?.status === 'failed')
    throw new RAGError('RERANKER_UNAVAILABLE', rerank.reason ?? 'The reranker failed.');
  return results.map(({ metadata, content }) => ({ documentId: metadata.source, content }));
}

// The rank is the score: calibrated scores may tie where ranks do not.
const byDocument = (found: readonly Found[]): ScoredId[] =>
  found.map(({ documentId }, index) => ({ id: documentId, score: found.length - index }));

async function evaluateFolder(
  engine: Engine,
  options: EvaluateOptions,
  file: string,
): Promise<EvaluationReport> {
  const cwd = options.cwd ?? '.';
  const questions = await readQuestionSet(resolve(cwd, file));
  const indexed = await engine.index({ paths: [options.target], ...indexHooks(options) });
  const evaluation = await evaluateQuestions({
    questions,
    search: async (question, topK) =>
      (await search(engine, options, question, topK)).map(({ documentId, content }) => ({
        path: documentId,
        content,
      })),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const failures = indexed.stats.errors.map(({ item, message }) => `${item ?? ''}: ${message}`);
  return {
    dataset: basename(resolve(cwd, options.target)),
    split: basename(file),
    queries: evaluation.questions,
    metrics: flatMeans(evaluation),
    byType: Object.fromEntries(
      Object.entries(evaluation.byType).map(([type, means]) => [
        type,
        { questions: means.questions, metrics: flatMeans(means) },
      ]),
    ),
    latencyMs: evaluation.latencyMs,
    ...(await indexFigures(engine)),
    config: await evaluatedConfig(engine, options, undefined),
    notices: [...indexed.notices, ...failures],
  };
}

const flatMeans = ({ hit, file }: QuestionMeans): Record<string, number> =>
  Object.fromEntries([
    ...Object.entries(hit).map(([k, value]) => [`hit@${k}`, value] as const),
    ...Object.entries(file).map(([k, value]) => [`file@${k}`, value] as const),
  ]);

const indexHooks = ({ onProgress, signal }: EvaluateOptions) => ({
  onProgress: ({ itemsDone, itemsTotal }: IndexProgress) =>
    onProgress?.({ stage: 'indexing', done: itemsDone, total: itemsTotal }),
  ...(signal === undefined ? {} : { signal }),
});

async function indexFigures(engine: Engine): Promise<{ documents: number; chunks: number }> {
  const { documents, chunks } = await engine.status();
  return { documents, chunks };
}

async function evaluatedConfig(
  engine: Engine,
  options: EvaluateOptions,
  dataset: RetrievalDataset | undefined,
): Promise<EvaluatedConfig> {
  const { embedder, fingerprint, provider } = await engine.status();
  const { rag } = await loadConfig({
    ...(options.configFile === undefined ? {} : { file: options.configFile }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(dataset === undefined ? {} : { overrides: { chunking: { strategy: 'whole' } } }),
  });
  const { hybrid, fusion } = rag.retrieval;
  const weights =
    hybrid.weights === undefined
      ? laneWeightsFor(embedder)
      : { dense: hybrid.weights.semantic, lexical: hybrid.weights.keyword };
  return {
    mode: options.mode ?? 'hybrid',
    embedder,
    fingerprint,
    store: provider,
    rerank: options.rerank ?? (rag.retrieval.rerank.enabled ? rag.retrieval.rerank.model : 'none'),
    fusion: { method: fusion.method, weights: { dense: weights.dense, lexical: weights.lexical } },
    candidatesPerLane: fusion.candidates,
    chunking: rag.chunking,
    analysisVersion: ANALYSIS_VERSION,
    minSimilarity: options.minSimilarity ?? 0,
    nearDuplicates: options.nearDuplicates ?? false,
    mmr: options.mmr ?? 1,
    recency: options.recency ?? 0,
    dropSelf: options.dropSelf ?? dataset?.settings.dropSelf ?? false,
    scoreBy: options.scoreBy ?? dataset?.settings.scoreBy ?? 'id',
  };
}
