import type {
  Answer,
  AnswerEvent,
  EngineView,
  FailedItem,
  IndexStatus,
  MissExplanation,
  MissStage,
  NoticeKind,
  SearchResponse,
  ToldNotices,
} from '../../../index.js';
import { callsThrough, type OperationCall } from '../../../operations/operations.js';

/** Told of what a caller was not told. */
export type OnWithheld = (texts: readonly string[]) => void;

export interface CallersViewOptions {
  readonly onWithheld: OnWithheld;
  /** The caller keeps the index (`maintain`): explanations of a miss tell it settings, places and what failed. */
  readonly keepsIndex: boolean;
}

/**
 * An index as callers of the service may see it. What went wrong on the way to an answer is told in fixed sentences, for the words
 * of a provider or a store name accounts, models and settings; those words go to the log.
 */
export function callersView(view: EngineView, { onWithheld, keepsIndex }: CallersViewOptions): EngineView {
  const withoutWords = <Outcome>(outcome: Outcome): Outcome =>
    hasNotices(outcome) ? { ...outcome, ...callersNotices(outcome, onWithheld) } : outcome;
  const answerOf = (answer: Answer): Answer => callersAnswer(withoutWords(answer), onWithheld);
  // Notices are told of every operation in fixed sentences; these tell more than notices.
  const withheld: Partial<Record<string, (outcome: never) => unknown>> = {
    search: callersLanes,
    ask: (answer: Answer) => callersAnswer(answer, onWithheld),
    status: (status: IndexStatus) => callersStatus(status, onWithheld),
    failures: (failures: readonly FailedItem[]) => callersFailures(failures, onWithheld),
    explainMiss: (explanation: MissExplanation) =>
      keepsIndex ? explanation : callersExplanation(explanation, onWithheld),
  } satisfies { readonly [Name in keyof EngineView]?: (outcome: never) => unknown };
  return {
    scope: view.scope,
    ...callsThrough(async <Outcome>({ name }: OperationCall, work: Work<Outcome>) => {
      const outcome = withoutWords(await work(view));
      return (withheld[name]?.(outcome as never) ?? outcome) as Outcome;
    }),
    async *askStream(request): AsyncGenerator<AnswerEvent> {
      for await (const event of view.askStream(request)) {
        if (event.type === 'reset') yield { type: 'reset', reason: TAKEN_BACK };
        else yield event.type === 'answer' ? { type: 'answer', answer: answerOf(event.answer) } : event;
      }
    },
  };
}

type Work<Outcome> = (view: EngineView) => Promise<Outcome>;

const hasNotices = (outcome: unknown): outcome is ToldNotices =>
  typeof outcome === 'object' && outcome !== null && 'noticeKinds' in outcome;

/** Why a lane is off is our own sentence; why it failed is not. */
const callersLanes = (found: SearchResponse): SearchResponse => ({
  ...found,
  lanes: found.lanes.map((lane) =>
    lane.reason === undefined || lane.status === 'off' ? lane : { ...lane, reason: FAILED },
  ),
});

function callersFailures(failures: readonly FailedItem[], onWithheld: OnWithheld): readonly FailedItem[] {
  const { told, end } = withoutPlaces(onWithheld);
  const callers = failures.map((one) => ({ ...one, message: told(one.message) }));
  end();
  return callers;
}

/** An absolute path, of any system. */
const PLACE = /(?:^|[\s"'`(=])(?:[A-Za-z]:[\\/]|\\\\|~?\/)[^\s/]/;
const PLACE_WITHHELD = 'It names a folder or file of the machine of the service, whose log says the words.';

/** Texts without the places of the machine. */
function withoutPlaces(onWithheld: OnWithheld) {
  const withheld: string[] = [];
  return {
    told: (text: string): string => {
      if (!PLACE.test(text)) return text;
      withheld.push(text);
      return PLACE_WITHHELD;
    },
    end: (): void => {
      if (withheld.length > 0) onWithheld(withheld);
    },
  };
}

/** The state of the index without the places of the machine, which words of failures may name. */
function callersStatus(status: IndexStatus, onWithheld: OnWithheld): IndexStatus {
  const { told, end } = withoutPlaces(onWithheld);
  const { following } = status;
  const callers: IndexStatus = {
    ...status,
    sources: status.sources.map(({ sync, ...source }) => {
      if (sync?.lastError === undefined) return { ...source, sync };
      const { lastError } = sync;
      return { ...source, sync: { ...sync, lastError: { ...lastError, message: told(lastError.message) } } };
    }),
    failures: status.failures.map((failure) => ({ ...failure, message: told(failure.message) })),
    notices: status.notices.map(told),
    following: following && {
      ...following,
      sources: following.sources.map(({ problem, ...source }) => ({
        ...source,
        ...(problem === undefined ? {} : { problem: told(problem) }),
      })),
    },
  };
  end();
  return callers;
}

/** Of a lost document the step, which a sentence of ours explains, and nothing that names settings, scopes or other documents. */
function callersExplanation(explanation: MissExplanation, onWithheld: OnWithheld): MissExplanation {
  onWithheld([explanation.reason, ...explanation.remedies.map(({ setting }) => setting)]);
  const { document, chunk: _, correction: __, ...rest } = explanation;
  const { lostAt } = rest;
  const told = {
    ...rest,
    reason: lostAt === undefined ? 'It is among the results.' : MISS_REASONS[lostAt],
    remedies: [],
    steps: [],
  };
  if (document === undefined) return told;
  const { path: ___, ...shown } = document;
  return { ...told, document: shown };
}

/** A step that is new has no sentence, and does not compile. */
const MISS_REASONS: Readonly<Record<MissStage, string>> = {
  'not-indexed': 'It is not indexed.',
  failed: 'It could not be indexed.',
  outdated: 'What is indexed of it is older than the document.',
  scope: 'It is not for this caller.',
  filter: 'The filters leave it out.',
  'chunk-cut': 'What the query asks for lies across two passages of it.',
  truncated: 'What the query asks for lies behind the part that the model of the index reads.',
  lexical: 'It holds too few of the words of the query.',
  vector: 'It is too far from the query in meaning.',
  fusion: 'Others are better by words and meaning together.',
  rerank: 'It was ranked lower when the first results were looked at more closely.',
  collapse: 'Another passage of the same document stands for it.',
  'near-duplicate': 'Another document says almost the same and stands for it.',
  recency: 'Newer ones were preferred.',
  threshold: 'It is below the least relevance that is shown.',
  diversity: 'It gave way to results that say something else.',
  'top-k': 'It comes after the last result that is shown.',
};

const FAILED = 'A part of the service did not do its work; its log says why.';
const TAKEN_BACK = 'What the language model wrote does not stand; the answer at the end does.';

function callersAnswer(answer: Answer, onWithheld: OnWithheld): Answer {
  const { fallback } = answer;
  // What became of the model's sentences is a matter of the answer; why a model was not asked is one of the service.
  if (fallback === undefined || fallback.reason === 'UNSUPPORTED_ANSWER') return answer;
  onWithheld([fallback.detail]);
  return { ...answer, fallback: { reason: fallback.reason, detail: FAILED } };
}

/** Of each notice what a caller may know, each sentence once. */
function callersNotices({ notices, noticeKinds }: ToldNotices, onWithheld: OnWithheld): ToldNotices {
  const told = notices.map((text, at) => callersNotice(noticeKinds[at], text));
  const withheld = notices.filter((text, at) => told[at]?.text !== text);
  if (withheld.length > 0) onWithheld(withheld);
  const distinct = [...new Map(told.map((notice) => [notice.text, notice])).values()];
  return {
    notices: distinct.map(({ text }) => text),
    noticeKinds: distinct.map(({ kind }) => kind),
  };
}

interface CallersNotice {
  readonly kind: NoticeKind;
  readonly text: string;
}

/** A kind that is not declared is withheld. */
function callersNotice(kind: NoticeKind | undefined, text: string): CallersNotice {
  if (kind === undefined || !Object.hasOwn(TOLD_TO_CALLERS, kind)) return NOT_TOLD;
  const told = TOLD_TO_CALLERS[kind];
  if (told === WITHHELD) return NOT_TOLD;
  return { kind, text: told === AS_IT_IS ? text : told };
}

const NOT_TOLD: CallersNotice = { kind: 'withheld', text: FAILED };

const AS_IT_IS = Symbol('as it is');
const WITHHELD = Symbol('withheld');

/**
 * What a caller is told of a notice: its own text, where that holds nothing but counts, what the caller asked and what it was shown;
 * else a sentence for everyone, or nothing. A kind that is new does not compile until someone decided.
 */
const TOLD_TO_CALLERS: Readonly<Record<NoticeKind, string | typeof AS_IT_IS | typeof WITHHELD>> = {
  'query-cut': AS_IT_IS,
  'query-wordless': AS_IT_IS,
  'query-operators': AS_IT_IS,
  'script-unread': AS_IT_IS,
  'language-unread': AS_IT_IS,
  // Names are those that the scope of the caller sees.
  'filters-empty': AS_IT_IS,
  'nothing-readable': AS_IT_IS,
  'as-of': 'This is the index as it was at the time that was asked for (`asOf`).',
  'below-threshold': AS_IT_IS,
  'search-widened': AS_IT_IS,
  deadline: AS_IT_IS,
  'semantic-cache': AS_IT_IS,
  'passage-instructs': AS_IT_IS,
  'context-cut': AS_IT_IS,
  'prompt-cut': AS_IT_IS,
  'alike-left-out': AS_IT_IS,
  'answer-one-sided': AS_IT_IS,
  'citations-changed': AS_IT_IS,
  'sentences-unsupported': AS_IT_IS,
  'sentences-removed': AS_IT_IS,
  'answer-removed': AS_IT_IS,
  'graph-cut': AS_IT_IS,
  'conflicts-cut': AS_IT_IS,
  'sources-conflict': AS_IT_IS,
  'graph-incomplete': 'Some documents are not in the graph yet.',
  'conflicts-incomplete': 'Some documents have not been examined yet.',
  'retrieval-off': 'Retrieval is switched off.',
  'words-unchecked': "The query's words were not checked for typing mistakes.",
  'filters-incomplete':
    'Some documents of an earlier version may be missing, for the filter may not find their fields.',
  'documents-hidden': 'This tenant keeps documents that this scope may not read, and they are not searched.',
  'metadata-undecryptable': 'Metadata of some documents cannot be decrypted and is left out.',
  'run-unfinished':
    'An index run is under way or was interrupted, so passages may be missing or of an older revision.',
  'search-degraded': 'Not every way of searching worked, and the others answered.',
  'static-response': 'Nothing can be searched now; what is said was written for such times.',
  'follow-up-by-rules': 'The follow-up was made to stand on its own by rules, without the language model.',
  'model-failed': 'The answer was extracted without the language model.',
  'answer-incomplete': "The model's answer is not complete.",
  'support-check-failed': "The model's check of the answer failed, and the check without it stands.",
  'store-elsewhere': WITHHELD,
  'cache-unavailable': WITHHELD,
  'store-failover': WITHHELD,
  'embedding-model': WITHHELD,
  'reranking-model': WITHHELD,
  'adaptation-off': WITHHELD,
  'of-a-part': WITHHELD,
  withheld: WITHHELD,
};
