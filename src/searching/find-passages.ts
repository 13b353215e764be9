import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { DegradationLevel } from '../core/degradation.js';
import { RAGError, throwIfAborted } from '../core/errors.js';
import { EVERYTHING } from '../core/filter.js';
import { publishLogEvent, queryInLog } from '../core/log-events.js';
import { type Notice, noticesOfKind } from '../core/notice.js';
import { comparesCallersField } from '../core/pushed-fields.js';
import { runtime } from '../core/runtime.js';
import type { Scope } from '../core/scope.js';
import { rounded, StageClock, type TelemetryPayloads, traced } from '../core/telemetry.js';
import { inTurn } from '../core/turns.js';
import { withDeadline } from '../core/with-deadline.js';
import { loadWordRarity } from '../embedding/static/word-rarity.js';
import type { RunRecord } from '../ledger/ledger.js';
import { unfinishedRunNotice } from '../ledger/unfinished-run.js';
import type { SearchQuery } from '../operations/engine.js';
import { PARTS } from '../platform/degradation/level.js';
import { isOutage, unanswered } from '../platform/degradation/outage.js';
import { type Parts, whileReaching } from '../platform/degradation/parts.js';
import { staticResponsesFor } from '../platform/degradation/static-responses.js';
import type { FoundPassages, RemoteIndex } from '../resources/found-passages.js';
import { readableGraph } from '../resources/readable-graph.js';
import { createRetriever } from '../retrieval/create-retriever.js';
import type { SearchPlanReport } from '../retrieval/planning/plan-report.js';
import type { NamedPlan } from '../retrieval/planning/search-plan.js';
import type {
  LaneReport,
  RankedCandidate,
  RetrievalRequest,
  RetrievalResult,
  Retriever,
  StageTrace,
} from '../retrieval/retriever.js';
import { withStandIns } from '../stores/failover/stand-ins.js';
import { RESTRICTED_NOTICE, remembersReach } from '../stores/scope-reach.js';
import { scopeCollection } from '../stores/scoped-collection.js';
import type { VectorCollection } from '../stores/vector-store.js';
import { correctWords, type WordCheck } from './correct-words.js';
import { leftOutNotices } from './left-out-notices.js';
import { planSearch } from './plan-search.js';
import { languageNotice, openQueryModel, type QueryModel } from './query-model.js';
import { decisiveParts } from './question-complexity.js';
import { retrievalRequest, retrievalSettings } from './retrieval-request.js';
import { type LimitedSearch, limitCosts } from './search-costs.js';
import type { FindResources, SearchedIndex } from './searched-index.js';
import { chunkLimit, collapseOfChunks, passageLimit, shownPassages } from './shown-passages.js';
import { synonymRules } from './synonym-rules.js';
import { describeEmptyFilters } from './unknown-filters.js';

/** A search of the engine's own. */
interface CheckedQuery extends SearchQuery {
  /** Mistyped words were put right before. Synonyms are searched for all the same. @default false */
  readonly areWordsChecked?: boolean;
}

export interface FindOptions {
  readonly resources: FindResources;
  /** Told what each step left, for explanations of a miss. */
  readonly onStage?: StageTrace | undefined;
  /** Whether what was found before may be shown, where `rag.retrieval.cache` is on. @default true */
  readonly isCached?: boolean | undefined;
  /** Done whatever else would end in time, where the search has a deadline. */
  readonly plan?: NamedPlan | undefined;
}

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
  // What is told step by step is told here.
  const isTold = options.onStage !== undefined || options.plan !== undefined;
  const remote = isTold ? undefined : options.resources.remote;
  const payload: TelemetryPayloads['search'] = {
    mode: query.options?.mode ?? 'hybrid',
    topK: query.options?.topK,
  };
  const search = () =>
    traced('search', payload, async () => {
      const { found, cache } = await findOrSayWhy({ query, scope, options }, (signal) => {
        const asked = signal === undefined ? query : { ...query, signal };
        return remote === undefined
          ? find(asked, scope, { ...options, startedAt })
          : findElsewhere(remote, asked, scope, { parts: options.resources.parts, startedAt });
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

/** Whether the deadline was kept is known at the end. */
const inTime = ({ plan }: Found, tookMs: number): Pick<FoundPassages, 'plan'> =>
  plan?.deadlineMs === undefined ? {} : { plan: { ...plan, isInTime: tookMs <= plan.deadlineMs } };

type Found = Omit<FoundPassages, 'stages' | 'tookMs'> & Partial<Pick<FoundPassages, 'stages'>>;

interface Asked {
  readonly query: SearchQuery;
  readonly scope: Scope;
  readonly options: FindOptions;
}

interface Remembered {
  readonly found: Found;
  readonly cache: 'hit' | 'miss' | 'semantic' | 'off';
}

/** Searching in another process, which learns by itself which parts are out. */
async function findElsewhere(
  remote: RemoteIndex,
  query: SearchQuery,
  scope: Scope,
  { parts, startedAt }: { readonly parts: Parts | undefined; readonly startedAt: number },
): Promise<Found> {
  const found = await remote.find(query, scope, startedAt);
  parts?.heardFrom(found.outages ?? []);
  const deadlineMs = query.options?.deadlineMs;
  // It was told what was left of it.
  return found.plan === undefined || deadlineMs === undefined
    ? found
    : { ...found, plan: { ...found.plan, deadlineMs } };
}

/** What was found; where nothing can be searched, what the configuration has to say then. */
async function findOrSayWhy(
  asked: Asked,
  search: (signal?: AbortSignal) => Promise<Found>,
): Promise<Remembered> {
  return whileReaching(asked.options.resources.parts, async (failed) => {
    try {
      const { found, cache } = await findOrRemember(asked, search);
      const outages = [...new Set([...(found.outages ?? []), ...failed()])];
      return { found: outages.length === 0 ? found : { ...found, outages }, cache };
    } catch (error) {
      const said = saidInOutage(asked.query.text, error, asked.options.resources);
      if (said === undefined) throw unanswered(error, failed());
      return { found: { ...said, outages: failed() }, cache: 'off' };
    }
  });
}

/** What the configuration has to say to a question in place of an error; undefined where it has nothing, or nothing is out. */
export function saidInOutage(
  question: string,
  error: unknown,
  { config }: Pick<FindResources, 'config'>,
): Found | undefined {
  const staticResponses = staticResponsesFor(question, config.rag.degradation.static);
  if (!isOutage(error) || staticResponses.length === 0) return undefined;
  const text = `Nothing can be searched now, so only what \`rag.degradation.static\` holds is said: ${error.message}`;
  return {
    passages: [],
    limit: 0,
    lanes: [],
    removed: [],
    degradationLevel: DegradationLevel.STATIC_ONLY,
    staticResponses,
    notices: [{ kind: 'static-response', text }],
  };
}

/** What was found of the index as it is now, by whoever may read the same; else what `search` finds. */
async function findOrRemember(
  { query, scope, options: { resources, onStage, isCached = true } }: Asked,
  search: (signal?: AbortSignal) => Promise<Found>,
): Promise<Remembered> {
  const isOff = onStage !== undefined || !isCached || !resources.config.rag.retrieval.cache.enabled;
  const cache = isOff ? undefined : await resources.results?.cache.open();
  // Read before the search: what is written meanwhile makes another revision, under which this is not looked for.
  const revision = cache === undefined ? undefined : await resources.ledger?.revision?.();
  if (cache === undefined || revision === undefined) return { found: await search(), cache: 'off' };
  const question = { revision, scope, query };
  const outcome = await orEvenOld(
    () => cache.evenOld(question),
    async () =>
      atLevelOf(
        resources.parts,
        await cache.find(question, { search, embed: (signal) => comparedBy(question, resources, signal) }),
      ),
  );
  const warnings = noticesOfKind('cache-unavailable', cache.warnings());
  if (warnings.length === 0) return outcome;
  return { ...outcome, found: { ...outcome.found, notices: [...outcome.found.notices, ...warnings] } };
}

/** A question waits for its vector so long, of `laneDeadlineMs`, before it is searched for as if there were no earlier ones. */
const SHARE_TO_COMPARE = 0.2;

/** The vector by which a question is compared with earlier ones; undefined where words alone are asked for, or the model does not answer. */
async function comparedBy(
  { query, scope }: { readonly query: SearchQuery; readonly scope: Scope },
  resources: FindResources,
  signal: AbortSignal,
): Promise<Float32Array | undefined> {
  // What is limited in costs pays for no comparison.
  if (query.options?.mode === 'lexical' || query.options?.maxCost !== undefined) return undefined;
  const deadline = {
    timeoutMs: resources.config.rag.retrieval.laneDeadlineMs * SHARE_TO_COMPARE,
    signal,
    lateError: () => new RAGError('EMBEDDING_FAILED', 'The embedding model did not answer in time.'),
  };
  try {
    return await withDeadline(deadline, async (abort) => {
      const model = await openQueryModel(resources, await resources.stores.collection(), {
        scope,
        signal: abort,
      });
      return model.reads(query.text) ? model.embedQuery(query.text, abort) : undefined;
    });
  } catch {
    throwIfAborted(signal);
    return undefined;
  }
}

/** What was found before is worth more than words alone, and than nothing. */
async function orEvenOld(
  evenOld: () => Found | undefined,
  search: () => Promise<Remembered>,
): Promise<Remembered> {
  const kept = (outages: Found['outages'] = []): Remembered | undefined => {
    const old = evenOld();
    if (old === undefined) return undefined;
    return { found: { ...old, degradationLevel: DegradationLevel.CACHED_ONLY, outages }, cache: 'hit' };
  };
  try {
    const outcome = await search();
    const { degradationLevel, outages = [] } = outcome.found;
    return (degradationLevel > DegradationLevel.CACHED_ONLY ? kept(outages) : undefined) ?? outcome;
  } catch (error) {
    const old = isOutage(error) ? kept() : undefined;
    if (old === undefined) throw error;
    return old;
  }
}

/** What was kept is no less than it was, but while a search could not find it, it is all that there is. */
function atLevelOf(parts: Parts | undefined, { found, cache }: Remembered): Remembered {
  if (
    cache === 'miss' ||
    cache === 'off' ||
    parts === undefined ||
    parts.level < DegradationLevel.CACHED_ONLY
  )
    return { found, cache };
  const degradationLevel = Math.max(found.degradationLevel, DegradationLevel.CACHED_ONLY);
  const outages = PARTS.filter((part) => parts.states[part] !== 'well');
  return { found: { ...found, degradationLevel, outages }, cache };
}

/** What was found, and which store answered in place of the one that is asked first. */
const find = (
  query: CheckedQuery,
  scope: Scope,
  options: FindOptions & { readonly startedAt: number },
): Promise<Found> =>
  withStandIns(async (standIns) => {
    const found = await findHere(query, scope, options);
    return { ...found, notices: [...noticesOfKind('store-failover', standIns()), ...found.notices] };
  });

async function findHere(
  query: CheckedQuery,
  scope: Scope,
  { resources, onStage, startedAt, plan }: FindOptions & { readonly startedAt: number },
): Promise<Found> {
  const { config } = resources;
  const live = await resources.stores.collection();
  const asked = askedOf(live, retrievalRequest(query, config));
  const { collection, facts, store, sealing } = live;
  const opened =
    asked.mode === 'lexical'
      ? NO_MODEL
      : await openQueryModel(resources, live, { scope, signal: query.signal });
  const { maxCost } = query.options ?? {};
  const costs =
    maxCost === undefined
      ? undefined
      : await limitCosts({
          ...{ maxCost, resources, request: asked, model: opened },
          settings: retrievalSettings(config),
        });
  const model = costs?.model ?? opened;
  const undecryptable = new Map<string, readonly string[]>();
  const scoped = scopeCollection(collection, scope, sealing, ({ id }, fields) => {
    undecryptable.set(id, fields);
  });
  const notices: Notice[] = [
    ...noticesOfKind('store-elsewhere', resources.stores.notice?.(facts) ?? []),
    ...model.notices,
    ...(live.past?.notices ?? []),
  ];
  if (live.past === undefined && sealing.isOverFolded && comparesCallersField(asked.filter))
    notices.push({ kind: 'filters-incomplete', text: FILTERS_INCOMPLETE });
  const run = await live.ledger.lastRun();
  if (live.past === undefined && (await isRestricted(live, scope, { run, resources })))
    notices.push({ kind: 'documents-hidden', text: RESTRICTED_NOTICE });
  const synonyms =
    query.options?.exactWords === true ? { rules: [], notices: [] } : await synonymRules(config);
  notices.push(...synonyms.notices);
  const retriever = createRetriever({
    collection: scoped,
    capabilities: store.capabilities,
    embedQuery: model.embedQuery,
    embedPassage: model.embedPassage,
    reads: model.reads,
    modelKey: facts.embedder,
    graph: (signal) => readableGraph(live, scoped, { scope, signal }),
    loadRarity: loadWordRarity,
    loadReranker: () => resources.models.reranker.open(),
    loadChatModel: async () => resources.models.chatModel?.open(),
    settings: costs?.settings ?? retrievalSettings(config),
    synonyms: synonyms.rules,
    onStage,
  });
  const turn = { owner: collection, concurrency: SEARCHES_AT_ONCE };
  const { check, result, passages, limit, planned } = await inTurn(
    turn,
    async () => {
      // Those who waited for their turn have less time left.
      const planned = await planSearch(
        asked,
        { deadlineMs: query.options?.deadlineMs, startedAt, plan },
        resources,
      );
      const check = await checkWords(query, scope, resources);
      const text = check.correction?.searchedFor ?? asked.text;
      const wanted = { ...asked, ...planned?.request, text };
      const request = (await costs?.limit(wanted)) ?? wanted;
      const { maxTopK } = store.capabilities;
      const found = await retrieveShown(retriever, { query, request }, { config, maxTopK });
      planned?.learn();
      return { check, planned, ...found };
    },
    query.signal,
  );
  if (foundNothing(result) && (await scoped.count(EVERYTHING, query.signal)) === 0)
    notices.push({
      kind: 'nothing-readable',
      text: `Nothing that this scope may read is indexed for the tenant "${scope.tenant}".`,
    });
  else if (
    foundNothing(result) &&
    hasFilters(query) &&
    (await scoped.count(asked.filter, query.signal)) === 0
  )
    notices.push({ kind: 'filters-empty', text: await describeEmptyFilters(query, scoped) });
  return {
    passages,
    limit,
    ...(check.correction === undefined ? {} : { correction: check.correction }),
    understanding: { ...result.understanding, ...decisiveParts(query, config) },
    ...planOf(planned?.report, costs),
    lanes: result.lanes,
    removed: result.removed,
    degradationLevel: result.degradationLevel,
    notices: [
      ...notices,
      ...noticesOfKind('run-unfinished', await unfinishedRunNotice(run, live.ledger)),
      ...check.notices,
      ...undecryptableNotice(passages, undecryptable),
      ...result.notices,
      ...languageNotice(model, query.text, passages[0]?.score),
      ...leftOutNotices(result.removed, {
        room: limit - passages.length,
        request: asked,
        isStated: (query.options?.minSimilarity ?? query.options?.minScore) !== undefined,
      }),
      ...(model.warnings?.() ?? []),
    ],
  };
}

/** What was left out for a deadline and for a limit of costs. */
function planOf(
  planned: SearchPlanReport | undefined,
  costs: LimitedSearch | undefined,
): Pick<FoundPassages, 'plan'> {
  const plan = costs?.reported(planned) ?? planned;
  return plan === undefined ? {} : { plan };
}

/** Of the past the graph is not kept, and vectors may be missing. */
function askedOf({ past }: SearchedIndex, asked: RetrievalRequest): RetrievalRequest {
  if (past === undefined || past.hasVectors) return asked;
  if (asked.mode !== 'dense') return { ...asked, mode: 'lexical' };
  throw new RAGError(
    'QUERY_INVALID',
    'Vectors of that time are not kept, and making them anew would take too long or ask a service. Search with the mode "hybrid" or "lexical".',
  );
}

const FILTERS_INCOMPLETE =
  'Documents that an earlier version indexed keep fields under `knowledgeMetadata`, where a filter misses names with dots and metadata that was a text. Run `ragstone index` to bring them in step.';

/** Names the fields that are missing in what is shown, for no one else can tell that they were there. */
function undecryptableNotice(
  passages: readonly RankedCandidate[],
  undecryptable: ReadonlyMap<string, readonly string[]>,
): Notice[] {
  const found = passages.filter(({ chunk }) => undecryptable.has(chunk.id));
  if (found.length === 0) return [];
  const documents = new Set(found.map(({ chunk }) => chunk.documentId)).size;
  const fields = new Set(found.flatMap(({ chunk }) => undecryptable.get(chunk.id) ?? []));
  const named = [...fields].sort().map((field) => JSON.stringify(field));
  const text = `Metadata of ${documents === 1 ? '1 document' : `${documents} documents`} cannot be decrypted and is left out (${named.join(', ')}): the key is not in \`rag.security.encryption.keys\`, or the value was changed. Add the key, or index the document again.`;
  return [{ kind: 'metadata-undecryptable', text }];
}

/** More is asked for by so much where one document fills what was found. */
const WIDENING = 4;

/**
 * What is shown of what is found. Where every document is shown once, one of very many chunks would leave no room for others: then
 * more is looked for, until there are enough documents or nothing is left.
 */
async function retrieveShown(
  retriever: Retriever,
  { query, request }: { readonly query: SearchQuery; readonly request: RetrievalRequest },
  { config, maxTopK }: { readonly config: ResolvedConfig; readonly maxTopK: number },
): Promise<{ result: RetrievalResult; passages: readonly RankedCandidate[]; limit: number }> {
  const { collapse: mode = 'none', minSimilarity, scoreFall } = request;
  const collapse = collapseOfChunks(mode, config);
  const isCutByScore = minSimilarity > 0 || scoreFall !== undefined;
  for (let topK = chunkLimit(request.topK, config, maxTopK); ; ) {
    const result = await retriever.retrieve({ ...request, topK, collapse });
    const limit = passageLimit(query.options?.topK, config, {
      text: query.text,
      isReranked: isReranked(result),
    });
    const passages = shownPassages(result.candidates, { limit, mode }, config);
    const asked = Math.min(Math.max(topK, config.rag.retrieval.fusion.candidates), maxTopK);
    const isAll = asked === maxTopK || !result.lanes.some((lane) => isFull(lane, asked));
    if (mode !== 'document' || isCutByScore || passages.length >= limit || isAll)
      return { result, passages, limit };
    topK = Math.min(asked * WIDENING, maxTopK);
  }
}

const isFull = ({ lane, candidates }: LaneReport, asked: number): boolean =>
  (lane === 'dense' || lane === 'lexical') && candidates >= asked;

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

/** Whether the tenant keeps what the scope may not read. A store that cannot count, or not in time, fails no search. */
async function isRestricted(
  { collection }: { readonly collection: VectorCollection },
  scope: Scope,
  { run, resources }: { readonly run: RunRecord | undefined; readonly resources: FindResources },
): Promise<boolean> {
  const deadline = {
    timeoutMs: resources.config.rag.retrieval.laneDeadlineMs,
    lateError: () => new RAGError('STORE_TIMEOUT', 'The store did not count in time.'),
  };
  const state = `${run?.runId ?? ''} ${run?.finishedAt ?? ''}`;
  try {
    return !(await withDeadline(deadline, () => remembersReach(collection, scope, state)));
  } catch {
    return false;
  }
}

const isReranked = ({ lanes }: RetrievalResult): boolean =>
  lanes.some(({ lane, status }) => lane === 'rerank' && status === 'ran');

/** Nothing was found, and the filters may be why. */
const foundNothing = ({ lanes, candidates, removed }: RetrievalResult): boolean =>
  candidates.length + removed.length === 0 && lanes.every(({ status }) => status !== 'failed');

const hasFilters = ({ filters, filter }: SearchQuery): boolean =>
  Object.keys(filters ?? {}).length > 0 || filter !== undefined;

/** The mode asks for words alone, so nothing is loaded. */
const NO_MODEL: QueryModel = {
  embedQuery: () => Promise.reject(new RAGError('INTERNAL', 'A search for words alone embeds nothing.')),
  embedPassage: () => Promise.reject(new RAGError('INTERNAL', 'A search for words alone embeds nothing.')),
  reads: () => true,
  isEnglish: false,
  notices: [],
};
