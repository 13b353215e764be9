import { RAGError, throwIfAborted, toRAGError } from '../core/errors.js';
import { occurrencesOf } from '../core/occurrences.js';
import { retry } from '../core/retry.js';
import { type TelemetryPayloads, traced } from '../core/telemetry.js';
import { withoutUndefined } from '../core/without-undefined.js';
import type { Embedder, EmbeddingKind } from './embedder.js';
import { cacheKeyer, type EmbeddingCache } from './embedding-cache.js';

export interface EmbedAllOptions {
  readonly signal?: AbortSignal;
  /** Called after each batch with the number of texts that have a vector, of `texts.length`. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Vectors kept between runs; not asked for an embedder that `isCheap`. @default none */
  readonly cache?: EmbeddingCache | undefined;
  /** Whose texts these are: nobody else finds their vectors in the cache. @default that of the default tenant */
  readonly owner?: string | undefined;
  /** How often a batch is tried again after a retryable error. @default what suits the embedder, else 3 */
  readonly retries?: number;
  /** Waits between tries; rejects when the signal fires. @default a timer */
  readonly delay?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

export interface EmbedAllResult {
  /** One vector a text, in order; equal texts share one array. */
  readonly vectors: Float32Array[];
  /** The texts that the model embedded. */
  readonly computed: ReadonlySet<string>;
  /** Distinct texts that the cache held. */
  readonly cached: number;
  /** Texts longer than the model reads: what stands beyond its limit is not in their vectors. */
  readonly truncated: ReadonlySet<string>;
}

const DEFAULT_RETRIES = 3;
// What models put around a text: [CLS] and [SEP], <s> and </s>, an instruction token; generously.
const MAX_SPECIAL_TOKENS = 8;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII.
const ASCII = /^[\x00-\x7f]*$/;

/**
 * Embeds any number of texts: equal texts once, cached ones not at all, the rest in batches of similar length (padding
 * costs a model as much as text), with retries of retryable errors.
 * @throws RAGError `ABORTED` when the signal fires; `EMBEDDING_FAILED` when the model fails or its vectors are unusable.
 */
export async function embedAll(
  embedder: Embedder,
  texts: readonly string[],
  kind: EmbeddingKind,
  options: EmbedAllOptions = {},
): Promise<EmbedAllResult> {
  throwIfAborted(options.signal);
  const occurrences = occurrencesOf(texts);
  const known = new Map<string, Float32Array>();
  const cache = embedder.isCheap ? undefined : options.cache;
  const keyOf = cacheKeyer(embedder.identity, kind, options.owner);
  if (cache !== undefined) await readCache([...occurrences.keys()], { embedder, kind, cache, keyOf, known });
  const cached = known.size;

  const missing = [...occurrences.keys()].filter((text) => !known.has(text));
  if (!embedder.isCheap) missing.sort((a, b) => b.length - a.length);
  let done = sumOf(known.keys(), occurrences);
  for (const batch of batchesOf(missing, embedder, kind)) {
    const vectors = await embedBatch(embedder, batch, { kind, ...options });
    const entries = batch.flatMap((text, i) => {
      const vector = vectors[i];
      return vector === undefined ? [] : [[text, vector] as const];
    });
    for (const [text, vector] of entries) known.set(text, vector);
    await cache?.setMany(entries.map(([text, vector]) => [keyOf(text), vector] as const));
    done += sumOf(batch, occurrences);
    options.onProgress?.(done, texts.length);
  }
  return {
    vectors: texts.map((text) => vectorOf(known, text)),
    computed: new Set(missing),
    cached,
    truncated: truncatedTexts(embedder, [...occurrences.keys()], kind),
  };
}

function sumOf(texts: Iterable<string>, occurrences: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const text of texts) sum += occurrences.get(text) ?? 0;
  return sum;
}

interface CacheRead {
  readonly embedder: Embedder;
  readonly kind: EmbeddingKind;
  readonly cache: EmbeddingCache;
  readonly keyOf: (text: string) => string;
  readonly known: Map<string, Float32Array>;
}

async function readCache(
  texts: readonly string[],
  { embedder, kind, cache, keyOf, known }: CacheRead,
): Promise<void> {
  const payload: TelemetryPayloads['cache'] = {
    cache: kind === 'query' ? 'embedding' : 'document-embedding',
    keys: texts.length,
  };
  await traced('cache', payload, async () => {
    const vectors = await cache.getMany(texts.map(keyOf), embedder.dimensions);
    for (const [i, text] of texts.entries()) {
      const vector = vectors[i];
      // Earlier versions kept what a service gave without a direction; no text is found by it.
      if (vector?.some((value) => value !== 0)) known.set(text, vector);
    }
    payload.hits = known.size;
  });
}

/** Texts in the embedder's batches, by number and, where it says so, by tokens; a text that is too long for one goes alone. */
function* batchesOf(texts: readonly string[], embedder: Embedder, kind: EmbeddingKind): Generator<string[]> {
  const { maxBatch, maxBatchTokens, identity } = embedder;
  const prefix = kind === 'query' ? identity.queryPrefix : identity.documentPrefix;
  const lengthOf = (text: string): number =>
    maxBatchTokens === undefined ? 0 : Math.min(embedder.maxInputTokens, embedder.countTokens(prefix + text));
  let batch: string[] = [];
  let tokens = 0;
  for (const text of texts) {
    const length = lengthOf(text);
    const isFull = batch.length >= maxBatch || tokens + length > (maxBatchTokens ?? Infinity);
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      tokens = 0;
    }
    batch.push(text);
    tokens += length;
  }
  if (batch.length > 0) yield batch;
}

async function embedBatch(
  embedder: Embedder,
  batch: readonly string[],
  options: EmbedAllOptions & { readonly kind: EmbeddingKind },
): Promise<Float32Array[]> {
  const { kind, signal, delay, retries = embedder.retry?.retries ?? DEFAULT_RETRIES } = options;
  const work = async (): Promise<Float32Array[]> => {
    const payload = { kind, model: embedder.identity.model, texts: batch.length };
    const vectors = await traced('embed', payload, () => embedder.doEmbed(batch, kind, signal));
    throwIfAborted(signal);
    checkVectors(embedder, batch.length, vectors);
    return vectors;
  };
  try {
    return await retry(work, {
      retries,
      isWorthRetrying,
      ...(embedder.retry === undefined ? {} : { firstDelayMs: embedder.retry.firstDelayMs }),
      ...withoutUndefined({ signal, delay }),
    });
  } catch (error) {
    throw asEmbeddingError(embedder, error);
  }
}

/** Vectors that nobody may use; asking the same model again would bring the same. */
export class UnusableVectorsError extends RAGError {}

const isWorthRetrying = (error: unknown): boolean =>
  RAGError.isInstance(error) && error.retryable && !(error instanceof UnusableVectorsError);

function asEmbeddingError(embedder: Embedder, error: unknown): RAGError {
  const { model } = embedder.identity;
  const message = `The embedding model ${model} failed. Check that it can be loaded and has memory, then try again.`;
  return toRAGError(error, 'EMBEDDING_FAILED', message);
}

/** @throws UnusableVectorsError */
export function refuseVectors(model: string, problem: string): never {
  throw new UnusableVectorsError(
    'EMBEDDING_FAILED',
    `The embedding model ${model} returned ${problem}. Use another model, or another export of this one.`,
    { details: { model } },
  );
}

/** Throws `UnusableVectorsError` for vectors that are not as many, as long or as finite as the model promised. */
export function checkVectors(embedder: Embedder, expected: number, vectors: readonly Float32Array[]): void {
  const refuse = (problem: string): never => refuseVectors(embedder.identity.model, problem);
  if (vectors.length !== expected) refuse(`${vectors.length} vectors for ${expected} texts`);
  for (const vector of vectors) {
    if (vector.length !== embedder.dimensions) {
      refuse(`a vector of ${vector.length} numbers where it promised ${embedder.dimensions}`);
    }
    // One pass: a sum is finite only if all its terms are.
    let sum = 0;
    for (const value of vector) sum += value;
    if (!Number.isFinite(sum)) refuse('a vector that holds a number that is not finite');
  }
}

function vectorOf(known: ReadonlyMap<string, Float32Array>, text: string): Float32Array {
  const vector = known.get(text);
  if (vector === undefined) throw new RAGError('INTERNAL', 'A text was left without a vector.');
  return vector;
}

function truncatedTexts(
  embedder: Embedder,
  texts: readonly string[],
  kind: EmbeddingKind,
): ReadonlySet<string> {
  const { queryPrefix, documentPrefix } = embedder.identity;
  const prefix = kind === 'query' ? queryPrefix : documentPrefix;
  return new Set(texts.filter((text) => isTruncated(embedder, prefix + text)));
}

// No tokenizer makes more tokens of ASCII than it has characters, so that short texts need not be counted.
function isTruncated(embedder: Embedder, text: string): boolean {
  if (text.length + MAX_SPECIAL_TOKENS <= embedder.maxInputTokens && ASCII.test(text)) return false;
  return embedder.countTokens(text) > embedder.maxInputTokens;
}
