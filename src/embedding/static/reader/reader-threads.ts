import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';
import { RAGError } from '../../../core/errors.js';
import { contentHash } from '../../../core/ids.js';
import { startWorker } from '../../../threads/start-worker.js';
import { ThreadCalls } from '../../../threads/thread-calls.js';

/** What a thread is asked for: texts, the most wanted first, and how long it may read. The first one is always read. */
export interface TextsToRead {
  readonly texts: readonly string[];
  /** Milliseconds. */
  readonly forMs: number;
}

/** More threads than that take memory (some 30 MB each) from what else the machine does. */
const MOST_THREADS = 2;
/** Vectors that are kept in memory, of 1.5 kB each: a passage is read once. */
const KEPT = 20_000;

/** The reader in threads of its own, so that other searches go on. They start with the first call; vectors are kept. */
export class ReaderThreads {
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

  /**
   * Vectors of texts, the most wanted first; undefined for one that there was no time for, empty for one in a script that
   * is not read. Of the texts that were not read before the first ones are read whatever time there is, one for each thread.
   * @throws RAGError `RERANKER_UNAVAILABLE`, `MODEL_NOT_FOUND`, `MODEL_INVALID`; `ABORTED` by the signal
   */
  async read(
    { texts, forMs }: TextsToRead,
    signal?: AbortSignal,
  ): Promise<readonly (Float32Array | undefined)[]> {
    const keys = texts.map((text) => contentHash(text));
    const vectors = new Map(keys.map((key) => [key, this.#kept.get(key)]));
    const byKey = new Map(texts.map((text, at) => [keys[at] ?? '', text]));
    const unread = [...byKey].filter(([key]) => vectors.get(key) === undefined);
    const shares = this.#threads.map((thread, at) => ({
      thread,
      share: unread.filter((_, i) => i % this.#threads.length === at),
    }));
    await Promise.all(
      shares.map(async ({ thread, share }) => {
        if (share.length === 0) return;
        const read = await thread.call({ texts: share.map(([, text]) => text), forMs }, signal);
        for (const [at, vector] of read.entries()) {
          const key = share[at]?.[0] ?? '';
          vectors.set(key, vector);
          this.#kept.set(key, vector);
        }
      }),
    );
    return keys.map((key) => vectors.get(key));
  }

  async close(): Promise<void> {
    const closed = new RAGError('ABORTED', 'The reader was closed.');
    await Promise.all(this.#threads.map((thread) => thread.close(closed)));
  }
}

const readerError = (message: string, cause?: Error): RAGError =>
  new RAGError('RERANKER_UNAVAILABLE', message, { cause });
