import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ResolvedConfig } from '../config/resolved-config.js';
import type { RAGSettingsInput } from '../config/schema/index.js';
import { synonymsIn } from '../core/analysis/synonyms.js';
import type { ScoredChunk } from '../core/chunk.js';
import { RAGError } from '../core/errors.js';
import { contentHash } from '../core/ids.js';
import { TimeLeft } from '../core/time-left.js';
import { DEFAULT_DEPTH } from '../evaluation/evaluate-retrieval.js';
import { labelOf } from '../evaluation/metrics.js';
import { type NestedSelection, selectNested } from '../evaluation/nested-selection.js';
import { primaryMetricOf, valuesOf } from '../evaluation/query-scores.js';
import { areGraded, isAnswerable, type Question } from '../evaluation/question-set.js';
import { seededRandom, shuffled } from '../evaluation/random.js';
import type { FeedbackJudgments } from '../operations/feedback-judgments.js';
import type { SearchResources } from '../searching/searched-index.js';
import { readSynonymFile } from '../searching/synonym-rules.js';
import { collectionOf, membersOf } from '../stores/collection-members.js';
import type { TextQuery, VectorCollection, VectorQuery } from '../stores/vector-store.js';
import { targetOf } from './evaluate.js';
import type { EvaluateOptions } from './experiment-types.js';
import { withFeedbackQuestions } from './feedback-questions.js';
import {
  type EvaluationSession,
  type EvaluationTask,
  openEvaluation,
  scoreTask,
  type TaskSearch,
  taskSearch,
  withSettings,
} from './session.js';
import { otherChunkings, retrievalSpace, synonymSpace, type TunedSettings } from './tune-space.js';

/** Which data set settings are found on. */
export interface TuneOptions extends Omit<EvaluateOptions, 'mode' | 'run' | 'metrics' | 'rerank'> {
  /** What is made as large as possible. @default ndcg@10 of a data set, hit@5 of a question set */
  readonly metric?: string;
  /** Parts that the queries are split into; what is reported was measured on the part held out. @default 5 */
  readonly folds?: number;
  /** @default 1 */
  readonly seed?: number;
  /** More queries than this are sampled. @default 300 */
  readonly maxQueries?: number;
  /** Try other chunk sizes, where the target is a folder with questions. @default true, and false with `feedback` */
  readonly chunking?: boolean;
  /** File of synonyms (`rag.retrieval.synonyms.file`): it alone is tried, against the present settings. Relative to `cwd`. */
  readonly synonyms?: string;
  /** In place of `questions`: those that the feedback of the user's own index makes. @default false */
  readonly feedback?: boolean;
  /** Of `feedback`: the name of the source that the target is. @default passages of every source */
  readonly source?: string;
}

/** A search for better settings, and whether what it found is more than chance. */
export interface TuneReport {
  readonly dataset: string;
  readonly split: string;
  readonly metric: string;
  readonly queries: number;
  readonly folds: number;
  readonly seed: number;
  /** How many settings were tried. */
  readonly tried: number;
  /** Mean of the present settings. */
  readonly current: number;
  /** Best over all queries. Its mean is too good to be true, for these queries chose it; `heldOut` is not. */
  readonly best: { readonly name: string; readonly settings: RAGSettingsInput; readonly mean: number };
  /** What choosing gains on queries that had no part in the choice. */
  readonly heldOut: Pick<NestedSelection, 'gain' | 'low' | 'high' | 'pValue'> & { readonly mean: number };
  /** False: no setting that was tried is better by more than chance explains, so keep the present ones. */
  readonly isGain: boolean;
  /** What the folds chose, most often first: one choice again and again is a stable one. */
  readonly chosen: readonly { readonly name: string; readonly share: number }[];
  /** What the questions rest on, where they are of feedback. */
  readonly feedback?: Pick<FeedbackJudgments, 'examination' | 'counts'>;
  readonly notices: readonly string[];
}

/** What `evaluateQuestions` measures. */
const QUESTION_METRICS = ['hit@1', 'hit@5', 'hit@10', 'file@1', 'file@5', 'file@10'];
const GRADED_METRICS = ['ndcg@1', 'ndcg@5', 'ndcg@10'];

const questionMetrics = (questions: readonly Question[]): string[] =>
  areGraded(questions) ? [...QUESTION_METRICS, ...GRADED_METRICS] : QUESTION_METRICS;

const DEFAULT_FOLDS = 5;
const DEFAULT_MAX_QUERIES = 300;
/** With fewer, a fold holds too few queries to say anything. */
const MIN_QUERIES = 20;

/**
 * Tries what a user can set (fusion, weights, candidates, reranking, chunk sizes) on labelled questions of the user's own.
 * Each query is searched once an index; every setting is then tried on what the lanes found. See `selectNested` for how the
 * gain is kept honest.
 *
 * @throws RAGError `USAGE` where there are too few queries or the metric is not measured.
 */
export async function tune(options: TuneOptions): Promise<TuneReport> {
  const { feedback = false, source, ...rest } = options;
  if (!feedback && source !== undefined)
    throw new RAGError('USAGE', 'A source is named for questions of feedback alone.');
  if (!feedback) return tuneOn(rest);
  if (rest.questions !== undefined || rest.split !== undefined)
    throw new RAGError('USAGE', 'Feedback makes the questions itself: leave out questions and split.');
  return withFeedbackQuestions({ ...rest, source, least: MIN_QUERIES }, async (questions, judgments) => {
    const { chunking = false } = rest;
    const report = await tuneOn({ ...rest, questions, chunking });
    const { examination, counts, notices } = judgments;
    return {
      ...report,
      feedback: { examination, counts },
      notices: [...notices, ...(chunking ? [] : [CHUNKS_STAY]), ...report.notices],
    };
  });
}

const CHUNKS_STAY =
  'Chunk sizes stay as they are: people judged passages as the present sizes cut them, so others would lose by that alone.';

async function tuneOn(options: Omit<TuneOptions, 'feedback' | 'source'>): Promise<TuneReport> {
  const { folds = DEFAULT_FOLDS, seed = 1 } = options;
  const measured = await measuredOptions(options);
  const trials = await runTrials(measured, options);
  const selection = selectNested(
    trials.settings.map(({ values }) => values),
    { folds, seed },
  );
  const best = trials.settings[selection.best];
  if (best === undefined) throw new RAGError('INTERNAL', 'No setting was tried.');
  return {
    dataset: trials.dataset,
    split: trials.split,
    metric: trials.metric,
    queries: best.values.length,
    folds,
    seed,
    tried: trials.settings.length,
    current: selection.currentMean,
    best: { name: best.name, settings: best.settings, mean: selection.bestMean },
    heldOut: {
      mean: selection.heldOutMean,
      gain: selection.gain,
      low: selection.low,
      high: selection.high,
      pValue: selection.pValue,
    },
    isGain: selection.isGain,
    chosen: [...selection.chosen]
      .sort(([, a], [, b]) => b - a)
      .map(([setting, share]) => ({ name: trials.settings[setting]?.name ?? '', share })),
    notices: trials.notices,
  };
}

/** Tuning belongs on a train split where a data set has one. */
async function measuredOptions(options: TuneOptions): Promise<EvaluateOptions> {
  const { target, questions, split, cwd = '.', metric } = options;
  const hasTrain = () =>
    access(join(resolve(cwd, target), 'qrels', 'train.tsv')).then(
      () => true,
      () => false,
    );
  const isTrain = questions === undefined && split === undefined && (await hasTrain());
  return {
    ...options,
    ...(isTrain ? { split: 'train' } : {}),
    // Questions have metrics of their own.
    ...(options.questions === undefined ? { metrics: metric ?? 'ndcg@10' } : {}),
  };
}

interface Trial extends TunedSettings {
  /** By query. */
  readonly values: readonly number[];
}

interface Trials {
  readonly dataset: string;
  readonly split: string;
  readonly metric: string;
  readonly settings: readonly Trial[];
  readonly notices: readonly string[];
}

async function runTrials(measured: EvaluateOptions, options: TuneOptions): Promise<Trials> {
  const progress = trialProgress(measured);
  const first = await openEvaluation(measured);
  const { synonyms, cwd = '.' } = options;
  const chunkings =
    first.task.kind === 'questions' && options.chunking !== false && synonyms === undefined
      ? otherChunkings(first.config)
      : [];
  const { task, notices } = sampledTask(first.task, options);
  const plan = { task, metric: metricOf(first.task, options), measured };
  const space =
    synonyms === undefined
      ? retrievalSpace(first.config, { withCandidates: true })
      : synonymSpace(resolve(cwd, synonyms));
  const narrow = retrievalSpace(first.config, { withCandidates: false });
  progress.expect(space.length + chunkings.length * narrow.length);
  const settings = await closing(first, () => trySettings(first, space, { ...plan, progress }));
  for (const chunking of chunkings) {
    const overrides = withSettings(measured.overrides ?? {}, chunking.settings);
    const session = await openEvaluation({ ...measured, overrides });
    const tried = await closing(session, () => trySettings(session, narrow, { ...plan, progress }));
    settings.push(...tried.map((trial) => joined(chunking, trial)));
  }
  const { dataset, split } = targetOf(first, measured);
  const told = synonyms === undefined ? [] : [await reachOfSynonyms(resolve(cwd, synonyms), task)];
  return { dataset, split, metric: plan.metric, settings, notices: [...first.notices, ...notices, ...told] };
}

/** How many queries hold a word of the rules. */
async function reachOfSynonyms(file: string, task: EvaluationTask): Promise<string> {
  const rules = await readSynonymFile(file);
  const texts =
    task.kind === 'dataset'
      ? task.dataset.queries.map(({ text }) => text)
      : task.questions.map(({ question }) => question);
  const used = new Set<string>();
  let reached = 0;
  for (const text of texts) {
    const found = synonymsIn(text, rules);
    if (found.length > 0) reached += 1;
    for (const { rule } of found) used.add(rule);
  }
  return `The synonyms add words to ${reached} of ${texts.length} questions; ${used.size} of ${rules.length} rules are used.`;
}

const closing = <T>(session: EvaluationSession, work: () => Promise<T>): Promise<T> =>
  work().finally(() => session.close());

const joined = (chunking: TunedSettings, { name, settings, values }: Trial): Trial => ({
  name: `${chunking.name}, ${name}`,
  settings: withSettings(chunking.settings, settings),
  values,
});

interface TrialPlan {
  readonly task: EvaluationTask;
  readonly metric: string;
  readonly measured: EvaluateOptions;
  readonly progress: TrialProgress;
}

/** Every setting on one index; the lanes search once a query. */
async function trySettings(
  session: EvaluationSession,
  space: readonly TunedSettings[],
  { task, metric, measured, progress }: TrialPlan,
): Promise<Trial[]> {
  const configs = await Promise.all(space.map(({ settings }) => session.configure(settings)));
  const depth = Math.max(...configs.map(({ rag }) => rag.retrieval.fusion.candidates));
  const { collection, ...opened } = await session.resources.stores.collection();
  const remembered = { ...opened, collection: rememberSearches(collection, depth) };
  const { onProgress: _, ...quiet } = measured;
  const trials: Trial[] = [];
  for (const [i, tuned] of space.entries()) {
    const search = searchWith(session, configs[i] ?? session.config, { remembered, measured });
    // Of a hundred results only those above the metric's cut-off count here, and fewer results are found faster.
    const limit = cutoffOf(metric) + 1;
    const scores = await scoreTask(task, (text, topK) => search(text, Math.min(topK, limit)), quiet);
    trials.push({ ...tuned, values: [...valuesOf(scores, metric).values()] });
    progress.done();
  }
  return trials;
}

function searchWith(
  { resources }: EvaluationSession,
  config: ResolvedConfig,
  {
    remembered,
    measured,
  }: { remembered: Awaited<ReturnType<SearchResources['stores']['collection']>>; measured: EvaluateOptions },
): TaskSearch {
  return taskSearch(measured, {
    config,
    stores: { collection: () => Promise.resolve(remembered) },
    ledger: { live: () => resources.ledger.live() },
    models: {
      embedderOf: (facts) => resources.models.embedderOf(facts),
      reranker: resources.models.reranker,
    },
  });
}

/** A metric without cut-off looks at a hundred results, as `eval` does. */
const cutoffOf = (metric: string): number => Number(/@(\d+)$/.exec(metric)?.[1] ?? DEFAULT_DEPTH);

function metricOf(task: EvaluationTask, { metric }: TuneOptions): string {
  const labels = task.kind === 'dataset' ? task.metrics.map(labelOf) : questionMetrics(task.questions);
  if (metric === undefined) return primaryMetricOf(labels);
  if (labels.includes(metric)) return metric;
  throw new RAGError('USAGE', `The metric must be one of ${labels.join(', ')}; it is "${metric}".`);
}

/** At most `maxQueries` of them, the same ones for the same seed. */
function sampledTask(
  task: EvaluationTask,
  { maxQueries = DEFAULT_MAX_QUERIES, seed = 1 }: TuneOptions,
): { task: EvaluationTask; notices: string[] } {
  const queries = task.kind === 'dataset' ? task.dataset.queries : task.questions.filter(isAnswerable);
  if (queries.length < MIN_QUERIES)
    throw new RAGError(
      'USAGE',
      `Tuning needs at least ${MIN_QUERIES} judged queries and there are ${queries.length}: with fewer, chance decides. \`ragstone eval-init FOLDER\` writes a start.`,
    );
  if (queries.length <= maxQueries) return { task, notices: [] };
  const order = shuffled([...queries.keys()], seededRandom(seed));
  const kept = new Set(order.slice(0, maxQueries));
  const isKept = (_: unknown, place: number): boolean => kept.has(place);
  const notices = [`${maxQueries} of ${queries.length} queries were sampled (--max-queries).`];
  return task.kind === 'dataset'
    ? {
        task: { ...task, dataset: { ...task.dataset, queries: task.dataset.queries.filter(isKept) } },
        notices,
      }
    : { task: { ...task, questions: task.questions.filter(isAnswerable).filter(isKept) }, notices };
}

interface TrialProgress {
  readonly expect: (total: number) => void;
  readonly done: () => void;
}

/** Counts settings that were tried and tells how long the rest will take at the same rate. */
function trialProgress({ onProgress }: EvaluateOptions): TrialProgress {
  let total = 0;
  let done = 0;
  const timeLeft = new TimeLeft();
  return {
    expect: (count) => {
      total = count;
    },
    done: () => {
      done++;
      timeLeft.add(1);
      const etaMs = timeLeft.of(total - done);
      onProgress?.({ stage: 'tuning', done, total, ...(etaMs === undefined ? {} : { etaMs }) });
    },
  };
}

interface BestTrial {
  readonly topK: number;
  readonly hits: Promise<ScoredChunk[]>;
}

/**
 * The collection with the answers of its searches kept, so that many settings are tried on one search a query. Searches
 * fetch at least `depth` hits; a smaller list is the beginning of a larger one. Nothing may be written meanwhile.
 */
function rememberSearches(collection: VectorCollection, depth: number): VectorCollection {
  const kept = new Map<string, BestTrial>();
  const remembered = async (
    key: string,
    topK: number,
    search: (topK: number) => Promise<ScoredChunk[]>,
  ): Promise<ScoredChunk[]> => {
    let entry = kept.get(key);
    if (entry === undefined || entry.topK < topK) {
      const fetched = Math.max(topK, depth);
      entry = { topK: fetched, hits: search(fetched) };
      kept.set(key, entry);
    }
    return (await entry.hits).slice(0, topK);
  };
  const searchText = collection.searchText?.bind(collection);
  return collectionOf({
    ...membersOf(collection),
    searchVector: (query) =>
      remembered(vectorKey(query), query.topK, (topK) => collection.searchVector({ ...query, topK })),
    searchText:
      searchText === undefined
        ? undefined
        : (query) => remembered(textKey(query), query.topK, (topK) => searchText({ ...query, topK })),
    // Every search then asks for whole chunks, which are remembered.
    rankVector: undefined,
    rankText: undefined,
  });
}

const vectorKey = ({ vector, filter, includeVectors = false }: VectorQuery): string => {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  return JSON.stringify(['vector', contentHash(bytes), filter, includeVectors]);
};

const textKey = ({ terms, weights, tenant, filter, includeVectors = false }: TextQuery): string =>
  JSON.stringify(['text', terms, weights, tenant, filter, includeVectors]);
