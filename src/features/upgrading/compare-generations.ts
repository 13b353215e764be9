import { extname, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { isoNow } from '../../core/runtime.js';
import type { Scope } from '../../core/scope.js';
import { compareScores, type MetricComparison } from '../../evaluation/compare-scores.js';
import { primaryMetricOf, type QueryScores } from '../../evaluation/query-scores.js';
import { isAnswerable, type Question, readQuestionSet } from '../../evaluation/question-set.js';
import { evaluateQuestions, type Passage } from '../../evaluation/score-questions.js';
import type { StarterDocument } from '../../evaluation/starter-questions/starter-document.js';
import { suggestQuestions } from '../../evaluation/starter-questions/suggest-questions.js';
import type { GenerationReader, Ledger } from '../../ledger/ledger.js';
import type { UpgradeComparison } from '../../operations/upgrade-types.js';
import { createParsers } from '../../parsing/create-parsers.js';
import type { ModelHandle } from '../../resources/handles/model-handle.js';
import { queryEmbedderOver } from '../../resources/query-adaptation.js';
import { runWholeSearch } from '../../searching/run-search.js';
import type { SearchResources } from '../../searching/searched-index.js';
import { givingWay } from './giving-way.js';
import type { GenerationPair, OpenGeneration, UpgradeHost, UpgradeModel } from './upgrade-host.js';

/** Documents that questions are made of at most: those with the lowest ids, which are hashes. */
const MOST_DOCUMENTS = 2_000;
/** A difference with a smaller p-value is taken for one. */
const ALPHA = 0.05;
/** A measurement waits for every lane. */
const DEADLINE_MS = 600_000;
/** A question waits for searches of others no longer than this, in milliseconds. */
const PATIENCE_MS = 250;

/** What is said of questions that nobody wrote. */
export const MADE_QUESTIONS = 'made of the indexed documents';

/** Questions that both models are asked. */
export interface QuestionChoice {
  readonly questions: readonly Question[];
  /** See `UpgradeComparison.questionsFrom`. */
  readonly from: string;
}

/**
 * The user's questions, or some that the indexed texts suggest, as `ragstone eval-init` makes them: by headings, links and acronyms, which
 * any model finds about as well. Empty where they suggest none.
 *
 * @throws RAGError `DATASET_INVALID` for a file that holds no answerable question
 */
export async function chooseQuestions(
  file: string | undefined,
  {
    reader,
    tenant,
    cwd,
  }: { readonly reader: GenerationReader; readonly tenant: string; readonly cwd: string },
): Promise<QuestionChoice> {
  if (file === undefined) return { questions: await madeQuestions(reader, tenant), from: MADE_QUESTIONS };
  const questions = (await readQuestionSet(resolve(cwd, file))).filter(isAnswerable);
  if (questions.length > 0) return { questions, from: file };
  throw new RAGError(
    'DATASET_INVALID',
    `${file} holds no question with an answer ("gold"), so nothing can be compared by it. docs/evaluation.md has the format.`,
  );
}

async function madeQuestions(reader: GenerationReader, tenant: string): Promise<readonly Question[]> {
  const parsers = createParsers();
  const documents: StarterDocument[] = [];
  for (const document of await reader.documents(undefined, MOST_DOCUMENTS)) {
    const { documentId, externalId, metadata } = document;
    if (document.tenant !== tenant) continue;
    const text = await reader.text(documentId);
    if (text === undefined) continue;
    // What was converted is stored as Markdown or plain text; program code has no headings to ask for.
    const mediaType = MARKUP[extname(externalId).toLowerCase()] ?? MEDIA_TYPES.markdown;
    const raw = { externalId, content: text, mediaType, metadata: {}, access: { groups: [], level: 0 } };
    const parsed = await Promise.resolve(parsers.get(mediaType)?.parse(raw)).catch(() => undefined);
    // As results name it.
    const path = typeof metadata.source === 'string' ? metadata.source : externalId;
    if (parsed?.text === text) documents.push({ path, ...parsed });
    await nextTurn();
  }
  return suggestQuestions(documents);
}

/** Formats that are stored as they are written. */
const MARKUP: Readonly<Record<string, string>> = {
  '.rst': MEDIA_TYPES.rst,
  '.adoc': MEDIA_TYPES.asciidoc,
  '.txt': MEDIA_TYPES.plainText,
};

export interface ComparisonContext {
  readonly host: UpgradeHost;
  readonly model: UpgradeModel;
  readonly pair: GenerationPair;
  readonly ledger: Ledger;
  readonly scope: Scope;
  readonly onQuestion: (done: number, total: number) => void;
}

/** Asks both generations the same questions, through every stage of a search, and tests the difference question by question. */
export async function compareGenerations(
  { questions, from }: QuestionChoice,
  context: ComparisonContext,
): Promise<UpgradeComparison> {
  const { pair } = context;
  let asked = 0;
  const score = (generation: OpenGeneration): Promise<QueryScores> =>
    scoreGeneration(generation, questions, context, () => {
      asked += 1;
      context.onQuestion(asked, 2 * questions.length);
    });
  const before = await score(pair.live);
  const after = await score(pair.target);
  const { metrics } = compareScores(before, after);
  const metric = primaryMetricOf(metrics.map((one) => one.metric));
  return {
    verdict: verdictOf(metrics.find((one) => one.metric === metric)),
    metric,
    metrics,
    questions: questions.length,
    questionsFrom: from,
    at: isoNow(),
  };
}

function verdictOf(decisive: MetricComparison | undefined): UpgradeComparison['verdict'] {
  if (decisive === undefined || decisive.pValue >= ALPHA || decisive.difference === 0)
    return 'no difference found';
  return decisive.difference > 0 ? 'better' : 'worse';
}

async function scoreGeneration(
  generation: OpenGeneration,
  questions: readonly Question[],
  context: ComparisonContext,
  onQuestion: () => void,
): Promise<QueryScores> {
  const { host, scope } = context;
  const resources = viewOf(generation, context);
  const search = async (text: string, topK: number): Promise<Passage[]> => {
    await host.activeQueries.quiet(PATIENCE_MS, host.signal);
    const options = {
      topK,
      minSimilarity: 0,
      nearDuplicates: 'keep',
      mmrLambda: 1,
      recencyHalfLifeDays: 0,
    } as const;
    const { results } = await runWholeSearch({ text, options, signal: host.signal }, scope, resources);
    onQuestion();
    return results.map(({ metadata, content }) => ({ path: metadata.source, content }));
  };
  const { perQuestion } = await evaluateQuestions({ questions, search, signal: host.signal });
  const cutoffs = Object.keys(perQuestion[0]?.hit ?? {}).map(Number);
  const column = (kind: 'hit' | 'file') =>
    cutoffs.map((k) => [`${kind}@${k}`, perQuestion.map((one) => one[kind][k] ?? 0)] as const);
  return {
    queries: questions.map(({ id, question }) => ({ id, text: question })),
    values: Object.fromEntries([...column('hit'), ...column('file')]),
  };
}

/** The engine's own parts over one generation, live or not; queries of the new model are embedded behind everything else. */
function viewOf(
  generation: OpenGeneration,
  { host, model, pair, ledger }: ComparisonContext,
): SearchResources {
  const { resources, config } = host;
  const { facts } = generation;
  const retrieval = config.rag.retrieval;
  const patient = {
    ...config,
    rag: {
      ...config.rag,
      retrieval: {
        ...retrieval,
        laneDeadlineMs: DEADLINE_MS,
        rerank: { ...retrieval.rerank, deadlineMs: DEADLINE_MS },
      },
    },
  };
  const live = { ledger, facts, reader: ledger.reader(facts.generation) };
  const embedder = givingWay(model.embedder, host.activeQueries);
  const { adaptQueries } = config.rag.embedding;
  const own = { embedder, notices: [], forQueries: queryEmbedderOver(embedder, { adapt: adaptQueries }) };
  const embedderOf: ModelHandle['embedderOf'] = async (of) =>
    facts === pair.target.facts ? own : resources.models.embedderOf(of);
  return {
    config: patient,
    models: { embedderOf, reranker: resources.models.reranker, chatModel: resources.models.chatModel },
    ledger: { live: async () => live },
    stores: {
      collection: async () => ({
        ...live,
        collection: generation.collection,
        store: await resources.stores.of(facts),
        sealing: await resources.stores.sealing.open(),
      }),
    },
  };
}
