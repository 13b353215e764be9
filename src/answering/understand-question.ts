import * as z from 'zod';
import { throwIfAborted, toRAGError } from '../core/errors.js';
import { withDeadline } from '../core/with-deadline.js';
import type { AnswerFallback, AnswerMode, ConversationTurn } from './answer.js';
import { type ChatMessage, type ChatModel, lateAnswer } from './chat-model.js';
import { isFollowUp, rewriteByRules, type StandaloneQuestion, unchangedQuestion } from './follow-up.js';
import { renderPrompt } from './prompts/prompt.js';
import { REWRITE_PROMPT } from './prompts/rewrite-prompt.js';

export interface UnderstandInput {
  readonly question: string;
  readonly history: readonly ConversationTurn[];
  readonly mode: AnswerMode;
  readonly model: ChatModel | undefined;
  /** How long the model may take. */
  readonly timeoutMs: number;
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
  const { question, history, mode, model, timeoutMs, signal } = input;
  if (mode === 'naive' || history.length === 0) return { standalone: unchangedQuestion(question) };
  const byRules = rewriteByRules(question, history);
  if (model === undefined || !isFollowUp(question)) return { standalone: byRules };
  try {
    const { value } = await withDeadline(
      { timeoutMs, signal, lateError: () => lateAnswer(timeoutMs) },
      (own) =>
        model.generateObject(
          { messages: messagesFor(question, history), maxOutputTokens: MAX_OUTPUT_TOKENS, signal: own },
          rewritten,
        ),
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

const messagesFor = (question: string, history: readonly ConversationTurn[]): ChatMessage[] => [
  { role: 'system', content: REWRITE_PROMPT.system },
  { role: 'user', content: renderPrompt(REWRITE_PROMPT.user, { history: transcript(history), question }) },
];

const transcript = (history: readonly ConversationTurn[]): string =>
  history
    .slice(-TURNS)
    .map(({ role, content }) => `${role === 'user' ? 'User' : 'Assistant'}: ${content.slice(0, TURN_LENGTH)}`)
    .join('\n');
