import { type ErrorReason, RAGError, throwIfAborted } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import {
  CallDeadlineError,
  type CallFailureKind,
  describeFailure,
} from '../../platform/providers/call-failure.js';
import { CallLimiter, type CallLimits } from '../../platform/providers/call-limiter.js';
import { estimateTokens } from '../../platform/providers/estimate-tokens.js';
import type { ProviderConnection } from '../../platform/providers/provider-connection.js';
import { factsOf, isOwnServer, type ProviderName } from '../../platform/providers/provider-table.js';

import { remedyFor } from '../../platform/providers/remedy.js';
import { refuseVectors } from '../embed-all.js';
import type {
  Embedder,
  EmbeddingEstimate,
  EmbeddingKind,
  EmbeddingUsage,
  ModelIdentity,
} from '../embedder.js';
import type { EmbeddingApi } from './embedding-api.js';
import { batchLimitsOf, embeddingFactsOf } from './embedding-facts.js';
import { openEmbeddingApi } from './open-embedding-api.js';

export interface HostedEmbedderOptions {
  readonly connection: ProviderConnection;
  /** As the provider names it; for Azure the deployment. */
  readonly model: string;
  /** Vector length that is asked for. @default the model's own: known for usual models, else asked with one word */
  readonly dimensions?: number;
  /** Put before a query. @default what is known of the model, else nothing */
  readonly queryPrefix?: string;
  /** Put before a document. @default what is known of the model, else nothing */
  readonly documentPrefix?: string;
  /** @default what is known of the model, else 8192 */
  readonly maxInputTokens?: number;
  /** Texts in one call, capped by what the provider takes. @default what the provider takes */
  readonly batchSize?: number;
  /** Longest time of one call, in milliseconds. @default 30,000 */
  readonly timeoutMs?: number;
  /** US dollars for a million tokens. @default its list price where that is known, 0 for a server of one's own, else unknown */
  readonly price?: number;
  readonly limits?: CallLimits;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_INPUT_TOKENS = 8192;
const RETRY = { retries: 5, firstDelayMs: 1000 } as const;
const MILLION = 1_000_000;

/**
 * Opens a hosted embedding model, or one behind an OpenAI-compatible server. Nothing is sent, except one word where the
 * length of its vectors is neither known nor stated.
 *
 * @throws RAGError `PACKAGE_MISSING`; `CONFIG_INVALID` for a spend limit without a known price; `EMBEDDING_FAILED` and
 * `EMBEDDING_REJECTED` where the one word is refused.
 */
export async function createHostedEmbedder(options: HostedEmbedderOptions): Promise<Embedder> {
  const { connection, model } = options;
  const facts = embeddingFactsOf(model);
  const price = options.price ?? (isOwnServer(connection.provider) ? 0 : facts.price);
  if (options.limits?.maxCost !== undefined && price === undefined)
    throw new RAGError(
      'CONFIG_INVALID',
      `rag.embedding.limits.maxCost needs a price, and that of ${connection.provider}:${model} is not known. Set rag.embedding.price.`,
      { details: { key: 'rag.embedding.price' } },
    );
  const asked = facts.canShorten === true || facts.dimensions === undefined ? options.dimensions : undefined;
  const api = await openEmbeddingApi(connection, model, asked);
  const settings = { ...options, ...withoutUndefined({ price }), api };
  const dimensions = asked ?? facts.dimensions;
  if (dimensions !== undefined) return new HostedEmbedder({ ...settings, dimensions });
  const probe = new HostedEmbedder({ ...settings, dimensions: 0 });
  const [vector] = await probe.doEmbed(['dimensions'], 'query');
  return new HostedEmbedder({ ...settings, dimensions: vector?.length ?? 0 });
}

type Settings = HostedEmbedderOptions & { readonly api: EmbeddingApi; readonly dimensions: number };

class HostedEmbedder implements Embedder {
  readonly identity: ModelIdentity;
  readonly dimensions: number;
  readonly maxInputTokens: number;
  readonly maxBatch: number;
  readonly maxBatchTokens: number;
  readonly isCheap = false;
  readonly retry = RETRY;
  readonly #settings: Settings;
  readonly #limiter: CallLimiter;
  readonly #closed = new AbortController();
  #tools: Promise<TokenTools> | undefined;
  #tokens = 0;

  constructor(settings: Settings) {
    const { connection, model, api, dimensions, batchSize = Number.POSITIVE_INFINITY } = settings;
    const facts = embeddingFactsOf(model);
    const batch = batchLimitsOf(connection.provider);
    this.#settings = settings;
    this.#limiter = new CallLimiter(settings.limits);
    this.dimensions = dimensions;
    this.maxInputTokens = settings.maxInputTokens ?? facts.maxInputTokens ?? DEFAULT_MAX_INPUT_TOKENS;
    this.maxBatch = Math.min(batch.maxBatch, batchSize);
    this.maxBatchTokens = batch.maxBatchTokens;
    this.identity = {
      model: `${connection.provider}:${model}`,
      // A provider does not say which weights answer.
      revision: 'hosted',
      dimensions,
      pooling: api.inputTypes === '' ? 'hosted' : `hosted, ${api.inputTypes} by query and document`,
      normalised: true,
      queryPrefix: settings.queryPrefix ?? facts.queryPrefix ?? '',
      documentPrefix: settings.documentPrefix ?? facts.documentPrefix ?? '',
      maxInputTokens: this.maxInputTokens,
    };
  }

  /** By length, on the high side: the tokenizers of most hosted models are not public. */
  countTokens(text: string): number {
    return estimateTokens(text);
  }

  async doEmbed(
    texts: readonly string[],
    kind: EmbeddingKind,
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    const prefix = kind === 'query' ? this.identity.queryPrefix : this.identity.documentPrefix;
    const filled = texts.flatMap((text, index) => (text.trim() === '' ? [] : [{ index, text }]));
    const vectors: Float32Array[] = texts.map(() => new Float32Array(this.dimensions));
    if (filled.length === 0) return vectors;
    const inputs = await Promise.all(filled.map(({ text }) => this.#fit(prefix + text)));
    const found = await this.#call(inputs, kind, signal);
    const directions = found.map((values) => this.#unitLength(values));
    if (directions.length !== inputs.length) return directions;
    for (const [i, { index }] of filled.entries()) vectors[index] = directions[i] ?? new Float32Array(0);
    return vectors;
  }

  /** Providers that shorten vectors leave them at any length. None has a text without a direction: no question would find it. */
  #unitLength(values: readonly number[]): Float32Array {
    const norm = Math.hypot(...values);
    const { model } = this.identity;
    if (norm === 0) refuseVectors(model, 'a vector that is all zero for a text that is not blank');
    if (!Number.isFinite(norm)) refuseVectors(model, 'a vector that holds a number that is not finite');
    return Float32Array.from(values, (value) => value / norm);
  }

  async estimate(texts: readonly string[]): Promise<EmbeddingEstimate> {
    const { isExact, count } = await this.#tokenTools();
    const { documentPrefix } = this.identity;
    let tokens = 0;
    for (const text of texts) tokens += Math.min(this.maxInputTokens, count(documentPrefix + text));
    return { texts: texts.length, tokens, isExact, ...this.#costOf(tokens) };
  }

  usage(): EmbeddingUsage {
    return { tokens: this.#tokens, ...this.#costOf(this.#tokens) };
  }

  async close(): Promise<void> {
    this.#closed.abort(new RAGError('ABORTED', 'The embedding model was closed.'));
  }

  #costOf(tokens: number): { readonly cost?: number } {
    const { price } = this.#settings;
    return price === undefined ? {} : { cost: (tokens * price) / MILLION };
  }

  #tokenTools(): Promise<TokenTools> {
    this.#tools ??= tokenToolsFor(this.#settings.connection.provider);
    return this.#tools;
  }

  /** Providers that cut by themselves are left to it; OpenAI refuses a text that is too long, and its whole batch. */
  async #fit(text: string): Promise<string> {
    const { provider } = this.#settings.connection;
    if (provider === 'cohere' || provider === 'voyage' || provider === 'huggingface') return text;
    if (estimateTokens(text) <= this.maxInputTokens) return text;
    const { isExact, count, cut } = await this.#tokenTools();
    return isExact && count(text) <= this.maxInputTokens ? text : cut(text, this.maxInputTokens);
  }

  async #call(
    inputs: readonly string[],
    kind: EmbeddingKind,
    signal: AbortSignal | undefined,
  ): Promise<readonly (readonly number[])[]> {
    const { api, connection, model, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#settings;
    const estimated = inputs.reduce((sum, text) => sum + estimateTokens(text), 0);
    const caller =
      signal === undefined ? this.#closed.signal : AbortSignal.any([signal, this.#closed.signal]);
    const settle = await this.#limiter.admit({ tokens: estimated, ...this.#costOf(estimated) }, caller);
    const late = new AbortController();
    const forget = runtime().setTimer(
      () => late.abort(new CallDeadlineError(`no answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    try {
      const { vectors, tokens = estimated } = await api.embed(
        inputs,
        kind,
        AbortSignal.any([caller, late.signal]),
      );
      this.#tokens += tokens;
      settle(this.#costOf(tokens).cost ?? 0);
      return vectors;
    } catch (error) {
      settle(0);
      throwIfAborted(caller);
      throw toEmbeddingError(late.signal.aborted ? late.signal.reason : error, connection, model);
    } finally {
      forget();
    }
  }
}

const REASONS: Readonly<Record<CallFailureKind, ErrorReason>> = {
  rejected: 'EMBEDDING_REJECTED',
  busy: 'EMBEDDING_FAILED',
  unavailable: 'EMBEDDING_FAILED',
  late: 'EMBEDDING_FAILED',
  cancelled: 'ABORTED',
  // Asking again would bring the same.
  unreadable: 'EMBEDDING_REJECTED',
};

const PROBLEMS: Readonly<Record<CallFailureKind, string>> = {
  rejected: 'refused to embed',
  busy: 'has no capacity to embed',
  unavailable: 'cannot be reached or failed',
  late: 'did not answer in time',
  cancelled: 'was not waited for: the operation was cancelled',
  unreadable: 'sent an answer that is not in its format',
};

/** Whatever a provider's package threw, as the error that leaves an embedder. No text of a document is in it. */
function toEmbeddingError(error: unknown, connection: ProviderConnection, model: string): RAGError {
  if (RAGError.isInstance(error)) return error;
  const failure = describeFailure(error, connection.apiKey === undefined ? [] : [connection.apiKey]);
  const { kind, status, retryAfterMs, detail } = failure;
  const id = `${connection.provider}:${model}`;
  const said = status === undefined ? detail : `${status}: ${detail}`;
  const tooLong = kind === 'rejected' && /token|context length|too long/i.test(detail);
  const remedy = tooLong
    ? ' State how much the model reads: rag.embedding.maxInputTokens.'
    : remedyFor(failure, connection);
  return new RAGError(
    REASONS[kind],
    `${factsOf(connection.provider).label} ${PROBLEMS[kind]} (${id}; ${said}).${remedy}`,
    {
      details: {
        model: id,
        ...withoutUndefined({ status, retryAfterMs }),
      },
    },
  );
}

/** Counts and cuts texts in a model's own tokens. */
interface TokenTools {
  readonly isExact: boolean;
  count(text: string): number;
  /** The longest beginning of a text that holds at most so many tokens. */
  cut(text: string, maxTokens: number): string;
}

// Without a tokenizer: hexadecimal and base64 come to about two bytes a token, and a text that is refused for its length
// would fail its whole batch.
const CUT_BYTES_PER_TOKEN = 2;

const BY_LENGTH: TokenTools = {
  isExact: false,
  count: estimateTokens,
  cut: (text, maxTokens) => {
    const bytes = Buffer.from(text).subarray(0, maxTokens * CUT_BYTES_PER_TOKEN);
    // A character that the cut fell into is dropped.
    return new TextDecoder().decode(bytes, { stream: true });
  },
};

/**
 * Token tools of a provider's embedding models: OpenAI's own encoding (cl100k_base) where the optional package
 * `gpt-tokenizer` is installed, else by length.
 */
async function tokenToolsFor(provider: ProviderName): Promise<TokenTools> {
  if (provider !== 'openai' && provider !== 'azure') return BY_LENGTH;
  try {
    const { encode, decode } = await import('gpt-tokenizer/encoding/cl100k_base');
    // Words such as `<|endoftext|>` in a document are text, not commands.
    const tokensOf = (text: string): number[] => encode(text, { disallowedSpecial: new Set() });
    return {
      isExact: true,
      count: (text) => tokensOf(text).length,
      cut: (text, maxTokens) => decode(tokensOf(text).slice(0, maxTokens)).replace(/\uFFFD+$/, ''),
    };
  } catch {
    // Optional by design: estimates say that they are estimates.
    return BY_LENGTH;
  }
}
