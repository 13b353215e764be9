import { type ChatEvent, type ChatMessage, type ChatModel, lateAnswer } from '../core/chat-model.js';
import { RAGError, throwIfAborted, toRAGError } from '../core/errors.js';
import { type Notice, noticesOfKind } from '../core/notice.js';
import { eventsWithDeadline } from '../core/with-deadline.js';
import type { AnswerModelReport } from './answer.js';

/** A longer answer is cut: nobody reads it, and each sentence is checked. UTF-16 code units. */
export const MAX_ANSWER_LENGTH = 32_000;

export interface ChatCall {
  readonly model: ChatModel;
  readonly messages: readonly ChatMessage[];
  readonly maxOutputTokens: number;
  /** Name and version of the prompt. */
  readonly prompt: string;
  /** Longest time for the whole answer, whatever the model does. Milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface ChatOutcome {
  readonly text: string;
  /** Text is missing at the end. */
  readonly isPartial: boolean;
  readonly model: AnswerModelReport;
  readonly notices: readonly Notice[];
}

/**
 * Streams a model's answer. Returns what came, marked where it is not complete; throws only where nothing came.
 *
 * @throws RAGError `CHAT_*`, `ABORTED`.
 */
export async function* streamChat(call: ChatCall): AsyncGenerator<string, ChatOutcome> {
  const { model, messages, maxOutputTokens, timeoutMs, signal } = call;
  const controller = new AbortController();
  const own = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);
  const events = eventsWithDeadline(
    { timeoutMs, signal: own, lateError: () => lateAnswer(timeoutMs) },
    model.stream({ messages, maxOutputTokens, signal: own }),
  );
  const spoken = withoutThoughts();
  let text = '';
  let end: Extract<ChatEvent, { type: 'finish' }> = {
    type: 'finish',
    reason: 'interrupted',
    detail: 'the stream ended early',
  };
  try {
    for await (const event of events) {
      if (event.type === 'finish') {
        end = event;
        break;
      }
      const piece = spoken(event.text).slice(0, MAX_ANSWER_LENGTH - text.length);
      if (piece === '') continue;
      text += piece;
      yield piece;
      if (text.length >= MAX_ANSWER_LENGTH) {
        end = { type: 'finish', reason: 'length', detail: `cut after ${MAX_ANSWER_LENGTH} characters` };
        break;
      }
    }
  } catch (error) {
    throwIfAborted(signal);
    const failure = toRAGError(error, 'CHAT_UNAVAILABLE', 'The language model failed.');
    controller.abort(failure);
    if (text === '') throw failure;
    end = { type: 'finish', reason: 'interrupted', detail: failure.message };
  } finally {
    controller.abort();
  }
  return outcomeOf(call, text, end);
}

const OPENING = /^\s*<think(?:ing)?>/i;
const CLOSING = /<\/think(?:ing)?>\s*/i;
const LONGEST_TAG = 12;
const mayOpen = (text: string): boolean =>
  ['<think>', '<thinking>'].some((tag) => tag.startsWith(text.trimStart().toLowerCase()));

/** Takes the pieces of an answer in order: what a model that reasons thinks aloud before it (`<think>`) is no part of it. */
function withoutThoughts(): (piece: string) => string {
  let held: string | undefined = '';
  let isThinking = false;
  const tell = (): string => {
    const told = held ?? '';
    held = undefined;
    return told;
  };
  return (piece) => {
    if (held === undefined) return piece;
    held += piece;
    isThinking ||= OPENING.test(held);
    if (!isThinking) return mayOpen(held) ? '' : tell();
    const closing = CLOSING.exec(held);
    held = closing === null ? held.slice(-LONGEST_TAG) : held.slice(closing.index + closing[0].length);
    return closing === null ? '' : tell();
  };
}

function outcomeOf(
  { model, prompt }: ChatCall,
  text: string,
  { reason, usage, detail, notices = [] }: Omit<Extract<ChatEvent, { type: 'finish' }>, 'type'>,
): ChatOutcome {
  if (text.trim() === '')
    throw new RAGError(
      'CHAT_OUTPUT_INVALID',
      `The language model ${model.id} answered with nothing (${detail ?? reason}).`,
      {
        details: { model: model.id, finishReason: reason },
      },
    );
  const why = detail === undefined ? '' : `: ${detail}`;
  return {
    text,
    isPartial: reason !== 'stop',
    model: { id: model.id, finishReason: reason, prompt, ...(usage === undefined ? {} : { usage }) },
    notices: [
      ...noticesOfKind('of-a-part', notices),
      ...noticesOfKind(
        'answer-incomplete',
        reason === 'stop' ? [] : [`The model's answer is not complete (${reason}${why}).`],
      ),
    ],
  };
}
