import * as z from 'zod';
import { type TokenCounter, tokensOf } from '../context/token-counter.js';
import { type ChatMessage, type ChatModel, lateAnswer } from '../core/chat-model.js';
import { throwIfAborted, toRAGError } from '../core/errors.js';
import { withDeadline } from '../core/with-deadline.js';
import { unknownPrice } from './affordable-model.js';
import type { LimitCounter } from './agentic/agent.js';
import type { AnswerFallback, AnswerMode, ConversationTurn } from './answer.js';
import { isFollowUp, rewriteByRules, type StandaloneQuestion, unchangedQuestion } from './follow-up.js';
import { TURN_OVERHEAD } from './history.js';
import { renderPrompt } from './prompts/prompt.js';
import { REWRITE_PROMPT } from './prompts/rewrite-prompt.js';

export interface UnderstandInput {
  readonly question: string;
  readonly history: readonly ConversationTurn[];
  readonly mode: AnswerMode;
  readonly model: ChatModel | undefined;
  /** How long the model may take. */
  readonly timeoutMs: number;
  /** What the answer may take; absent: nothing is limited. */
  readonly limits?: LimitCounter | undefined;
  /** The tokenizer to count with; asked where there are limits. */
  readonly counter: () => Promise<TokenCounter>;
  readonly signal: AbortSignal | undefined;
}

const rewritten = z.object({ query: z.string().trim().min(1).max(2_000) });

/** Turns of the conversation that a rewriting looks at, and characters of each. */
const TURNS = 6;
const TURN_LENGTH = 1_000;
const MAX_OUTPUT_TOKENS = 200;

/** A question that can be searched for, and why no model wrote it where one was asked to. */
export interface UnderstoodQuestion {
  readonly standalone: StandaloneQuestion;
  readonly failure?: AnswerFallback;
}

/** The question as it can be searched for. A model is asked only for a follow-up; where it fails the rules stand. */
export async function understandQuestion(input: UnderstandInput): Promise<UnderstoodQuestion> {
  const { question, history, mode, model, signal } = input;
  if (mode === 'naive' || history.length === 0) return { standalone: unchangedQuestion(question) };
  const byRules = rewriteByRules(question, history);
  if (model === undefined || !isFollowUp(question)) return { standalone: byRules };
  const messages = messagesFor(question, history);
  const over = await overLimits(messages, model, input);
  if (over !== undefined) return { standalone: byRules, failure: over };
  const timeoutMs = timeFor(input);
  try {
    const { value } = await withDeadline(
      { timeoutMs, signal, lateError: () => lateAnswer(timeoutMs) },
      (own) => model.generateObject({ messages, maxOutputTokens: MAX_OUTPUT_TOKENS, signal: own }, rewritten),
    );
    const { query } = value;
    return {
      standalone: { text: query, query, asked: question, isRewritten: query !== question, by: 'model' },
    };
  } catch (error) {
    throwIfAborted(signal);
    const { reason, message } = toRAGError(error, 'CHAT_UNAVAILABLE', 'The language model failed.');
    return { standalone: byRules, failure: { reason, detail: message } };
  }
}

/** Of the time that is left, so that enough remains to search and to answer. */
const TIME_SHARE = 1 / 4;

const timeFor = ({ timeoutMs, limits }: UnderstandInput): number =>
  limits === undefined ? timeoutMs : Math.max(1, Math.min(timeoutMs, Math.floor(limits.msLeft * TIME_SHARE)));

/** Why the model may not be asked; where it may, the call is counted. */
async function overLimits(
  messages: readonly ChatMessage[],
  model: ChatModel,
  { limits, counter: open }: UnderstandInput,
): Promise<AnswerFallback | undefined> {
  if (limits === undefined) return undefined;
  const counter = await open();
  const inputTokens = messages.reduce(
    (sum, { content }) => sum + tokensOf(counter, content) + TURN_OVERHEAD,
    0,
  );
  const call = {
    tokens: inputTokens + MAX_OUTPUT_TOKENS,
    cost: model.priceOf?.({ inputTokens, outputTokens: MAX_OUTPUT_TOKENS }),
  };
  const unpriced = unknownPrice(model, call.cost, limits.costLeft);
  if (unpriced !== undefined) return unpriced;
  const over = limits.callForbidden(call);
  if (over === undefined) {
    limits.countCall(call);
    return undefined;
  }
  return {
    reason: 'AGENT_LIMIT',
    detail: `The limits of the answer (${over}) leave no room for the language model to read the follow-up.`,
  };
}

const messagesFor = (question: string, history: readonly ConversationTurn[]): ChatMessage[] => [
  { role: 'system', content: REWRITE_PROMPT.system },
  { role: 'user', content: renderPrompt(REWRITE_PROMPT.user, { history: transcript(history), question }) },
];

const transcript = (history: readonly ConversationTurn[]): string =>
  history
    .slice(-TURNS)
    .map(({ role, content }) => `${role === 'user' ? 'User' : 'Assistant'}: ${content.slice(0, TURN_LENGTH)}`)
    .join('\n');
