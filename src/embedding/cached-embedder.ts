import { LRUCache } from 'lru-cache';
import type { Embedder, EmbeddingKind } from './embedder.js';

const DEFAULT_MAX_QUERIES = 1000;

/**
 * The same embedder, with the vectors of the latest queries kept in memory: people page, filter and ask again. Documents
 * pass through, and so does everything where the embedder `isCheap`.
 * @param maxQueries Queries kept. @default 1000
 */
export function withQueryCache(embedder: Embedder, maxQueries: number = DEFAULT_MAX_QUERIES): Embedder {
  return embedder.isCheap ? embedder : new QueryCachedEmbedder(embedder, maxQueries);
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

  constructor(embedder: Embedder, maxQueries: number) {
    this.#embedder = embedder;
    this.#queries = new LRUCache({ max: maxQueries });
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
    const found = texts.map((text) => this.#queries.get(text));
    const missing = texts.filter((_, i) => found[i] === undefined);
    const computed = missing.length === 0 ? [] : await this.#embedder.doEmbed(missing, kind, signal);
    for (const [i, text] of missing.entries()) {
      const vector = computed[i];
      if (vector !== undefined) this.#queries.set(text, vector);
    }
    let next = 0;
    return found.flatMap((vector) => vector ?? computed[next++] ?? []);
  }

  close(): Promise<void> {
    this.#queries.clear();
    return this.#embedder.close();
  }
}
