import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';
import { RAGError } from '../../../core/errors.js';
import { startWorker } from '../../../threads/start-worker.js';
import { ThreadCalls } from '../../../threads/thread-calls.js';
import { cacheKeyerOf, type EmbeddingCache } from '../../embedding-cache.js';
import type { ComparedTexts, TextReader, TextsToCompare } from '../../text-reader.js';
import { readerIdentity } from './encoder-model.js';

/** What a thread is asked for: texts, the most wanted first, and how long it may read. The first one is always read. */
export interface TextsToRead {
  readonly texts: readonly string[];
  /** Milliseconds. */
  readonly forMs: number;
}

/** More threads than that take memory (some 30 MB each) from what else the machine does. */
const MOST_THREADS = 2;
/** Vectors that are kept in memory, of 1.5 kB each. */
const KEPT = 20_000;

/** The reader in threads of its own, so that other searches go on. They start with the first call; a passage is read once. */
export class ReaderThreads implements TextReader {
  readonly #cache: EmbeddingCache | undefined;
  readonly #kept = new LRUCache<string, Float32Array>({ max: KEPT });
  readonly #threads = Array.from(
    { length: Math.min(MOST_THREADS, availableParallelism()) },
    () =>
      new ThreadCalls<TextsToRead, readonly Float32Array[]>({
        start: () => startWorker(new URL('./reader-worker.js', import.meta.url)),
        failed: (message) => readerError(`The reader failed: ${message}`),
        lost: (cause) => readerError('A thread of the reader stopped unexpectedly.', cause),
      }),
  );

  /** @param cache keeps vectors of passages between runs; closed with the threads */
  constructor(cache?: EmbeddingCache) {
    this.#cache = cache;
  }

  /** Of texts that were not read before the first ones are read whatever time there is, one for each thread. */
  async read({ query, passages, forMs }: TextsToCompare, signal?: AbortSignal): Promise<ComparedTexts> {
    const { fingerprint, dimensions } = await readerIdentity();
    const keyOf = cacheKeyerOf(fingerprint, 'document');
    const keys = passages.map(keyOf);
    await this.#recall(keys, dimensions);
    const vectors = new Map(keys.map((key) => [key, this.#kept.get(key)]));
    const asked = query === undefined ? [] : [[keyOf(query), query] as const];
    for (const [key] of asked) vectors.set(key, this.#kept.get(key));
    const unread = [
      ...new Map([...asked, ...passages.map((text, at) => [keys[at] ?? '', text] as const)]),
    ].filter(([key]) => vectors.get(key) === undefined);
    const fresh = new Map(await this.#readNow(unread, forMs, signal));
    for (const [key, vector] of fresh) {
      vectors.set(key, vector);
      this.#kept.set(key, vector);
    }
    await this.#cache?.setMany(
      keys.flatMap((key) => {
        const vector = fresh.get(key);
        return vector === undefined || vector.length === 0 ? [] : [[key, vector] as const];
      }),
    );
    return {
      query: asked[0] === undefined ? undefined : vectors.get(asked[0][0]),
      passages: keys.map((key) => vectors.get(key)),
    };
  }

  async close(): Promise<void> {
    const closed = new RAGError('ABORTED', 'The reader was closed.');
    await Promise.all(this.#threads.map((thread) => thread.close(closed)));
    this.#cache?.close();
  }

  /** Takes what an earlier process read. */
  async #recall(keys: readonly string[], dimensions: number): Promise<void> {
    const missing = keys.filter((key) => !this.#kept.has(key));
    if (this.#cache === undefined || missing.length === 0) return;
    const found = await this.#cache.getMany(missing, dimensions);
    for (const [at, vector] of found.entries())
      if (vector !== undefined) this.#kept.set(missing[at] ?? '', vector);
  }

  async #readNow(
    unread: readonly (readonly [key: string, text: string])[],
    forMs: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly (readonly [key: string, vector: Float32Array])[]> {
    const shares = this.#threads.map(async (thread, at) => {
      const share = unread.filter((_, i) => i % this.#threads.length === at);
      if (share.length === 0) return [];
      const read = await thread.call({ texts: share.map(([, text]) => text), forMs }, signal);
      return read.map((vector, i) => [share[i]?.[0] ?? '', vector] as const);
    });
    return (await Promise.all(shares)).flat();
  }
}

const readerError = (message: string, cause?: Error): RAGError =>
  new RAGError('RERANKER_UNAVAILABLE', message, { cause });
