import { LRUCache } from 'lru-cache';
import type { Embedder, EmbeddingKind } from './embedder.js';

const DEFAULT_MAX_QUERIES = 1000;

/** The embedder as one asker may use it. */
export type EmbedderOf = (asker: string) => Embedder;

/**
 * The same embedder, with the vectors of the latest queries kept in memory: people page, filter and ask again. What an asker
 * (a name of the caller's choice: that of a scope) asked is found by the same asker alone, for the time of an answer, and the
 * bill, would tell others that somebody had asked. Documents pass through, and so does everything where the embedder `isCheap`.
 * @param maxQueries Queries kept, of all askers together. @default 1000
 */
export function queryCacheOver(embedder: Embedder, maxQueries: number = DEFAULT_MAX_QUERIES): EmbedderOf {
  if (embedder.isCheap) return () => embedder;
  const queries = new LRUCache<string, Float32Array>({ max: maxQueries });
  return (asker) => new QueryCachedEmbedder(embedder, queries, asker);
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
  readonly usage?: NonNullable<Embedder['usage']>;
  readonly #embedder: Embedder;
  readonly #queries: LRUCache<string, Float32Array>;
  readonly #asker: string;

  constructor(embedder: Embedder, queries: LRUCache<string, Float32Array>, asker: string) {
    this.#embedder = embedder;
    this.#queries = queries;
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
    const found = texts.map((text) => this.#queries.get(this.#keyOf(text)));
    const missing = texts.filter((_, i) => found[i] === undefined);
    const computed = missing.length === 0 ? [] : await this.#embedder.doEmbed(missing, kind, signal);
    for (const [i, text] of missing.entries()) {
      const vector = computed[i];
      if (vector !== undefined) this.#queries.set(this.#keyOf(text), vector);
    }
    let next = 0;
    return found.flatMap((vector) => vector ?? computed[next++] ?? []);
  }

  #keyOf(text: string): string {
    return JSON.stringify([this.#asker, text]);
  }

  close(): Promise<void> {
    this.#queries.clear();
    return this.#embedder.close();
  }
}
