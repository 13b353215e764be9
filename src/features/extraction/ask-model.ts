import type * as z from 'zod';
import { type ChatMessage, type ChatModel, type ChatUsage, readAnswer } from '../../core/chat-model.js';
import { RAGError } from '../../core/errors.js';
import { parseJson } from '../../core/parse-json.js';
import { runtime } from '../../core/runtime.js';
import type { ExtractionStop } from '../../operations/extraction-types.js';
import { estimateTokens } from '../../platform/providers/estimate-tokens.js';
import type { CallBudget } from './call-budget.js';
import { repairPrompt } from './fact-prompt.js';

export interface Asking<Value> {
  readonly messages: readonly ChatMessage[];
  readonly schema: z.ZodType<Value>;
}

export interface AskedModel {
  readonly model: ChatModel;
  readonly budget: CallBudget;
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
}

/** What an answer holds, or what is wrong with it, in our words. */
type Reply<Value> = { readonly value: Value } | { readonly problem: string };

/** Reads the JSON object of an answer; what stands around it, such as a Markdown fence or a polite sentence, is passed over. */
function readReply<Value>(
  text: string,
  schema: z.ZodType<Value>,
  { isCut }: { readonly isCut: boolean },
): Reply<Value> {
  if (text.trim() === '') return { problem: 'it was empty' };
  const value = objectIn(text);
  if (value === undefined)
    return { problem: isCut ? 'it was too long and cut before its end' : 'it was no JSON' };
  const checked = schema.safeParse(value);
  if (checked.success) return { value: checked.data };
  const places = checked.error.issues
    .slice(0, 3)
    .map(({ path }) => (path.length === 0 ? 'the whole' : path.join('.')));
  return { problem: `it had another shape than the one asked for, at ${places.join(', ')}` };
}

function objectIn(text: string): unknown {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  return start === -1 || end < start ? undefined : parseJson(text.slice(start, end + 1));
}

/** What a model answered, or why it could not be asked. Tokens are those of the first call and of the repair. */
export type Asked<Value> =
  | { readonly stop: ExtractionStop }
  | {
      readonly reply: Reply<Value>;
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly ms: number;
    };

/**
 * Asks for an object, and once more where the answer is none. The object is asked for in words and read out of the text: so what an answer of
 * no use took is known and counted too.
 *
 * @throws RAGError `CHAT_*` of the model, `ABORTED`
 */
export async function askModel<Value>(
  { messages, schema }: Asking<Value>,
  asked: AskedModel,
): Promise<Asked<Value>> {
  const since = runtime().elapsed();
  const first = await call(messages, asked);
  if (typeof first === 'string') return { stop: first };
  const told = { inputTokens: first.usage.inputTokens, outputTokens: first.usage.outputTokens };
  const reply = readReply(first.text, schema, first);
  const ended = (last: Reply<Value>, usage = told): Asked<Value> => ({
    reply: last,
    ...usage,
    ms: Math.round(runtime().elapsed() - since),
  });
  if ('value' in reply) return ended(reply);
  const second = await call(repairPrompt(messages, reply.problem), asked);
  if (typeof second === 'string') return ended(reply);
  return ended(readReply(second.text, schema, second), {
    inputTokens: told.inputTokens + second.usage.inputTokens,
    outputTokens: told.outputTokens + second.usage.outputTokens,
  });
}

interface Called {
  readonly text: string;
  readonly isCut: boolean;
  readonly usage: ChatUsage;
}

async function call(
  messages: readonly ChatMessage[],
  { model, budget, maxOutputTokens, signal }: AskedModel,
): Promise<Called | ExtractionStop> {
  const inputTokens = promptTokens(messages);
  const settle = budget.reserve({ inputTokens, outputTokens: maxOutputTokens });
  if (typeof settle === 'string') return settle;
  let usage: ChatUsage = { inputTokens: 0, outputTokens: 0 };
  try {
    const answer = await readAnswer(model, { messages, maxOutputTokens, temperature: 0, signal });
    // A server that counts nothing is counted for.
    usage = answer.usage ?? { inputTokens, outputTokens: estimateTokens(answer.text) };
    signal.throwIfAborted();
    if (answer.reason === 'interrupted')
      throw new RAGError('CHAT_UNAVAILABLE', answer.detail ?? 'The answer of the language model broke off.');
    return { text: answer.text, isCut: answer.reason === 'length', usage };
  } finally {
    settle(usage);
  }
}

/** Beside its text a turn takes so many tokens. */
const TURN_TOKENS = 8;

/** Rather too many: a limit must hold. */
export const promptTokens = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, { content }) => sum + estimateTokens(content) + TURN_TOKENS, 0);
