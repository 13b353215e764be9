import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SynonymRule } from '../core/analysis/synonyms.js';
import { DegradationLevel } from '../core/degradation.js';
import { RAGError } from '../core/errors.js';
import { publishLogEvent, queryInLog } from '../core/log-events.js';
import { noticesOfKind } from '../core/notice.js';
import { runtime } from '../core/runtime.js';
import type { Scope } from '../core/scope.js';
import { withPermit } from '../core/semaphore.js';
import { rounded, StageClock, type TelemetryPayloads, traced } from '../core/telemetry.js';
import { loadWordRarity } from '../embedding/static/word-rarity.js';
import { unfinishedRunNotice } from '../ledger/unfinished-run.js';
import type { SearchQuery } from '../operations/engine.js';
import { type Breakers, withBreakers } from '../platform/degradation/breakers.js';
import { unanswered } from '../platform/degradation/outage.js';
import type { FoundPassages, RemoteIndex } from '../resources/found-passages.js';
import { readableGraph } from '../resources/readable-graph.js';
import { createRetriever } from '../retrieval/create-retriever.js';
import type { NamedPlan } from '../retrieval/planning/search-plan.js';
import type { RetrievalRequest, Retriever, StageTrace } from '../retrieval/retriever.js';
import { withStandIns } from '../stores/failover/stand-ins.js';
import { scopeCollection } from '../stores/scoped-collection.js';
import { correctWords, type WordCheck } from './correct-words.js';
import { planSearch } from './plan-search.js';
import { languageNotice, NO_MODEL, openQueryModel } from './query-model.js';
import { type Asked, type Found, findOrRemember, type Remembered } from './remembered-passages.js';
import { decisiveParts, retrievalRequest, retrievalSettings } from './retrieval-request.js';
import { limitCosts } from './search-costs.js';
import { leftOutNotices, noticesOfIndex, noticesOfNothing, undecryptableNotice } from './search-notices.js';
import type { FindResources, SearchedIndex } from './searched-index.js';
import { retrieveShown } from './shown-passages.js';
import { saidInOutage } from './static-answer.js';
import { synonymRules } from './synonym-rules.js';

/** A search of the engine's own. */
interface CheckedQuery extends SearchQuery {
  /** Mistyped words were put right before. Synonyms are searched for all the same. @default false */
  readonly areWordsChecked?: boolean;
}

interface FindOptions {
  readonly resources: FindResources;
  /** Told what each step left, for explanations of a miss. */
  readonly onStage?: StageTrace | undefined;
  /** Whether what was found before may be shown, where `rag.retrieval.cache` is on. @default true */
  readonly isCached?: boolean | undefined;
  /** Done whatever else would end in time, where the search has a deadline. */
  readonly plan?: NamedPlan | undefined;
}

type StartedOptions = FindOptions & { readonly startedAt: number };

/**
 * Question to passages, through the scope of the asker and no other way. Searches, answers, explanations of a miss and
 * evaluations all come this way, so they see the same passages in the same order.
 */
export async function findPassages(
  query: CheckedQuery,
  scope: Scope,
  options: FindOptions,
): Promise<FoundPassages> {
  if (query.asOf !== undefined)
    throw new RAGError(
      'QUERY_INVALID',
      'asOf is for `search`, `ask` and `context`; here the index is asked as it is now.',
    );
  if (!options.resources.config.rag.enabled) return switchedOff(query);
  const startedAt = runtime().elapsed();
  // Over an embedded store a search never waits: who searches in a loop would let nothing else of the process go on.
  await nextTurn();
  const clock = new StageClock();
  const { resources, onStage, plan, isCached = true } = options;
  // What is told step by step is told here.
  const isTold = onStage !== undefined || plan !== undefined;
  const remote = isTold ? undefined : resources.remote;
  const asked = { query, scope, resources, isCached: isCached && onStage === undefined };
  const payload: TelemetryPayloads['search'] = {
    mode: query.options?.mode ?? 'hybrid',
    topK: query.options?.topK,
  };
  const search = () =>
    traced('search', payload, async () => {
      const { found, cache } = await withStaticFallback(asked, (signal) => {
        const question = signal === undefined ? query : { ...query, signal };
        return remote === undefined
          ? find(question, scope, { ...options, startedAt })
          : searchInWorker(remote, question, scope, { parts: resources.breakers, startedAt });
      });
      payload.cache = cache;
      payload.results = found.passages.length;
      payload.degradationLevel = found.degradationLevel;
      payload.isFailover = found.notices.some(({ kind }) => kind === 'store-failover');
      return found;
    });
  const found = await clock.run(search);
  publishLogEvent(() => ({
    event: 'search_performed',
    query: queryInLog(query.text),
    resultCount: found.passages.length,
    topScore: found.passages[0]?.score,
  }));
  const tookMs = rounded(payload.tookMs ?? 0);
  return { ...found, ...inTime(found, tookMs), stages: { ...clock.times, ...found.stages }, tookMs };
}

/** One more than passages that a reranker looks at: each search reads at least one of them. */
const MOST_SEARCHES = 101;

/** A search that is made again until the reranker has looked at all candidates: an answer and a measure must not hang on how busy the machine is. */
export async function findWhole(
  query: CheckedQuery,
  scope: Scope,
  options: FindOptions,
): Promise<FoundPassages> {
  for (let turn = 1; ; turn += 1) {
    const found = await findPassages(query, scope, options);
    if (turn === MOST_SEARCHES || found.lanes.every(({ unfinished }) => unfinished !== true)) return found;
  }
}

/** Whether the deadline was kept is known at the end. */
const inTime = ({ plan }: Found, tookMs: number): Pick<FoundPassages, 'plan'> =>
  plan?.deadlineMs === undefined ? {} : { plan: { ...plan, isInTime: tookMs <= plan.deadlineMs } };

/** Searching in another process, which learns by itself which parts are out. */
async function searchInWorker(
  remote: RemoteIndex,
  query: SearchQuery,
  scope: Scope,
  { parts, startedAt }: { readonly parts: Breakers | undefined; readonly startedAt: number },
): Promise<Found> {
  const found = await remote.find(query, scope, startedAt);
  parts?.takeOver(found.outages ?? []);
  const deadlineMs = query.options?.deadlineMs;
  // It was told what was left of it.
  return found.plan === undefined || deadlineMs === undefined
    ? found
    : { ...found, plan: { ...found.plan, deadlineMs } };
}

/** What was found; where nothing can be searched, what the configuration has to say then. */
async function withStaticFallback(
  asked: Asked,
  search: (signal?: AbortSignal) => Promise<Found>,
): Promise<Remembered> {
  return withBreakers(asked.resources.breakers, async (failed) => {
    try {
      const { found, cache } = await findOrRemember(asked, search);
      const outages = [...new Set([...(found.outages ?? []), ...failed()])];
      return { found: outages.length === 0 ? found : { ...found, outages }, cache };
    } catch (error) {
      const said = saidInOutage(asked.query.text, error, asked.resources);
      if (said === undefined) throw unanswered(error, failed());
      return { found: { ...said, outages: failed() }, cache: 'off' };
    }
  });
}

/** What was found, and which store answered in place of the one that is asked first. */
const find = (query: CheckedQuery, scope: Scope, options: StartedOptions): Promise<Found> =>
  withStandIns(async (standIns) => {
    const found = await searchLocal(query, scope, options);
    return { ...found, notices: [...noticesOfKind('store-failover', standIns()), ...found.notices] };
  });

/** The steps of a search. */
async function searchLocal(query: CheckedQuery, scope: Scope, options: StartedOptions): Promise<Found> {
  const { config } = options.resources;
  const search = await openSearch(query, scope, options);
  const { live, model, request, scoped } = search;
  const run = await live.ledger.lastRun();
  const ofIndex = await noticesOfIndex({ live, scope, request, run, config });
  const synonyms =
    query.options?.exactWords === true ? { rules: [], notices: [] } : await synonymRules(config);
  const retriever = openRetriever(search, synonyms.rules);
  const turn = { owner: live.collection, concurrency: SEARCHES_AT_ONCE };
  const { check, planned, result, passages, limit } = await withPermit(
    turn,
    () => retrieveInTime(search, retriever),
    query.signal,
  );
  const ofNothing = await noticesOfNothing(result, { query, scope, scoped, filter: request.filter });
  const plan = search.costs?.reported(planned?.report) ?? planned?.report;
  return {
    passages,
    limit,
    ...(check.correction && { correction: check.correction }),
    understanding: { ...result.understanding, ...decisiveParts(query, config) },
    ...(plan && { plan }),
    lanes: result.lanes,
    removed: result.removed,
    degradationLevel: result.degradationLevel,
    notices: [
      ...noticesOfKind('store-elsewhere', options.resources.stores.notice?.(live.facts) ?? []),
      ...model.notices,
      ...ofIndex,
      ...synonyms.notices,
      ...ofNothing,
      ...noticesOfKind('run-unfinished', await unfinishedRunNotice(run, live.ledger)),
      ...check.notices,
      ...undecryptableNotice(passages, search.undecryptable),
      ...result.notices,
      ...languageNotice(model, query.text, passages[0]?.score),
      ...leftOutNotices(result.removed, {
        room: limit - passages.length,
        request,
        isStated: (query.options?.minSimilarity ?? query.options?.minScore) !== undefined,
      }),
      ...(model.warnings?.() ?? []),
    ],
  };
}

/** What is searched, for whom and with what. */
type OpenSearch = Awaited<ReturnType<typeof openSearch>>;

/** The index, the request and the model that a query asks, within what it may cost. */
async function openSearch(query: CheckedQuery, scope: Scope, options: StartedOptions) {
  const { resources } = options;
  const live = await resources.stores.collection();
  const request = requestOf(live, retrievalRequest(query, resources.config));
  startReader(query, resources);
  const opened =
    request.mode === 'lexical'
      ? NO_MODEL
      : await openQueryModel(resources, live, { scope, signal: query.signal });
  const settings = retrievalSettings(resources.config);
  const { maxCost } = query.options ?? {};
  const costs =
    maxCost === undefined
      ? undefined
      : await limitCosts({ maxCost, resources, request, model: opened, settings });
  const undecryptable = new Map<string, readonly string[]>();
  const scoped = scopeCollection(live.collection, scope, live.sealing, ({ id }, fields) => {
    undecryptable.set(id, fields);
  });
  return {
    ...{ query, scope, options, live, request, costs, scoped, undecryptable },
    model: costs?.model ?? opened,
    settings: costs?.settings ?? settings,
  };
}

/**
 * The thread of the reader takes as long to start as candidates take to be found. What fails then fails, and is told, where it is asked; a
 * search with a deadline may come to do without it.
 */
function startReader({ options = {} }: SearchQuery, { config, models }: FindResources): void {
  const { enabled, model } = config.rag.retrieval.rerank;
  const isReader = model === 'reader' && config.own?.reranker === undefined;
  if (isReader && (options.rerank ?? enabled) && options.deadlineMs === undefined)
    models.reranker.open().catch(() => undefined);
}

function openRetriever(
  { scope, options, live, model, settings, scoped }: OpenSearch,
  synonyms: readonly SynonymRule[],
): Retriever {
  const { models } = options.resources;
  return createRetriever({
    ...model,
    collection: scoped,
    capabilities: live.store.capabilities,
    modelKey: live.facts.embedder,
    graph: (signal) => readableGraph(live, scoped, { scope, signal }),
    loadRarity: loadWordRarity,
    loadReranker: () => models.reranker.open(),
    loadChatModel: async () => models.chatModel?.open(),
    settings,
    synonyms,
    onStage: options.onStage,
  });
}

/** Plans by the time that is left, checks the words, and retrieves. Those who waited for their turn have less time left. */
async function retrieveInTime(
  { query, scope, options, live, request: asked, costs }: OpenSearch,
  retriever: Retriever,
) {
  const { resources, startedAt, plan } = options;
  const time = { deadlineMs: query.options?.deadlineMs, startedAt, plan };
  const planned = await planSearch(asked, time, resources);
  const check = await checkWords(query, scope, resources);
  const text = check.correction?.searchedFor ?? asked.text;
  const wanted = { ...asked, ...planned?.request, text };
  const request = (await costs?.limit(wanted)) ?? wanted;
  const place = { config: resources.config, maxTopK: live.store.capabilities.maxTopK };
  const shown = await retrieveShown(retriever, { query, request }, place);
  planned?.learn();
  return { check, planned, ...shown };
}

/** Of the past the graph is not kept, and vectors may be missing. */
function requestOf({ past }: SearchedIndex, asked: RetrievalRequest): RetrievalRequest {
  if (past === undefined || past.hasVectors) return asked;
  if (asked.mode !== 'dense') return { ...asked, mode: 'lexical' };
  throw new RAGError(
    'QUERY_INVALID',
    'Vectors of that time are not kept, and making them anew would take too long or ask a service. Search with the mode "hybrid" or "lexical".',
  );
}

const checkWords = (
  { text, options, areWordsChecked, signal }: CheckedQuery,
  scope: Scope,
  resources: FindResources,
): Promise<WordCheck> | WordCheck =>
  options?.exactWords === true || areWordsChecked === true
    ? { notices: [] }
    : correctWords(text, { scope, resources, signal });

/**
 * Searches of a collection that are under way at once. Others wait, for no deadline to count what a store or the thread does for
 * someone else; as a search holds the thread for some 10 ms, more would not finish sooner.
 */
const SEARCHES_AT_ONCE = 16;

const SWITCHED_OFF: FoundPassages = {
  passages: [],
  limit: 0,
  lanes: [],
  removed: [],
  degradationLevel: DegradationLevel.DISABLED,
  notices: [{ kind: 'retrieval-off', text: 'Retrieval is switched off by `rag.enabled: false`.' }],
  stages: {},
  tookMs: 0,
};

/** Nothing is searched, and the level is told as that of any search. */
function switchedOff({ options: { mode = 'hybrid', topK } = {} }: SearchQuery): Promise<FoundPassages> {
  const { degradationLevel } = SWITCHED_OFF;
  return traced('search', { mode, topK, results: 0, degradationLevel }, async () => SWITCHED_OFF);
}
