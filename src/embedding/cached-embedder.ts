import { LRUCache } from 'lru-cache';
import { type TelemetryPayloads, traced } from '../core/telemetry.js';
import type { Embedder, EmbeddingKind } from './embedder.js';
import { cacheKeyer, type EmbeddingCache } from './embedding-cache.js';

const DEFAULT_MAX_QUERIES = 1000;

type CacheLookup = TelemetryPayloads['cache'];

/** The embedder as one asker may use it. */
export type EmbedderOf = (asker: string) => Embedder;

/**
 * The same embedder, with the vectors of the latest queries kept in memory: people page, filter and ask again. What an asker
 * (a name of the caller's choice: that of a scope) asked is found by the same asker alone, for the time of an answer, and the
 * bill, would tell others that somebody had asked. Documents pass through, and so does everything where the embedder `isCheap`.
 */
export function queryCacheOver(
  embedder: Embedder,
  { maxQueries = DEFAULT_MAX_QUERIES, kept }: QueryCacheOptions = {},
): EmbedderOf {
  if (embedder.isCheap) return () => embedder;
  const queries = new LRUCache<string, Float32Array>({ max: maxQueries });
  return (asker) => new QueryCachedEmbedder(embedder, { queries, kept }, asker);
}

export interface QueryCacheOptions {
  /** Queries kept in memory, of all askers together. @default 1000 */
  readonly maxQueries?: number | undefined;
  /** Asked where memory has none, and told of each vector that was computed. @default nothing beside memory */
  readonly kept?: EmbeddingCache | undefined;
}

interface QueryVectors {
  readonly queries: LRUCache<string, Float32Array>;
  readonly kept: EmbeddingCache | undefined;
}

class QueryCachedEmbedder implements Embedder {
  readonly identity;
  readonly dimensions;
  readonly maxInputTokens;
  readonly maxBatch;
  readonly isCheap;
  readonly maxBatchTokens?: number;
  readonly retry?: { readonly retries: number; readonly firstDelayMs: number };
  readonly estimate?: NonNullable<Embedder['estimate']>;
  readonly reads?: NonNullable<Embedder['reads']>;
  readonly usage?: NonNullable<Embedder['usage']>;
  readonly #embedder: Embedder;
  readonly #queries: LRUCache<string, Float32Array>;
  readonly #kept: EmbeddingCache | undefined;
  readonly #keptKeyOf: (text: string) => string;
  readonly #asker: string;

  constructor(embedder: Embedder, { queries, kept }: QueryVectors, asker: string) {
    this.#embedder = embedder;
    this.#queries = queries;
    this.#kept = kept;
    this.#keptKeyOf = cacheKeyer(embedder.identity, 'query', asker);
    this.#asker = asker;
    this.identity = embedder.identity;
    this.dimensions = embedder.dimensions;
    this.maxInputTokens = embedder.maxInputTokens;
    this.maxBatch = embedder.maxBatch;
    this.isCheap = embedder.isCheap;
    const { maxBatchTokens, retry } = embedder;
    if (maxBatchTokens !== undefined) this.maxBatchTokens = maxBatchTokens;
    if (retry !== undefined) this.retry = retry;
    if (embedder.estimate !== undefined) this.estimate = embedder.estimate.bind(embedder);
    if (embedder.reads !== undefined) this.reads = embedder.reads.bind(embedder);
    if (embedder.usage !== undefined) this.usage = embedder.usage.bind(embedder);
  }

  countTokens(text: string): number {
    return this.#embedder.countTokens(text);
  }

  async doEmbed(
    texts: readonly string[],
    kind: EmbeddingKind,
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    if (kind !== 'query') return this.#embedder.doEmbed(texts, kind, signal);
    const found = await this.#find(texts);
    const missing = texts.filter((_, i) => found[i] === undefined);
    const computed = missing.length === 0 ? [] : await this.#embedder.doEmbed(missing, kind, signal);
    const entries = missing.flatMap((text, i) => {
      const vector = computed[i];
      return vector === undefined ? [] : [[text, vector] as const];
    });
    for (const [text, vector] of entries) this.#queries.set(this.#keyOf(text), vector);
    if (entries.length > 0)
      await this.#kept?.setMany(entries.map(([text, vector]) => [this.#keptKeyOf(text), vector]));
    let next = 0;
    return found.flatMap((vector) => vector ?? computed[next++] ?? []);
  }

  #find(texts: readonly string[]): Promise<readonly (Float32Array | undefined)[]> {
    const payload: CacheLookup = { cache: 'embedding', keys: texts.length };
    return traced('cache', payload, async () => {
      const known = texts.map((text) => this.#queries.get(this.#keyOf(text)));
      const isAll = this.#kept === undefined || !known.includes(undefined);
      const found = isAll ? known : await this.#findKept(texts, known);
      payload.hits = found.filter((vector) => vector !== undefined).length;
      payload.entries = this.#queries.size;
      return found;
    });
  }

  async #findKept(
    texts: readonly string[],
    known: readonly (Float32Array | undefined)[],
  ): Promise<readonly (Float32Array | undefined)[]> {
    const kept = (await this.#kept?.getMany(texts.map(this.#keptKeyOf), this.dimensions)) ?? [];
    for (const [i, text] of texts.entries()) {
      const vector = kept[i];
      if (vector !== undefined) this.#queries.set(this.#keyOf(text), vector);
    }
    return texts.map((_, i) => known[i] ?? kept[i]);
  }

  #keyOf(text: string): string {
    return JSON.stringify([this.#asker, text]);
  }

  close(): Promise<void> {
    this.#queries.clear();
    return this.#embedder.close();
  }
}
