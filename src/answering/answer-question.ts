import type { TokenCounter } from '../context/token-counter.js';
import type { WindowShares } from '../context/window-budget.js';
import type { ChatModel } from '../core/chat-model.js';
import { RAGError, throwIfAborted } from '../core/errors.js';
import { type Notice, noticesOfKind } from '../core/notice.js';
import {
  openSpan,
  rounded,
  type Span,
  StageClock,
  type TelemetryPayloads,
  traced,
} from '../core/telemetry.js';
import { overLimits, settingsWithin } from './affordable-model.js';
import type { Answer, AnswerFallback, AnswerMode, ConversationTurn } from './answer.js';
import type { AnswerEvent } from './answer-events.js';
import type { AnswerDependencies, AnswerRequest, AnswerSettings } from './answer-request.js';
import { sourceOf } from './answer-sources.js';
import { abstain, answerFromChat, answerFromSentences, type Findings } from './compose-answer.js';
import { gatherFindings, modeOf } from './gather-findings.js';
import { assertHistory } from './history.js';
import { withheldFor } from './outcome.js';
import { understandQuestion } from './understand-question.js';
import { writeAnswer } from './write-answer.js';

/** A grounded answer with checked citations; see `streamAnswer`. */
export async function answerQuestion(
  request: AnswerRequest,
  dependencies: AnswerDependencies,
): Promise<Answer> {
  for await (const event of streamAnswer(request, dependencies)) {
    if (event.type === 'answer') return event.answer;
  }
  throw new RAGError('INTERNAL', 'Answering ended without an answer.');
}

/**
 * Question to answer: the follow-up is made to stand on its own, passages are found and packed, thin evidence makes it
 * abstain, a language model writes (or the best sentences are taken where there is none, or where it fails), and every
 * sentence is checked against what it cites. A model's failure is never the caller's: it is reported in `fallback`.
 *
 * @throws RAGError of the search, `QUERY_INVALID` for a history that is none, `CONFIG_INVALID` where the answerer `chat` is
 *   asked for and no model is set up, `ABORTED`.
 */
export async function* streamAnswer(
  request: AnswerRequest,
  dependencies: AnswerDependencies,
): AsyncGenerator<AnswerEvent> {
  const timing = new AnswerTiming(modeOf(request));
  try {
    yield* answerEvents(request, dependencies, timing);
    timing.end();
  } catch (error) {
    timing.end(error);
    throw error;
  } finally {
    // A listener may stop before the end.
    timing.end();
  }
}

/** Publishes an answer and adds up its stages. A generator has no context of its own: its parts are run in that of the answer. */
class AnswerTiming {
  readonly #clock = new StageClock();
  readonly #payload: TelemetryPayloads['answer'];
  readonly #span: Span;

  constructor(mode: AnswerMode) {
    this.#payload = { mode };
    this.#span = openSpan('answer', this.#payload);
  }

  run<Result>(work: () => Result): Result {
    return this.#clock.run(() => this.#span.run(work));
  }

  end(error?: unknown): void {
    this.#span.end(error);
  }

  /** The answer with its times; nothing that comes after it is counted. */
  complete(answer: Answer): Answer {
    this.#payload.answerer = answer.answerer;
    this.#payload.degradationLevel = answer.degradationLevel;
    this.end();
    return { ...answer, stages: this.#clock.times, tookMs: rounded(this.#payload.tookMs ?? 0) };
  }
}

async function* answerEvents(
  request: AnswerRequest,
  dependencies: AnswerDependencies,
  timing: AnswerTiming,
): AsyncGenerator<AnswerEvent> {
  const { question, history = [], signal } = request;
  assertHistory(history);
  throwIfAborted(signal);
  const opened = await openModel(request, dependencies);
  const rewrite = () =>
    understandQuestion({
      question,
      history,
      mode: modeOf(request),
      model: opened.model,
      timeoutMs: dependencies.settings.chatTimeoutMs,
      limits: dependencies.limits,
      counter: () => dependencies.counter(opened.model?.id),
      signal,
    });
  const understood = await timing.run(() => traced('stage', { stage: 'rewrite' }, rewrite));
  const { standalone } = understood;
  const { model, failure } = afterRewriting(opened, understood.failure);
  const notices = rewriteNotices(understood.failure);
  const findings = await timing.run(() =>
    gatherFindings({ request, dependencies, standalone, model, notices }),
  );
  yield {
    type: 'start',
    standaloneQuestion: standalone.text,
    sources: findings.pack.entries.map(sourceOf),
  };
  const writing = timing.run(() => openSpan('stage', { stage: 'write' }));
  const done = (answer: Answer): AnswerEvent => {
    writing.end();
    return { type: 'answer', answer: timing.complete(answer) };
  };
  const withheld = withheldFor({
    hasPassages: !findings.pack.isFallback,
    missing: findings.missing,
    confidence: findings.confidence,
    abstainBelow: dependencies.settings.abstainBelow,
    hasModel: model !== undefined,
  });
  if (withheld !== undefined) return yield done(abstain(findings, withheld));
  if (model === undefined) return yield done(answerFromSentences(findings, failure));
  const counter = await dependencies.counter(model.id);
  const settings = settingsWithin(dependencies.settings, findings);
  const over = overLimits(findings, { model, history, settings, counter });
  if (over !== undefined) return yield done(answerFromSentences(findings, over));
  const {
    meaning,
    context: { shares },
  } = dependencies;
  yield* writeWithFallback({ findings, model, settings, counter, shares, meaning, history, done, signal });
}

interface OpenedModel {
  readonly model: ChatModel | undefined;
  readonly failure?: AnswerFallback;
}

async function openModel(
  { answerer, signal }: AnswerRequest,
  { chatModel }: AnswerDependencies,
): Promise<OpenedModel> {
  if (answerer === 'extractive') return { model: undefined };
  let model: ChatModel | undefined;
  try {
    model = await chatModel?.();
  } catch (error) {
    throwIfAborted(signal);
    return { model: undefined, failure: fallbackOf(error) };
  }
  if (model === undefined && answerer === 'chat') throw noModel();
  return { model };
}

/** A model that did not answer just now is not asked again: its retries and its deadline are spent. */
function afterRewriting(opened: OpenedModel, failure: AnswerFallback | undefined): OpenedModel {
  if (failure === undefined || failure.reason === 'CHAT_OUTPUT_INVALID') return opened;
  return { model: undefined, failure };
}

const rewriteNotices = (failure: AnswerFallback | undefined): Notice[] =>
  noticesOfKind(
    'follow-up-by-rules',
    failure === undefined
      ? []
      : [
          `The follow-up was made to stand on its own by rules, without the language model: ${failure.detail}`,
        ],
  );

/** A caller that insists on a language model nobody named would take the answer for the model's. */
const noModel = (): RAGError =>
  new RAGError(
    'CONFIG_INVALID',
    'The answer was asked of a language model and none is set up. Name one in rag.chat.model; the answerers "auto" and "extractive" need none.',
    { details: { key: 'rag.chat.model' } },
  );

const fallbackOf = (error: unknown): AnswerFallback =>
  RAGError.isInstance(error)
    ? { reason: error.reason, detail: error.message }
    : { reason: 'CHAT_UNAVAILABLE', detail: 'The language model failed.' };

interface WriteInput {
  readonly findings: Findings;
  readonly model: ChatModel;
  readonly settings: AnswerSettings;
  readonly counter: TokenCounter;
  readonly shares: WindowShares | undefined;
  readonly meaning: AnswerDependencies['meaning'];
  readonly history: readonly ConversationTurn[];
  readonly done: (answer: Answer) => AnswerEvent;
  readonly signal: AbortSignal | undefined;
}

async function* writeWithFallback(input: WriteInput): AsyncGenerator<AnswerEvent> {
  const { findings, model, settings, counter, shares, history, done, signal } = input;
  const fallBack = (failure: AnswerFallback): AnswerEvent[] => [
    { type: 'reset', reason: failure.detail },
    done(answerFromSentences(findings, failure)),
  ];
  try {
    const writing = writeAnswer({ findings, model, history, settings, counter, shares, signal });
    let next = await writing.next();
    while (next.done !== true) {
      yield { type: 'text', text: next.value };
      next = await writing.next();
    }
    const meaning = await input.meaning?.();
    const answer = await answerFromChat(findings, next.value, {
      unsupported: settings.unsupported,
      ...(meaning === undefined ? {} : { meaning }),
      ...(settings.modelCheckTimeoutMs === undefined
        ? {}
        : { checker: { model, timeoutMs: settings.modelCheckTimeoutMs, signal } }),
    });
    // What was shown of it is taken back where nothing of it is left.
    if (answer.fallback !== undefined) yield { type: 'reset', reason: answer.fallback.detail };
    yield done(answer);
  } catch (error) {
    throwIfAborted(signal);
    yield* fallBack(fallbackOf(error));
  }
}
