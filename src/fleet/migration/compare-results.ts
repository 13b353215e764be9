import { resolve } from 'node:path';
import { LOCAL_SCOPE, type Scope } from '../../core/scope.js';
import { readQuestionSet } from '../../evaluation/question-set.js';
import { chooseQuestions, MADE_QUESTIONS } from '../../features/upgrading/compare-generations.js';
import type { Generation, GenerationReader, Ledger } from '../../ledger/ledger.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import { runWholeSearch } from '../../searching/run-search.js';
import type { SearchResources } from '../../searching/searched-index.js';
import type { VectorCollection } from '../../stores/vector-store.js';
import type { ResultComparison } from './migration-types.js';

/** Results that are compared of each question. */
const TOP_K = 10;
/** Where documents suggest fewer questions, titles of documents are asked for. */
const FEW_QUESTIONS = 100;
/** Documents whose titles are looked at. */
const MOST_DOCUMENTS = 2_000;
/** A comparison waits for every lane. */
const DEADLINE_MS = 600_000;

/** Questions that both indexes are asked. */
export interface AskedQuestions {
  readonly questions: readonly string[];
  /** See `ResultComparison.questionsFrom`. */
  readonly from: string;
}

/**
 * The user's questions, or some that the indexed documents suggest: as `ragstone eval-init` makes them, and titles. What is right is not asked,
 * only whether both answer the same.
 *
 * @throws RAGError `DATASET_INVALID`
 */
export async function questionsToAsk(
  file: string | undefined,
  { reader, scope, cwd }: { readonly reader: GenerationReader; readonly scope: Scope; readonly cwd: string },
): Promise<AskedQuestions> {
  if (file !== undefined) {
    const questions = await readQuestionSet(resolve(cwd, file));
    return { questions: questions.map(({ question }) => question), from: file };
  }
  const { tenant } = scope;
  const made = (await chooseQuestions(undefined, { reader, tenant, cwd })).questions.map(
    ({ question }) => question,
  );
  const titles = made.length < FEW_QUESTIONS ? await titlesOf(reader, tenant) : [];
  return { questions: [...new Set([...made, ...titles])].slice(0, FEW_QUESTIONS), from: MADE_QUESTIONS };
}

async function titlesOf(reader: GenerationReader, tenant: string): Promise<string[]> {
  const documents = await reader.documents(undefined, MOST_DOCUMENTS);
  return documents.flatMap(({ title, tenant: owner }) =>
    owner === tenant && title !== undefined && /\p{L}{3}/u.test(title) ? [title] : [],
  );
}

/** An index that is searched, live or not. */
export interface ComparedIndex {
  readonly resources: EngineResources;
  readonly ledger: Ledger;
  readonly facts: Generation;
  readonly collection: VectorCollection;
}

/** Asks both indexes the same, through every stage of a search and by the settings of the new one. Undefined where the old one finds nothing. */
export async function compareResults(
  { questions, from: questionsFrom }: AskedQuestions,
  indexes: { readonly from: ComparedIndex; readonly to: ComparedIndex },
  {
    scope = LOCAL_SCOPE,
    onAsked,
    signal,
  }: { readonly scope?: Scope; readonly onAsked: (questions: number) => void; readonly signal: AbortSignal },
): Promise<ResultComparison | undefined> {
  const { config } = indexes.to.resources;
  const [before, after] = [indexes.from, indexes.to].map((index) => viewOf(index, config.rag.retrieval));
  const found = async (text: string, view: SearchResources | undefined): Promise<string[]> => {
    if (view === undefined) return [];
    const options = { topK: TOP_K, minSimilarity: 0 } as const;
    return (await runWholeSearch({ text, options, signal }, scope, view)).results.map(({ id }) => id);
  };
  const overlaps: { readonly question: string; readonly overlap: number }[] = [];
  for (const question of questions) {
    const old = await found(question, before);
    const now = new Set(await found(question, after));
    onAsked(1);
    if (old.length === 0) continue;
    overlaps.push({ question, overlap: old.filter((id) => now.has(id)).length / old.length });
  }
  if (overlaps.length === 0) return undefined;
  const worst = overlaps.reduce((least, one) => (one.overlap < least.overlap ? one : least));
  return {
    questions: overlaps.length,
    questionsFrom,
    topK: TOP_K,
    overlap: overlaps.reduce((sum, { overlap }) => sum + overlap, 0) / overlaps.length,
    same: overlaps.filter(({ overlap }) => overlap === 1).length,
    ...(worst.overlap === 1 ? {} : { worst }),
  };
}

/** The engine's own parts over one generation. */
function viewOf(
  { resources, ledger, facts, collection }: ComparedIndex,
  retrieval: EngineResources['config']['rag']['retrieval'],
): SearchResources {
  const { config, models } = resources;
  const patient = {
    ...retrieval,
    laneDeadlineMs: DEADLINE_MS,
    rerank: { ...retrieval.rerank, deadlineMs: DEADLINE_MS },
  };
  const live = { ledger, facts, reader: ledger.reader(facts.generation) };
  return {
    config: { ...config, rag: { ...config.rag, retrieval: patient } },
    models: {
      embedderOf: (of) => models.embedderOf(of),
      reranker: models.reranker,
      chatModel: models.chatModel,
    },
    ledger: { live: async () => live },
    stores: {
      collection: async () => ({
        ...live,
        collection,
        store: await resources.stores.of(facts),
        sealing: await resources.stores.sealing.open(),
      }),
    },
  };
}
