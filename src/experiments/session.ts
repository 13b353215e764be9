import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadConfig } from '../config/load-config.js';
import { mergeSettings } from '../config/merge-settings.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import type { RAGSettingsInput } from '../config/schema/index.js';
import { RAGError } from '../core/errors.js';
import { LOCAL_SCOPE, scopeOf } from '../core/scope.js';
import { withoutUndefined } from '../core/without-undefined.js';
import { engineOver } from '../engine/create-engine.js';
import { evaluateRetrieval } from '../evaluation/evaluate-retrieval.js';
import { DEFAULT_METRICS, type Metric, parseMetrics, type ScoredId } from '../evaluation/metrics.js';
import type { QueryScores } from '../evaluation/query-scores.js';
import { areGraded, isAnswerable, type Question, readQuestionSet } from '../evaluation/question-set.js';
import { type RetrievalDataset, readRetrievalDataset } from '../evaluation/retrieval-dataset.js';
import { evaluateQuestions, type QuestionEvaluation } from '../evaluation/score-questions.js';
import { formatTrecRun } from '../evaluation/trec-run.js';
import type { EngineView, IndexProgress, SearchQuery } from '../operations/engine.js';
import { resolveReranker } from '../resources/assembly/resolve-reranker.js';
import { EngineResources } from '../resources/engine-resources.js';
import { runWholeSearch } from '../searching/run-search.js';
import type { SearchResources } from '../searching/searched-index.js';
import type { EvaluateOptions } from './experiment-types.js';

/** What is asked and how answers are judged. */
export type EvaluationTask =
  | { readonly kind: 'dataset'; readonly dataset: RetrievalDataset; readonly metrics: readonly Metric[] }
  | { readonly kind: 'questions'; readonly questions: readonly Question[] };

/** A target that is read and indexed in a temporary folder, ready to be asked. Close it. */
export interface EvaluationSession {
  readonly config: ResolvedConfig;
  /** As the scope of the evaluation sees it. */
  readonly engine: EngineView;
  readonly resources: EngineResources;
  readonly task: EvaluationTask;
  /** What indexing had to say. */
  readonly notices: readonly string[];
  /** The session's configuration with other settings on top; the index stays as it is. */
  configure(settings: RAGSettingsInput): Promise<ResolvedConfig>;
  close(): Promise<void>;
}

/** Reads what is asked, then indexes the target by the user's settings and the overrides of an evaluation. */
export async function openEvaluation(options: EvaluateOptions): Promise<EvaluationSession> {
  const folder = await mkdtemp(join(tmpdir(), 'ragstone-eval-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const task = await readTask(options);
    const configure = (settings: RAGSettingsInput) => loadEvaluationConfig(options, folder, settings);
    const config = await configure({});
    await assertReranker(config);
    const resources = new EngineResources(config);
    const engine = engineOver(resources, options.cwd ?? process.cwd());
    const close = () => engine.close().finally(remove);
    try {
      const view = engine.as(options.scope ?? LOCAL_SCOPE);
      const notices = await indexTarget(view, task, options);
      return { config, engine: view, resources, task, notices, configure, close };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A search does without a model that is not there; figures of another reranker than the one that was named would mislead. */
async function assertReranker(config: ResolvedConfig): Promise<void> {
  if (config.rag.retrieval.rerank.enabled && config.own?.reranker === undefined)
    await resolveReranker(config);
}

async function readTask({
  cwd = '.',
  target,
  questions,
  split,
  metrics,
}: EvaluateOptions): Promise<EvaluationTask> {
  if (questions !== undefined && metrics !== undefined)
    throw new RAGError(
      'USAGE',
      'Metrics can be chosen for a data set only: questions are always measured by hit@k and file@k. Leave the metrics out.',
    );
  if (questions !== undefined)
    return { kind: 'questions', questions: await readQuestionSet(resolve(cwd, questions)) };
  const parsed = parseMetrics(metrics ?? DEFAULT_METRICS);
  const dataset = await readRetrievalDataset(resolve(cwd, target), { split: split ?? 'test' });
  return { kind: 'dataset', dataset, metrics: parsed };
}

/** The user's settings and embedding cache, with the index in a temporary folder. */
async function loadEvaluationConfig(
  options: EvaluateOptions,
  folder: string,
  settings: RAGSettingsInput,
): Promise<ResolvedConfig> {
  const { configFile, dataDir, cwd, env, overrides = {} } = options;
  const config = await loadConfig({
    file: configFile,
    dataDir,
    cwd,
    env,
    overrides: withSettings(withSettings(overrides, evaluationSettings(options, folder)), settings),
  });
  // The cache has its place by now; ledger, store and lock go where nothing of the user's is.
  if (options.embedder === undefined) return { ...config, dataDir: folder };
  // What is pinned is the configured model.
  const { sha256: _, ...embedding } = config.rag.embedding;
  return { ...config, rag: { ...config.rag, embedding }, dataDir: folder };
}

/** Settings over others. Merging two settings gives settings; the loader checks the result. */
export const withSettings = (lower: RAGSettingsInput, upper: RAGSettingsInput): RAGSettingsInput =>
  mergeSettings(lower, upper) as RAGSettingsInput;

/** A measurement waits for lanes and reranker: figures of which some are without them would mean nothing. */
const DEADLINE_MS = 600_000;

function evaluationSettings(options: EvaluateOptions, folder: string): RAGSettingsInput {
  const { embedder, rerank, questions } = options;
  return {
    sources: [],
    // Never the ledger that other hosts search.
    ledger: { type: 'sqlite' },
    storage: { local: { path: join(folder, 'store') } },
    ...(embedder === undefined ? {} : { embedding: { model: embedder } }),
    retrieval: {
      laneDeadlineMs: DEADLINE_MS,
      rerank: {
        ...(rerank === undefined ? {} : { enabled: rerank !== 'none' }),
        ...(rerank === undefined || rerank === 'none' ? {} : { model: rerank }),
        deadlineMs: DEADLINE_MS,
      },
    },
    // Documents of a test collection are judged whole.
    ...(questions === undefined ? { chunking: { strategy: 'whole' } } : {}),
  };
}

async function indexTarget(
  engine: EngineView,
  task: EvaluationTask,
  options: EvaluateOptions,
): Promise<readonly string[]> {
  const { onProgress, signal, target } = options;
  const what =
    task.kind === 'questions'
      ? { paths: [target] }
      : {
          documents: task.dataset.documents.map(({ id, title, text, surroundings }) => ({
            id,
            text,
            ...(title === '' ? {} : { title }),
            ...withoutUndefined({ surroundings }),
          })),
        };
  const { notices, stats } = await engine.index({
    ...what,
    onProgress: ({ itemsDone, itemsTotal }: IndexProgress) =>
      onProgress?.({ stage: 'indexing', done: itemsDone, total: itemsTotal }),
    ...withoutUndefined({ signal }),
  });
  return [...notices, ...stats.errors.map(({ item, message }) => `${item ?? ''}: ${message}`)];
}

/** A passage found, as both kinds of task look at it. */
export interface Found {
  readonly documentId: string;
  readonly title?: string | undefined;
  readonly content: string;
}

/** Passages for a question, best first. */
export type TaskSearch = (text: string, topK: number) => Promise<readonly Found[]>;

/** A search as evaluations run it: threshold, near-duplicate removal, variety and recency only where asked for. */
export function taskSearch(options: EvaluateOptions, resources: SearchResources): TaskSearch {
  const scope = scopeOf(options.scope ?? LOCAL_SCOPE);
  return async (text, topK) => {
    const { results, lanes } = await runWholeSearch(
      {
        text,
        options: searchOptions(options, topK),
        ...withoutUndefined({ signal: options.signal }),
      },
      scope,
      resources,
    );
    const rerank = lanes.find(({ lane }) => lane === 'rerank');
    if (rerank?.status === 'failed')
      throw new RAGError('RERANKER_UNAVAILABLE', rerank.reason ?? 'The reranker failed.');
    return results.map(({ metadata, content }) => ({
      documentId: metadata.source,
      title: metadata.title,
      content,
    }));
  };
}

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

/** Has the reader read what the searches of a task look at, so that their times are those of an index that was read. */
export async function readCandidates(
  { config, task }: Pick<EvaluationSession, 'config' | 'task'>,
  search: TaskSearch,
  onProgress: EvaluateOptions['onProgress'],
): Promise<void> {
  const { enabled, model } = config.rag.retrieval.rerank;
  if (!enabled || model !== 'reader') return;
  const texts =
    task.kind === 'dataset'
      ? task.dataset.queries.map(({ text }) => text)
      : task.questions.filter(isAnswerable).map(({ question }) => question);
  for (const [at, text] of texts.entries()) {
    await search(text, 1);
    onProgress?.({ stage: 'reading', done: at + 1, total: texts.length });
  }
}

/** The scores of every query, and what only one kind of task has. */
export interface TaskScores extends QueryScores {
  readonly latencyMs: { readonly p50: number; readonly p95: number };
  /** Of a question set. */
  readonly byType?: QuestionEvaluation['byType'];
}

/** Asks every query of a task and scores the answers. */
export function scoreTask(
  task: EvaluationTask,
  search: TaskSearch,
  options: EvaluateOptions,
): Promise<TaskScores> {
  return task.kind === 'dataset'
    ? scoreDataset(task, search, options)
    : scoreQuestions(task, search, options);
}

async function scoreDataset(
  { dataset, metrics }: Extract<EvaluationTask, { kind: 'dataset' }>,
  search: TaskSearch,
  { dropSelf, scoreBy, signal, onProgress, run, cwd = '.' }: EvaluateOptions,
): Promise<TaskScores> {
  const evaluation = await evaluateRetrieval({
    dataset,
    metrics,
    search: async ({ text }, topK) => byDocument(await search(text, topK)),
    ...withoutUndefined({ dropSelf, scoreBy, signal }),
    onQuery: (done, total) => onProgress?.({ stage: 'searching', done, total }),
  });
  if (run !== undefined) await writeFile(resolve(cwd, run), formatTrecRun(evaluation.run, 'ragstone'));
  const texts = new Map(dataset.queries.map(({ id, text }) => [id, text]));
  return {
    queries: [...evaluation.run.keys()].map((id) => ({ id, text: texts.get(id) ?? '' })),
    values: evaluation.perQuery,
    latencyMs: evaluation.latencyMs,
  };
}

// The rank is the score: calibrated scores may tie where ranks do not.
const byDocument = (found: readonly Found[]): ScoredId[] =>
  found.map(({ documentId }, index) => ({ id: documentId, score: found.length - index }));

async function scoreQuestions(
  { questions }: Extract<EvaluationTask, { kind: 'questions' }>,
  search: TaskSearch,
  { signal, onProgress }: EvaluateOptions,
): Promise<TaskScores> {
  const asked = questions.filter(isAnswerable);
  let done = 0;
  const { perQuestion, byType, latencyMs } = await evaluateQuestions({
    questions: asked,
    search: async (question, topK) => {
      const found = await search(question, topK);
      onProgress?.({ stage: 'searching', done: ++done, total: asked.length });
      return found.map(({ documentId, content }) => ({ path: documentId, content }));
    },
    ...withoutUndefined({ signal }),
  });
  const cutoffs = Object.keys(perQuestion[0]?.hit ?? {}).map(Number);
  const column = (kind: 'hit' | 'file' | 'ndcg') =>
    cutoffs.map((k) => [`${kind}@${k}`, perQuestion.map((score) => score[kind]?.[k] ?? 0)] as const);
  const graded = areGraded(asked) ? column('ndcg') : [];
  return {
    queries: asked.map(({ id, question }) => ({ id, text: question })),
    values: Object.fromEntries([...column('hit'), ...column('file'), ...graded]),
    byType,
    latencyMs,
  };
}
