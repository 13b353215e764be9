import { type TokenCounter, tokensOf } from '../context/token-counter.js';
import type { ChatModel } from '../core/chat-model.js';
import type { AnswerFallback, ConversationTurn } from './answer.js';
import type { AnswerSettings } from './answer-request.js';
import type { Findings } from './compose-answer.js';
import { TURN_OVERHEAD } from './history.js';
import { ANSWER_PROMPT } from './prompts/answer-prompt.js';

interface Writing {
  readonly model: ChatModel;
  readonly history: readonly ConversationTurn[];
  readonly settings: AnswerSettings;
  readonly counter: TokenCounter;
}

/**
 * Why a model may not write the answer: too little of the limits is left for it, or what it costs is not known and a question without steps
 * states a price. Undefined where it may.
 */
export function overLimits(
  { run, pack, request }: Findings,
  { model, history, settings, counter }: Writing,
): AnswerFallback | undefined {
  if (run === undefined) return undefined;
  const texts = [
    settings.instructions ?? ANSWER_PROMPT.system,
    ANSWER_PROMPT.user,
    pack.text,
    request.question,
    ...history.map(({ content }) => content),
  ];
  // A check of the answer reads the passages again, and writes no more than it.
  const calls = settings.modelCheckTimeoutMs === undefined ? 1 : 2;
  const read = texts.reduce((sum, text) => sum + tokensOf(counter, text) + TURN_OVERHEAD, 0);
  const inputTokens = calls * read;
  const outputTokens = calls * settings.maxOutputTokens;
  const cost = model.priceOf?.({ inputTokens, outputTokens });
  const { left, report } = run;
  const unpriced = report === undefined ? unknownPrice(model, cost, left.cost) : undefined;
  if (unpriced !== undefined) return unpriced;
  const over =
    left.ms() <= 0
      ? 'deadlineMs'
      : inputTokens + outputTokens > left.tokens
        ? 'maxTokens'
        : cost !== undefined && cost > left.cost
          ? 'maxCost'
          : undefined;
  if (over === undefined) return undefined;
  return {
    reason: 'AGENT_LIMIT',
    detail: `Too little of the limit \`${over}\` was left for the language model to write the answer.`,
  };
}

/** Why a model may not be asked whose price is not known, where a price is the limit. */
export function unknownPrice(
  model: ChatModel,
  cost: number | undefined,
  costLeft: number,
): AnswerFallback | undefined {
  if (model.priceOf === undefined || cost !== undefined || !Number.isFinite(costLeft)) return undefined;
  return {
    reason: 'AGENT_LIMIT',
    detail: `What the language model ${model.id} costs is not known, so that \`maxCost\` could not be kept. Set rag.chat.price, or leave the limit out.`,
  };
}

/** Nothing that a model does for the answer takes longer than the run has left. */
export function settingsWithin(settings: AnswerSettings, { run }: Findings): AnswerSettings {
  if (run === undefined) return settings;
  const ms = Math.max(1, Math.floor(run.left.ms()));
  const { chatTimeoutMs, modelCheckTimeoutMs } = settings;
  if (modelCheckTimeoutMs === undefined) return { ...settings, chatTimeoutMs: Math.min(chatTimeoutMs, ms) };
  const checkMs = Math.max(1, Math.min(modelCheckTimeoutMs, Math.floor(ms / 2)));
  return {
    ...settings,
    chatTimeoutMs: Math.max(1, Math.min(chatTimeoutMs, ms - checkMs)),
    modelCheckTimeoutMs: checkMs,
  };
}
