import * as z from 'zod';
import type { ChatEvent, ChatModel, ChatRequest, ChatUsage } from '../../core/chat-model.js';
import { RAGError } from '../../core/errors.js';
import { retry } from '../../core/retry.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import { CallLimiter, type CallLimits } from '../../platform/providers/call-limiter.js';
import { estimateTokens } from '../../platform/providers/estimate-tokens.js';
import { CallClock, orAborted } from './call-clock.js';
import { type CalledModel, toChatError } from './chat-error.js';
import type { CacheShares, ChatPrice } from './chat-facts.js';
import type { LanguageModel } from './language-model.js';
import { type AnswerPart, type CountedTokens, readParts, tokensOf } from './read-parts.js';

export interface HostedChatModelOptions {
  readonly model: CalledModel;
  readonly languageModel: LanguageModel;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly temperature: number;
  /** How often a call is repeated that found no capacity or no connection, as long as no text has come. */
  readonly maxRetries: number;
  /** Longest silence before the first token and between two, in milliseconds. */
  readonly firstTokenTimeoutMs: number;
  /** Longest time of one answer with its retries, in milliseconds. */
  readonly timeoutMs: number;
  readonly price?: ChatPrice | undefined;
  /** What kept input costs. */
  readonly cacheShares: CacheShares;
  readonly limits?: CallLimits | undefined;
  /** Waits between retries. @default a timer */
  readonly delay?: ((milliseconds: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

type CallOptions = Parameters<LanguageModel['doStream']>[0];

/** No tokenizer makes tokens as long as this on average; a server that sends more does not count them. */
const MAX_CHARACTERS_PER_TOKEN = 16;
const FIRST_RETRY_DELAY_MS = 500;
const MILLION = 1_000_000;

/** A `ChatModel` over a model of the AI SDK: retries, deadlines, limits, usage and cost are added here, once for all providers. */
export class HostedChatModel implements ChatModel {
  readonly id: string;
  readonly contextWindow: number;
  readonly #options: HostedChatModelOptions;
  readonly #limiter: CallLimiter;
  readonly #closed = new AbortController();

  constructor(options: HostedChatModelOptions) {
    this.id = options.model.id;
    this.contextWindow = options.contextWindow;
    this.#options = options;
    this.#limiter = new CallLimiter(options.limits);
  }

  async *stream(request: ChatRequest): AsyncGenerator<ChatEvent> {
    const admit = await this.#admission(request);
    const clock = this.#clockFor(request);
    try {
      const call = await this.#withRetries(clock, async () => this.#open(request, await admit(clock), clock));
      yield* this.#eventsOf(call, request);
    } finally {
      clock.stop();
    }
  }

  async generateObject<T>(
    request: ChatRequest,
    schema: z.ZodType<T>,
  ): Promise<{ readonly value: T; readonly usage?: ChatUsage }> {
    const admit = await this.#admission(request);
    const clock = this.#clockFor(request);
    const options: CallOptions = {
      ...this.#callOptions(request),
      responseFormat: { type: 'json', schema: jsonSchemaOf(schema) },
      abortSignal: clock.signal,
    };
    try {
      return await this.#withRetries(clock, async () => {
        const settle = await admit(clock);
        const result = await orAborted(this.#options.languageModel.doGenerate(options), clock.signal).catch(
          (error: unknown) => {
            settle(0);
            throw error;
          },
        );
        const usage = this.#usageOf(tokensOf(result.usage));
        if (usage?.cost !== undefined) settle(usage.cost);
        const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
        const value = parseObject(text, schema, {
          model: this.id,
          isCut: result.finishReason.unified === 'length',
        });
        return { value, ...withoutUndefined({ usage }) };
      });
    } finally {
      clock.stop();
    }
  }

  priceOf(tokens: Omit<ChatUsage, 'cost'>): number | undefined {
    const { price } = this.#options;
    return price === undefined ? undefined : costOf(tokens, price);
  }

  async close(): Promise<void> {
    this.#closed.abort(new RAGError('ABORTED', 'The language model was closed.'));
  }

  #clockFor({ signal }: ChatRequest): CallClock {
    const signals = [this.#closed.signal, ...(signal === undefined ? [] : [signal])];
    return new CallClock({ totalMs: this.#options.timeoutMs, signal: AbortSignal.any(signals) });
  }

  /** Tries again while there is no capacity or connection; what is late or refused is not asked again. */
  async #withRetries<T>(clock: CallClock, work: () => Promise<T>): Promise<T> {
    const { model, maxRetries, delay } = this.#options;
    let tries = 0;
    try {
      return await retry(
        () => {
          tries++;
          return work().catch((error: unknown) => {
            throw toChatError(clock.lateness ?? error, model);
          });
        },
        {
          retries: maxRetries,
          firstDelayMs: FIRST_RETRY_DELAY_MS,
          maxDelayMs: clock.remainingMs,
          isWorthRetrying: (error) => RAGError.isInstance(error) && error.reason === 'CHAT_UNAVAILABLE',
          signal: clock.signal,
          ...withoutUndefined({ delay }),
        },
      );
    } catch (error) {
      // The clock's own signal looks like a cancellation by the caller.
      const failure = toChatError(clock.lateness ?? error, model);
      throw tries > 1 ? withTries(failure, tries) : failure;
    }
  }

  /**
   * Waits for the turn of a request's first try, before its clock starts: a wait for limits of our own is no fault of the
   * provider's. Later tries wait on the clock.
   */
  async #admission(request: ChatRequest): Promise<(clock: CallClock) => Promise<Settle>> {
    const signals = [this.#closed.signal, ...(request.signal === undefined ? [] : [request.signal])];
    let first: Settle | undefined = await this.#admit(request, AbortSignal.any(signals));
    return async ({ signal }) => {
      const settle = first ?? (await this.#admit(request, signal));
      first = undefined;
      return settle;
    };
  }

  async #admit(request: ChatRequest, signal: AbortSignal): Promise<Settle> {
    const { price, maxOutputTokens } = this.#options;
    const inputTokens = request.messages.reduce((sum, { content }) => sum + estimateTokens(content), 0);
    const outputTokens = request.maxOutputTokens ?? maxOutputTokens;
    const cost = price === undefined ? {} : { cost: costOf({ inputTokens, outputTokens }, price) };
    return this.#limiter.admit({ tokens: inputTokens + outputTokens, ...cost }, signal);
  }

  /** Resolves when the first text has come, or the end of an answer without any. */
  async #open(request: ChatRequest, settle: Settle, clock: CallClock): Promise<OpenCall> {
    const parts = readParts(this.#options.languageModel, this.#callOptions(request), {
      signal: clock.signal,
      silenceMs: this.#options.firstTokenTimeoutMs,
    });
    try {
      const first = await parts.next();
      return { first: first.value, parts, settle, clock };
    } catch (error) {
      settle(0);
      throw error;
    }
  }

  async *#eventsOf(
    { first, parts, settle, clock }: OpenCall,
    request: ChatRequest,
  ): AsyncGenerator<ChatEvent> {
    const maxCharacters =
      (request.maxOutputTokens ?? this.#options.maxOutputTokens) * MAX_CHARACTERS_PER_TOKEN;
    let characters = 0;
    try {
      for (let part: AnswerPart | undefined = first; part !== undefined; part = (await parts.next()).value) {
        if (part.type === 'end') {
          const usage = this.#usageOf(part.tokens);
          if (usage?.cost !== undefined) settle(usage.cost);
          yield {
            type: 'finish',
            reason: part.reason,
            ...withoutUndefined({ usage }),
            ...(part.notices.length === 0 ? {} : { notices: part.notices }),
          };
          return;
        }
        const room = maxCharacters - characters;
        characters += part.text.length;
        if (room > 0) yield { type: 'text', text: part.text.slice(0, room) };
        if (characters > maxCharacters) {
          yield { type: 'finish', reason: 'length', detail: OVERLONG };
          return;
        }
      }
    } catch (error) {
      yield { type: 'finish', reason: 'interrupted', detail: this.#interruption(error, clock) };
    } finally {
      await parts.return(undefined);
    }
  }

  #interruption(error: unknown, clock: CallClock): string {
    const { model } = this.#options;
    return toChatError(clock.lateness ?? error, model).message;
  }

  #callOptions({ messages, maxOutputTokens, temperature }: ChatRequest): CallOptions {
    return {
      prompt: messages.map(({ role, content, endsSharedBeginning = false }) => {
        if (role === 'system') return { role, content };
        const text = { type: 'text' as const, text: content };
        return {
          role,
          content: [endsSharedBeginning ? { ...text, providerOptions: KEPT_BY_PROVIDER } : text],
        };
      }),
      maxOutputTokens: maxOutputTokens ?? this.#options.maxOutputTokens,
      temperature: temperature ?? this.#options.temperature,
    };
  }

  #usageOf(counted: CountedTokens | undefined): ChatUsage | undefined {
    if (counted === undefined) return undefined;
    const { price, cacheShares: shares } = this.#options;
    const { inputTokens, outputTokens, cacheRead, cacheWrite } = counted;
    if (price === undefined) return { inputTokens, outputTokens };
    const billed = inputTokens + cacheRead * (shares.read - 1) + cacheWrite * (shares.write - 1);
    return { inputTokens, outputTokens, cost: costOf({ inputTokens: billed, outputTokens }, price) };
  }
}

/** Tells the limiter what a call really cost. */
type Settle = (cost: number) => void;

interface OpenCall {
  readonly first: AnswerPart | undefined;
  readonly parts: AsyncGenerator<AnswerPart>;
  readonly settle: Settle;
  readonly clock: CallClock;
}

/** Only Anthropic wants to be told (https://docs.claude.com/en/docs/build-with-claude/prompt-caching); the others see for themselves. */
const KEPT_BY_PROVIDER = { anthropic: { cacheControl: { type: 'ephemeral' } } };

const OVERLONG = 'The server sent more text than the tokens that were asked for can hold; it was cut.';

const costOf = ({ inputTokens, outputTokens }: Omit<ChatUsage, 'cost'>, price: ChatPrice): number =>
  (inputTokens * price.input + outputTokens * price.output) / MILLION;

const withTries = ({ reason, message, details }: RAGError, tries: number): RAGError =>
  new RAGError(reason, `${message} Tried ${tries} times.`, { details: { ...details, tries } });

type ResponseFormat = NonNullable<Parameters<LanguageModel['doGenerate']>[0]['responseFormat']>;
type JsonSchema = NonNullable<Extract<ResponseFormat, { type: 'json' }>['schema']>;

const FENCED = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/;

/** The schema as providers take it. */
const jsonSchemaOf = (schema: z.z.ZodType): JsonSchema =>
  // The two packages type draft 7 apart; what zod writes for this target is draft 7.
  z.toJSONSchema(schema, { target: 'draft-7' }) as JsonSchema;

/**
 * Reads a model's answer as an object that the schema accepts; a Markdown fence around it is taken off.
 * @throws RAGError `CHAT_OUTPUT_INVALID`, without the answer's text.
 */
function parseObject<T>(
  text: string,
  schema: z.z.ZodType<T>,
  { model, isCut }: { readonly model: string; readonly isCut: boolean },
): T {
  const problem = (what: string): RAGError =>
    new RAGError('CHAT_OUTPUT_INVALID', `${model} was asked for an object and ${what}.`, {
      details: { model },
    });
  let value: unknown;
  try {
    value = JSON.parse(FENCED.exec(text)?.[1] ?? text);
  } catch {
    throw problem(
      isCut
        ? 'was cut before its end; raise rag.chat.maxOutputTokens'
        : `gave ${text.trim() === '' ? 'nothing' : 'text that is not JSON'}; use a model with structured output`,
    );
  }
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const places = checked.error.issues
    .slice(0, 3)
    .map(({ path }) => (path.length === 0 ? 'it' : path.join('.')));
  throw problem(`gave another shape (wrong at ${places.join(', ')})`);
}
