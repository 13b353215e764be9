import * as z from 'zod';
import type { ContextEntry } from '../context/context-pack.js';
import { neutralise } from '../context/neutralise.js';
import { type ChatModel, lateAnswer } from '../core/chat-model.js';
import { throwIfAborted, toRAGError } from '../core/errors.js';
import type { Notice } from '../core/notice.js';
import { withDeadline } from '../core/with-deadline.js';
import type { SentenceSupport } from './answer.js';
import { renderPrompt } from './prompts/prompt.js';
import { SUPPORT_PROMPT } from './prompts/support-prompt.js';
import { evidenceText } from './verify-answer.js';

/** What a language model said of the sentences that passed the built-in check. */
export interface ModelSupportCheck {
  /** Positions in `support` of sentences that it says the sources do not say. */
  readonly refuted: ReadonlySet<number>;
  readonly notices: readonly Notice[];
}

export interface ModelSupportOptions {
  readonly model: ChatModel;
  /** Longest time for the check, in milliseconds; then the built-in check stands alone. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

const verdict = z.object({ not_said: z.array(z.number().int()).max(1_000) });

const MAX_OUTPUT_TOKENS = 300;

/**
 * Asks a language model for a second opinion on the sentences that the built-in check lets pass: one request for all of them.
 * It can only take away. A passage that talks the model into agreeing gains nothing, since what the built-in check refuses
 * stays refused. Where the model is late or fails, that is a notice, and the built-in check stands.
 *
 * @throws RAGError `ABORTED`.
 */
export async function checkWithModel(
  support: readonly SentenceSupport[],
  entries: readonly ContextEntry[],
  { model, timeoutMs, signal }: ModelSupportOptions,
): Promise<ModelSupportCheck> {
  const claims = support.flatMap(({ verdict: is }, index) => (is === 'supported' ? [index] : []));
  if (claims.length === 0) return { refuted: new Set(), notices: [] };
  try {
    const messages = messagesFor(support, claims, entries);
    const { value } = await withDeadline(
      { timeoutMs, signal, lateError: () => lateAnswer(timeoutMs) },
      (own) => model.generateObject({ messages, maxOutputTokens: MAX_OUTPUT_TOKENS, signal: own }, verdict),
    );
    // Sentences are numbered from 1; numbers that it makes up refer to nothing.
    const refuted = value.not_said.flatMap((number) => claims[number - 1] ?? []);
    return { refuted: new Set(refuted), notices: [] };
  } catch (error) {
    throwIfAborted(signal);
    const { message } = toRAGError(error, 'CHAT_UNAVAILABLE', 'The language model failed.');
    const text = `The model's check of the answer failed, and the check without it stands: ${message}`;
    return { refuted: new Set(), notices: [{ kind: 'support-check-failed', text }] };
  }
}

function messagesFor(
  support: readonly SentenceSupport[],
  claims: readonly number[],
  entries: readonly ContextEntry[],
) {
  const cited = new Set(claims.flatMap((index) => support[index]?.cites ?? []));
  const passages = entries
    .filter(({ n }) => cited.has(n))
    .map((entry) => `<passage n="${entry.n}">\n\n${neutralise(evidenceText(entry))}\n</passage>`);
  const sentences = claims.map((index, i) => {
    const { sentence = '', cites = [] } = support[index] ?? {};
    return `${i + 1}. (passages ${cites.join(', ')}) ${sentence}`;
  });
  const values = { passages: passages.join('\n\n'), sentences: sentences.join('\n') };
  return [
    { role: 'system', content: SUPPORT_PROMPT.system },
    { role: 'user', content: renderPrompt(SUPPORT_PROMPT.user, values) },
  ] as const;
}
