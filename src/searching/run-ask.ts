import type { AgentLimits, AgentTools } from '../answering/agentic/agent.js';
import { evidenceGatherer } from '../answering/agentic/gather-evidence.js';
import { checkedLimits, RunLimits } from '../answering/agentic/run-limits.js';
import type { AnswerMode, AnswerSource, ConversationTurn } from '../answering/answer.js';
import type { AnswerEvent } from '../answering/answer-events.js';
import { streamAnswer } from '../answering/answer-question.js';
import type { AnswerDependencies, AnswerRequest, Retrieve } from '../answering/answer-request.js';
import type { SearchSignals } from '../answering/confidence-features.js';
import { DegradationLevel } from '../core/degradation.js';
import { RAGError } from '../core/errors.js';
import { and } from '../core/filter.js';
import { type Notice, statedNotices, toldNotices } from '../core/notice.js';
import { runtime } from '../core/runtime.js';
import type { Scope } from '../core/scope.js';
import { rounded } from '../core/telemetry.js';
import { withoutUndefined } from '../core/without-undefined.js';
import { loadTextMeaning } from '../embedding/static/text-meaning.js';
import { originsOf } from '../indexing/document-paths.js';
import type { AskRequest } from '../operations/engine.js';
import { withBreakers } from '../platform/degradation/breakers.js';
import { toldDegradation } from '../platform/degradation/degradation-report.js';
import type { PartName } from '../platform/degradation/level.js';
import { isOutage, unanswered } from '../platform/degradation/outage.js';
import { readRegularText } from '../platform/security/regular-file.js';
import type { EngineResources } from '../resources/engine-resources.js';
import { tokenCounterFor } from '../resources/token-counter-for.js';
import { agentTools, type NarrowedSearch } from './agent-tools.js';
import { resourcesAsOf } from './as-of/past-resources.js';
import { contextSettings } from './context-settings.js';
import { correctWords, type WordCheck } from './correct-words.js';
import { chunksOf, type ScopedRead } from './document-chunks.js';
import { fieldValues } from './field-values.js';
import { findPassages, findWhole } from './find-passages.js';
import { isKnownIdentifier, isKnownWord } from './known-names.js';
import { findRelated } from './related.js';
import { resultsFor } from './retrieval-request.js';
import { passageLimit } from './shown-passages.js';
import { saidInOutage, staticAnswer } from './static-answer.js';
import { synonymRules } from './synonym-rules.js';
import { readerSimilarity, similarityFor } from './text-similarity.js';

/** Question to answer, through the scope of the asker and no other way. */
export async function* runAsk(
  { asOf, ...request }: AskRequest,
  scope: Scope,
  present: EngineResources,
): AsyncGenerator<AnswerEvent> {
  if (asOf === undefined) {
    yield* runPresentAsk(request, scope, present);
    return;
  }
  if (['agentic', 'graph'].includes(request.mode ?? present.config.rag.answering.mode))
    throw new RAGError(
      'QUERY_INVALID',
      'The past is asked for in one search, without the graph: leave out asOf, or ask with the mode "enhanced" or "naive".',
    );
  if (request.limits?.deadlineMs !== undefined)
    throw new RAGError(
      'QUERY_INVALID',
      'A search in the past is not planned to end in time: leave out asOf, or limits.deadlineMs (--deadline-ms).',
    );
  const { resources, report } = await resourcesAsOf(asOf, { scope, signal: request.signal }, present);
  for await (const event of runPresentAsk(request, scope, resources))
    yield event.type === 'answer' ? { ...event, answer: { ...event.answer, asOf: report } } : event;
}

/** The same of the index that the resources are of. */
async function* runPresentAsk(
  request: AskRequest,
  scope: Scope,
  resources: EngineResources,
): AsyncGenerator<AnswerEvent> {
  const since = runtime().elapsed();
  const seen: SeenSearches = { outages: new Set() };
  let hasBegun = false;
  try {
    for await (const event of answerEvents(request, { scope, resources, seen })) {
      hasBegun = true;
      yield event;
    }
  } catch (error) {
    const { question, mode = 'enhanced' } = answerRequest(request, resources);
    const said = hasBegun ? undefined : (seen.saidOnly ?? saidInOutage(question, error, resources));
    if (said === undefined) throw hasBegun ? error : unanswered(error, [...seen.outages]);
    const answer = staticAnswer(question, mode, { ...said, outages: [...seen.outages] });
    yield { type: 'start', standaloneQuestion: question, sources: [] };
    yield { type: 'answer', answer: { ...answer, tookMs: rounded(runtime().elapsed() - since) } };
  }
}

/** What the searches of an answer said of parts that do not answer. */
interface SeenSearches {
  readonly outages: Set<PartName>;
  /** A search that could only say what the configuration holds for outages. */
  saidOnly?: Retrieved;
}

type Retrieved = Awaited<ReturnType<typeof findPassages>>;

interface Answering {
  readonly scope: Scope;
  readonly resources: EngineResources;
  readonly seen: SeenSearches;
  readonly limits?: RunLimits | undefined;
}

async function* answerEvents(
  request: AskRequest,
  { scope, resources, seen }: Answering,
): AsyncGenerator<AnswerEvent> {
  const typed = answerRequest(request, resources);
  const parts = await answerDependencies(request, scope, resources, seen);
  const { correction, notices } = await withBreakers(resources.breakers, () =>
    Promise.resolve(checkWords(request, typed.question, { scope, resources })),
  );
  const events = streamAnswer({ ...typed, question: correction?.searchedFor ?? typed.question }, parts);
  const withOrigin = originAdder(resources);
  for await (const event of events) {
    if (event.type === 'start') yield { ...event, sources: await Promise.all(event.sources.map(withOrigin)) };
    else if (event.type === 'answer') {
      const sources = await Promise.all(event.answer.sources.map(withOrigin));
      const answer = {
        ...event.answer,
        ...toldDegradation({
          degradationLevel: levelOfAnswer(event.answer.degradationLevel, seen),
          outages: [...seen.outages],
        }),
        question: typed.question,
        ...withoutUndefined({ correction }),
        sources,
        ...toldNotices([...notices, ...statedNotices(event.answer)]),
      };
      yield { ...event, answer };
    } else yield event;
  }
}

/** What is read beside passages that were found, or which words there are, may have been missed as well. */
const levelOfAnswer = (level: DegradationLevel, { outages }: SeenSearches): DegradationLevel =>
  outages.size === 0 ? level : Math.max(level, DegradationLevel.NO_RERANKING);

/** Once, and before all else: what is read, searched for and quoted is the same question. */
const checkWords = (
  { exactWords, signal }: AskRequest,
  question: string,
  { scope, resources }: Pick<ScopedRead, 'scope' | 'resources'>,
): Promise<WordCheck> | WordCheck =>
  exactWords === true ? { notices: [] } : correctWords(question, { scope, resources, signal });

/** Says where sources were read from; a document that has gone meanwhile stays without, and each while the ledger is out. */
function originAdder(resources: EngineResources): (source: AnswerSource) => Promise<AnswerSource> {
  const originOf = originsOf(resources.config);
  return (source) =>
    withBreakers(resources.breakers, async () => {
      try {
        const document = await (await resources.ledger.live())?.reader.document(source.documentId);
        return document === undefined
          ? source
          : { ...source, origin: originOf(document.source, document.externalId) };
      } catch (error) {
        if (isOutage(error)) return source;
        throw error;
      }
    });
}

function answerRequest(request: AskRequest, { config }: EngineResources): AnswerRequest {
  const { answering } = config.rag;
  const answerer = request.answerer ?? answering.answerer;
  return {
    question: questionOf(request),
    history: historyOf(request),
    mode: modeOf(request, answering.mode),
    ...(answerer === 'auto' ? {} : { answerer }),
    ...withoutUndefined({ signal: request.signal }),
  };
}

/** Refuses a limit that nothing would heed. */
function modeOf({ mode: stated, limits }: AskRequest, preset: AnswerMode): AnswerMode {
  const mode = stated ?? preset;
  if (limits?.maxSteps === undefined || mode === 'agentic') return mode;
  throw new RAGError(
    'QUERY_INVALID',
    `The limit of steps (\`limits.maxSteps\`, --max-steps) is one of the mode "agentic", and the mode is "${mode}". Ask with mode: "agentic" (--mode agentic), or leave it out.`,
  );
}

/** Of an answer by one search, where a limit is not stated: a step, and as much as the service lets any call take. */
const NOT_STATED: AgentLimits = {
  maxSteps: 1,
  maxTokens: Infinity,
  maxCost: Infinity,
  deadlineMs: 600_000,
};

/** What an answer may take where one search finds its passages; that of the mode `agentic` counts for itself. */
const limitsOf = ({ limits }: AskRequest, mode: AnswerMode): RunLimits | undefined =>
  limits === undefined || mode === 'agentic' ? undefined : new RunLimits(checkedLimits(limits, NOT_STATED));

function questionOf({ question, message }: AskRequest): string {
  const text = question ?? message;
  if (typeof text !== 'string' || text.trim() === '')
    throw new RAGError('QUERY_EMPTY', 'There is no question. Put it into `question`.');
  return text;
}

const historyOf = ({ history, conversation_history }: AskRequest): readonly ConversationTurn[] =>
  history ?? conversation_history ?? [];

/** What answering needs of an engine; `tools/answers` asks through the same. */
export async function answerDependencies(
  request: AskRequest,
  scope: Scope,
  resources: EngineResources,
  seen: SeenSearches = { outages: new Set() },
): Promise<AnswerDependencies> {
  const { answering, chat } = resources.config.rag;
  const instructions = await readInstructions(resources);
  const read: ScopedRead = { scope, resources, signal: request.signal };
  const asking: Answering = { scope, resources, seen };
  const limits = limitsOf(request, modeOf(request, answering.mode));
  return {
    retrieve: retrieveFor(request, { ...asking, limits }),
    ...withoutUndefined({ limits }),
    gather: evidenceGatherer(toolsFor(request, asking), request.limits),
    similarity: (...asked) =>
      withBreakers(resources.breakers, () => similarityFor(scope, resources)(...asked)),
    reading: readerSimilarity,
    meaning: loadTextMeaning,
    isKnownWord: (word) => withBreakers(resources.breakers, () => isKnownWord(word, read)),
    isKnownIdentifier: (name) => withBreakers(resources.breakers, () => isKnownIdentifier(name, read)),
    ...(request.exactWords === true ? {} : { synonyms: (await synonymRules(resources.config)).rules }),
    chatModel: () => resources.models.chatModel.open(),
    counter: tokenCounterFor,
    context: contextSettings(scope, resources, (parts) => {
      for (const part of parts) seen.outages.add(part);
    }),
    settings: {
      topK: topKOf(request, resources),
      abstainBelow: request.abstainBelow ?? answering.abstainBelow,
      unsupported: answering.unsupported,
      ...(answering.supportCheck === 'model' ? { modelCheckTimeoutMs: answering.supportCheckTimeoutMs } : {}),
      maxOutputTokens: chat.maxOutputTokens,
      chatTimeoutMs: chat.timeoutMs,
      ...withoutUndefined({ instructions }),
    },
  };
}

/** What the question states, else what is set for answers, else what any search shows. */
function topKOf(request: AskRequest, { config }: EngineResources): number {
  const { answering, retrieval } = config.rag;
  const isReranked = retrieval.rerank.enabled && (request.mode ?? answering.mode) !== 'naive';
  if (request.topK !== undefined) return request.topK;
  const text = request.question ?? request.message ?? '';
  return answering.topK === undefined
    ? passageLimit(undefined, config, { text, isReranked })
    : resultsFor(text, answering.topK, config);
}

async function readInstructions({ config }: EngineResources): Promise<string | undefined> {
  const { instructions } = config.rag.answering;
  if (instructions === undefined) return undefined;
  try {
    return await readRegularText(instructions);
  } catch (cause) {
    throw new RAGError(
      'CONFIG_INVALID',
      `rag.answering.instructions: the file ${instructions} cannot be read.`,
      { cause, details: { key: 'rag.answering.instructions', path: instructions } },
    );
  }
}

/** Where the mode asks for steps: each is a search as that of an answer, narrowed by what the step is about. */
function toolsFor(request: AskRequest, asking: Answering): AgentTools {
  const { scope, resources } = asking;
  const externalSearch = resources.config.own?.externalSearch;
  const read = (signal: AbortSignal): ScopedRead => ({ scope, resources, signal });
  const search: NarrowedSearch = (query, { filter, topK, signal }) => {
    const both = [request.filter, filter].filter((each) => each !== undefined);
    // What a step is about may stand in any document; of one that is named, several passages are wanted.
    const collapse = request.options?.collapse ?? (filter === undefined ? 'document' : 'none');
    const narrowed: AskRequest = {
      ...request,
      options: { collapse },
      ...(both.length === 0 ? {} : { filter: and(...both) }),
    };
    return retrieveFor(narrowed, asking)(query, { topK, mode: 'agentic', isWidened: false, signal });
  };
  return agentTools(search, scope, {
    document: async (documentId, { limit, signal }) =>
      withBreakers(resources.breakers, async () =>
        (await chunksOf(documentId, read(signal))).slice(0, limit),
      ),
    values: (field, signal) => withBreakers(resources.breakers, () => fieldValues(field, read(signal))),
    related: async (item, { hops, limit, signal }) => {
      const asked = { item, hops, limit, signal };
      const { related } = await withBreakers(resources.breakers, () => findRelated(asked, scope, resources));
      return related.map(({ id, path }) => ({ documentId: id, path }));
    },
    ...withoutUndefined({ external: externalSearch }),
  });
}

const retrieveFor =
  (request: AskRequest, { scope, resources, seen, limits }: Answering): Retrieve =>
  async (query, { topK, mode, isWidened, signal }) => {
    const find = request.limits?.deadlineMs === undefined ? findWhole : findPassages;
    const found = await find(
      {
        text: query,
        ...withoutUndefined({ filters: request.filters, filter: request.filter }),
        options: {
          topK,
          ...(isWidened ? { minSimilarity: 0 } : {}),
          ...withoutUndefined({ exactWords: request.exactWords }),
          ...searchTime(request, limits),
          ...(request.options?.collapse === undefined ? {} : { collapse: request.options.collapse }),
          ...(mode === 'naive' ? { rerank: false } : {}),
          ...(mode === 'graph' ? { mode: 'graph', connectedFirst: false } : {}),
        },
        ...withoutUndefined({ signal }),
        areWordsChecked: true,
      },
      scope,
      { resources },
    );
    const { passages, degradationLevel, notices, outages = [] } = found;
    for (const part of outages) seen.outages.add(part);
    if (found.staticResponses !== undefined) {
      seen.saidOnly = found;
      throw new RAGError('SEARCH_FAILED', 'Nothing can be searched now.');
    }
    return {
      // An answer is weighed by how likely its passages are, not by how well they match.
      ranked: passages.map(({ chunk, probability }) => ({ chunk, score: probability })),
      signals: signalsOf(found),
      degradationLevel,
      ...toldNotices([...notices, ...leftOutFor(found), ...alikeNotices(passages)]),
    };
  };

/** Of the time that is left: as much is for choosing what is quoted, and for a model to write. */
const SEARCH_SHARE = 1 / 2;

const searchTime = ({ limits: stated }: AskRequest, limits: RunLimits | undefined) =>
  limits === undefined || stated?.deadlineMs === undefined
    ? {}
    : { deadlineMs: Math.max(1, Math.floor(limits.msLeft * SEARCH_SHARE)) };

const leftOutFor = ({ plan }: Retrieved): readonly Notice[] =>
  plan === undefined || plan.leftOut.length === 0
    ? []
    : [{ kind: 'deadline', text: `To keep the deadline the search left out: ${plan.leftOut.join(', ')}.` }];

function alikeNotices(passages: Retrieved['passages']): readonly Notice[] {
  const alike = passages.reduce((sum, { more }) => sum + (more?.alike ?? 0), 0);
  if (alike === 0) return [];
  const text = `${alike} more passage${alike === 1 ? ' says' : 's say'} nearly the same as what was found, and ${alike === 1 ? 'was' : 'were'} left out; a search shows them with nearDuplicates: "keep".`;
  return [{ kind: 'alike-left-out', text }];
}

function signalsOf({ passages, notices }: Pick<Retrieved, 'passages' | 'notices'>): SearchSignals {
  const best = passages.slice(0, 2).map(({ explanation }) => explanation);
  // What a model does not read it cannot take for near, which is less than not to know.
  const unread = notices.some(({ kind }) => kind === 'script-unread') ? [0] : [];
  return {
    keyword: best.flatMap(({ keywordScore }) => keywordScore ?? []),
    semantic: best.flatMap(({ semanticScore }) => semanticScore ?? unread),
  };
}
