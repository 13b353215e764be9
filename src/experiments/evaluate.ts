import { basename, resolve } from 'node:path';
import { type DescribedSetting, describeConfig } from '../config/describe-config.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { ANALYSIS_VERSION } from '../core/analysis/lexical-analyzer.js';
import { runtime } from '../core/runtime.js';
import { meansOf, type QueryScores } from '../evaluation/query-scores.js';
import type { Question } from '../evaluation/question-set.js';
import type { QuestionMeans } from '../evaluation/score-questions.js';
import { laneWeightsFor, usualWeightsFor } from '../retrieval/fusion/lane-weights.js';
import type { EvaluatedConfig, EvaluateOptions, EvaluationReport } from './experiment-types.js';
import {
  type EvaluationSession,
  type EvaluationTask,
  type Found,
  openEvaluation,
  readCandidates,
  scoreTask,
  type TaskScores,
  type TaskSearch,
  taskSearch,
} from './session.js';

/** A report, and the values of single queries it is made of. */
export interface Measurement {
  readonly report: EvaluationReport;
  readonly scores: QueryScores;
  /** Those in force, secrets masked. */
  readonly settings: readonly DescribedSetting[];
  /** By query id: documents that hold what answers it. */
  readonly relevant: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Measures retrieval through the whole engine: a data set, one chunk a document; or a folder, indexed as `index` would,
 * with questions. Threshold, near-duplicate removal, variety and recency are off unless asked for.
 */
export async function evaluate(options: EvaluateOptions): Promise<EvaluationReport> {
  return (await measure(options)).report;
}

/** Told of what a query found, best first, and how long that took in milliseconds. */
export type OnFound = (text: string, found: readonly Found[], tookMs: number) => void;

/** `evaluate`, with the values of single queries. */
export async function measure(options: EvaluateOptions, onFound?: OnFound): Promise<Measurement> {
  const session = await openEvaluation(options);
  try {
    const search = taskSearch(options, session.resources);
    await readCandidates(session, search, options.onProgress);
    const scores = await scoreTask(
      session.task,
      onFound === undefined ? search : told(search, onFound),
      options,
    );
    return {
      report: await reportOf(session, scores, options),
      scores,
      settings: describeConfig(session.config).settings,
      relevant: relevantDocuments(session.task),
    };
  } finally {
    await session.close();
  }
}

const told =
  (search: TaskSearch, onFound: OnFound): TaskSearch =>
  async (text, topK) => {
    const started = runtime().elapsed();
    const found = await search(text, topK);
    onFound(text, found, runtime().elapsed() - started);
    return found;
  };

function relevantDocuments(task: EvaluationTask): Measurement['relevant'] {
  if (task.kind === 'questions')
    return new Map(
      task.questions.map(({ id, gold, alternates }) => [
        id,
        new Set([...gold, ...alternates].map(({ path }) => path)),
      ]),
    );
  return new Map(
    Array.from(task.dataset.judgments, ([id, judged]) => [
      id,
      new Set([...judged].flatMap(([document, grade]) => (grade > 0 ? [document] : []))),
    ]),
  );
}

/** What was measured, with what, and what a person should know of it. */
export async function reportOf(
  session: EvaluationSession,
  scores: TaskScores,
  options: EvaluateOptions,
): Promise<EvaluationReport> {
  const { documents, chunks } = await session.engine.status();
  return {
    ...targetOf(session, options),
    queries: scores.queries.length,
    metrics: meansOf(scores),
    ...(scores.byType === undefined ? {} : { byType: meansByType(scores.byType) }),
    latencyMs: scores.latencyMs,
    documents,
    chunks,
    config: await evaluatedConfig(session, options),
    notices: [...session.notices, ...(await missingNotice(session))],
  };
}

/** Name of the data set and its split, or of the folder and its question file. */
export function targetOf(
  { task }: EvaluationSession,
  { target, questions = '', cwd = '.' }: EvaluateOptions,
): { dataset: string; split: string } {
  if (task.kind === 'dataset') return { dataset: task.dataset.name, split: task.dataset.split };
  return { dataset: basename(resolve(cwd, target)), split: basename(questions) };
}

async function missingNotice({ task, engine }: EvaluationSession): Promise<string[]> {
  if (task.kind === 'questions') return absentPaths(task.questions, engine);
  if (task.dataset.missingDocuments === 0) return [];
  return [`${task.dataset.missingDocuments} relevant documents are not in the corpus and count as missed.`];
}

/** A question file that was written for another folder would measure zeros, and nobody would know why. */
async function absentPaths(
  questions: readonly Question[],
  engine: EvaluationSession['engine'],
): Promise<string[]> {
  const gold = new Set(questions.flatMap((question) => question.gold.map(({ path }) => path)));
  const absent = new Set(gold);
  for (let cursor: string | undefined; ; ) {
    const page = await engine.list({ limit: 1_000, cursor });
    for (const { externalId } of page.documents) absent.delete(externalId);
    cursor = page.cursor;
    if (cursor === undefined) break;
  }
  const [first] = absent;
  if (first === undefined) return [];
  return [
    `${absent.size} of ${gold.size} files that gold quotes name are not indexed, such as ${JSON.stringify(first)}, and count as missed. Their paths start at the folder that is evaluated.`,
  ];
}

const meansByType = (
  byType: Readonly<Record<string, QuestionMeans>>,
): NonNullable<EvaluationReport['byType']> =>
  Object.fromEntries(
    Object.entries(byType).map(([type, means]) => [
      type,
      { questions: means.questions, metrics: flatMeans(means) },
    ]),
  );

const flatMeans = ({ hit, file, ndcg = {} }: QuestionMeans): Record<string, number> =>
  Object.fromEntries([
    ...Object.entries(hit).map(([k, value]) => [`hit@${k}`, value] as const),
    ...Object.entries(file).map(([k, value]) => [`file@${k}`, value] as const),
    ...Object.entries(ndcg).map(([k, value]) => [`ndcg@${k}`, value] as const),
  ]);

async function evaluatedConfig(
  { config: { rag }, engine, task }: EvaluationSession,
  options: EvaluateOptions,
): Promise<EvaluatedConfig> {
  const { embedder, fingerprint, provider } = await engine.status();
  const { fusion, rerank } = rag.retrieval;
  const settings = task.kind === 'dataset' ? task.dataset.settings : {};
  return {
    mode: options.mode ?? 'hybrid',
    embedder,
    fingerprint,
    store: provider,
    rerank: rerank.enabled ? rerank.model : 'none',
    fusion: { method: fusion.method, weights: weightsOf(rag.retrieval, embedder) },
    candidatesPerLane: fusion.candidates,
    chunking: rag.chunking,
    analysisVersion: ANALYSIS_VERSION,
    minSimilarity: options.minSimilarity ?? 0,
    nearDuplicates: options.nearDuplicates ?? false,
    mmr: options.mmr ?? 1,
    recency: options.recency ?? 0,
    dropSelf: options.dropSelf ?? settings.dropSelf ?? false,
    scoreBy: options.scoreBy ?? settings.scoreBy ?? 'id',
  };
}

/** The weights of all queries, stated or learned for the model. */
function weightsOf(
  { hybrid: { weights }, fusion: { method } }: ResolvedConfig['rag']['retrieval'],
  embedder: string,
): EvaluatedConfig['fusion']['weights'] {
  if (weights !== undefined) return { dense: weights.semantic, lexical: weights.keyword };
  const { dense, lexical } = method === 'adaptive' ? usualWeightsFor(embedder) : laneWeightsFor(embedder);
  return { dense, lexical };
}
