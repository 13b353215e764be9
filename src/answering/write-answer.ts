import { type TokenCounter, tokensOf } from '../context/token-counter.js';
import { allocateWindow, type WindowShares } from '../context/window-budget.js';
import type { ChatMessage, ChatModel } from '../core/chat-model.js';
import { RAGError } from '../core/errors.js';
import { type Notice, noticesOfKind } from '../core/notice.js';
import type { ConversationTurn } from './answer.js';
import type { AnswerSettings } from './answer-request.js';
import { type ChatOutcome, streamChat } from './chat-answer.js';
import type { Findings } from './compose-answer.js';
import { TURN_OVERHEAD, trimHistory } from './history.js';
import { ANSWER_PROMPT } from './prompts/answer-prompt.js';
import { promptId, renderPrompt } from './prompts/prompt.js';

export interface WriteAnswerInput {
  readonly findings: Findings;
  readonly model: ChatModel;
  readonly history: readonly ConversationTurn[];
  readonly settings: AnswerSettings;
  readonly counter: TokenCounter;
  /** @default those of `WINDOW_SHARES` */
  readonly shares?: WindowShares | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Streams a model's answer from the context. The prompt fits the model's window: instructions give way first (a short form),
 * then the oldest turns of the conversation; the context was packed to its own share.
 *
 * @throws RAGError `CHAT_*`, `ABORTED`; `QUERY_INVALID` where the question alone is too long for the model.
 */
export async function* writeAnswer(input: WriteAnswerInput): AsyncGenerator<string, ChatOutcome> {
  const { findings, model, settings, signal } = input;
  const { messages, responseTokens, notices } = promptFor(input);
  const outcome = yield* streamChat({
    model,
    messages,
    maxOutputTokens: Math.min(settings.maxOutputTokens, responseTokens),
    prompt: settings.instructions === undefined ? promptId(ANSWER_PROMPT) : 'custom',
    timeoutMs: settings.chatTimeoutMs,
    ...(signal === undefined ? {} : { signal }),
  });
  return { ...outcome, notices: [...notices, ...findings.notices, ...outcome.notices] };
}

function promptFor({ findings, model, history, settings, counter, shares }: WriteAnswerInput): {
  messages: readonly ChatMessage[];
  responseTokens: number;
  notices: readonly Notice[];
} {
  const count = (text: string): number => tokensOf(counter, text) + TURN_OVERHEAD;
  const { pack, request } = findings;
  const user = renderPrompt(ANSWER_PROMPT.user, { context: pack.text, question: request.question });
  const system = settings.instructions ?? ANSWER_PROMPT.system;
  const context = count(pack.text);
  const shortest = Math.min(count(system), count(ANSWER_PROMPT.shortSystem));
  const grants = allocateWindow(model.contextWindow, {
    needs: {
      system: count(system),
      context,
      history: history.reduce((sum, { content }) => sum + count(content), 0),
      query: Math.max(0, count(user) - context),
    },
    floors: { query: Math.max(0, count(user) - context), context, system: shortest },
    shares,
  });
  const trimmed = trimHistory(history, {
    budget: grants.history,
    tokensOf: (text) => tokensOf(counter, text),
  });
  const instructions = grants.system >= count(system) ? system : ANSWER_PROMPT.shortSystem;
  return {
    messages: [{ role: 'system', content: instructions }, ...trimmed.turns, { role: 'user', content: user }],
    responseTokens: responseRoom(
      model,
      [instructions, user, ...trimmed.turns.map(({ content }) => content)],
      count,
    ),
    notices: noticesOfKind('prompt-cut', [
      ...(trimmed.dropped > 0 ? [`${trimmed.dropped} earlier turns did not fit and were left out.`] : []),
      ...(instructions === system
        ? []
        : ['The short form of the instructions was used: the window is small.']),
    ]),
  };
}

function responseRoom(model: ChatModel, texts: readonly string[], count: (text: string) => number): number {
  const room = model.contextWindow - texts.reduce((sum, text) => sum + count(text), 0);
  if (room >= 1) return room;
  throw new RAGError('QUERY_INVALID', `The prompt leaves the model ${model.id} no room for an answer.`);
}
