import type { ZodType } from 'zod';
import { RAGError } from './errors.js';

/** One turn. Retrieved text only ever travels inside a `user` turn, never as `system`. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** True for the last turn of a beginning that many requests share: providers that keep such beginnings bill them less. */
  readonly endsSharedBeginning?: boolean;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  /** Upper bound of the answer, in the model's tokens. @default the model's own setting (`rag.chat.maxOutputTokens`, 1024) */
  readonly maxOutputTokens?: number;
  /** In [0, 2]. @default 0: the same question gets the same answer, as far as the provider allows */
  readonly temperature?: number;
  readonly signal?: AbortSignal;
}

export interface ChatUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars by the configured price of the model; absent where no price is known. */
  readonly cost?: number;
}

/** `stop`: complete. `length`: cut at `maxOutputTokens`. `content-filter`: the provider withheld it. `interrupted`: the stream broke. */
export type ChatFinishReason = 'stop' | 'length' | 'content-filter' | 'interrupted';

export type ChatEvent =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'finish';
      readonly reason: ChatFinishReason;
      readonly usage?: ChatUsage;
      /** Why, for `interrupted` and for an answer that was cut though the model went on. */
      readonly detail?: string;
      /** What the provider did otherwise than asked, such as ignoring the temperature. */
      readonly notices?: readonly string[];
    };

/**
 * A language model that answers in text. Throws `RAGError` (`CHAT_*` reasons, `ABORTED`) before the first event; a
 * failure after text has arrived ends the stream with `finish: interrupted` instead, so that what came is kept and marked.
 */
export interface ChatModel {
  /** `provider:model`, as in `anthropic:claude-3-haiku-20240307`. */
  readonly id: string;
  /** Tokens of input and output together. */
  readonly contextWindow: number;
  /** Text as it comes, then exactly one `finish`; no text at all where the model says nothing. Leaving the loop ends the call. */
  stream(request: ChatRequest): AsyncIterable<ChatEvent>;
  /** An object that the schema accepts; the provider's structured output where it has one. Throws `CHAT_OUTPUT_INVALID`. */
  generateObject<T>(
    request: ChatRequest,
    schema: ZodType<T>,
  ): Promise<{ readonly value: T; readonly usage?: ChatUsage }>;
  /** US dollars for so many tokens at the full price; undefined where it is not known. Absent where a model has no price. */
  priceOf?(tokens: Omit<ChatUsage, 'cost'>): number | undefined;
  close(): Promise<void>;
}

/** The error of a model that takes longer than it may. */
export const lateAnswer = (timeoutMs: number): RAGError =>
  new RAGError('CHAT_TIMEOUT', `The language model gave no complete answer within ${timeoutMs} ms.`, {
    details: { timeoutMs },
  });

/** Said of a stream without a last event. */
export const ENDED_EARLY = 'The answer ended without its last event.';

/** A whole answer of a model. */
export interface ChatAnswer {
  readonly text: string;
  readonly reason: ChatFinishReason;
  readonly usage?: ChatUsage;
  readonly detail?: string;
}

/** Waits for all of an answer. Throws as `stream` does before the first event; an interrupted answer is returned as such. */
export async function readAnswer(model: ChatModel, request: ChatRequest): Promise<ChatAnswer> {
  let text = '';
  for await (const event of model.stream(request)) {
    if (event.type === 'text') text += event.text;
    else {
      const { reason, usage, detail } = event;
      return {
        text,
        reason,
        ...(usage === undefined ? {} : { usage }),
        ...(detail === undefined ? {} : { detail }),
      };
    }
  }
  return { text, reason: 'interrupted', detail: ENDED_EARLY };
}
