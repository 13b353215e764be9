import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';
import { RAGError } from '../../../core/errors.js';
import { runtime, SYSTEM_RUNTIME } from '../../../core/runtime.js';
import { startWorker } from '../../../platform/threads/start-worker.js';
import { ThreadCalls } from '../../../platform/threads/thread-calls.js';
import { cacheKeyerOf, type EmbeddingCache } from '../../embedding-cache.js';
import type { ComparedTexts, TextReader, TextsToCompare } from '../../text-reader.js';
import { readerIdentity } from './encoder-model.js';

/** What a thread is asked for. */
export interface TextToRead {
  readonly text: string;
  readonly isQuery: boolean;
}

/** More threads than that take memory (some 30 MB each) from what else the machine does. */
const MOST_THREADS = 2;
/** Texts for which another thread is worth its start. */
const TEXTS_A_THREAD = 6;
/** After so many milliseconds without a text the threads end. */
const IDLE_MS = 300_000;
/** See `TextsToCompare.longestMs`. */
const LONGEST_MS = 1_000;
/** Characters of the longest text that is read whole, about 254 tokens: what is behind them costs nothing. */
const LONGEST_TEXT = 1_100;
/** Vectors that a reader keeps in memory, of 1.5 kB each. */
const KEPT = 15_000;

/** The threads of all readers of this process. They start with a call and hold no text. */
const THREADS = Array.from(
  { length: Math.min(MOST_THREADS, availableParallelism()) },
  () =>
    new ThreadCalls<TextToRead, Float32Array>({
      start: () => startWorker(new URL('./reader-worker.js', import.meta.url)),
      failed: (message) => readerError(`The reader failed: ${message}`),
      lost: (cause) => readerError('A thread of the reader stopped unexpectedly.', cause),
    }),
);

let reading = 0;
let stayAwake = (): void => undefined;

/** Does work that asks the threads. @param work is told how many others do so at this moment, itself counted */
async function withThreads<Result>(work: (readers: number) => Promise<Result>): Promise<Result> {
  stayAwake();
  reading += 1;
  try {
    return await work(reading);
  } finally {
    reading -= 1;
    if (reading === 0) stayAwake = SYSTEM_RUNTIME.setTimer(endThreads, IDLE_MS, { isBackground: true });
  }
}

const endThreads = (): void => {
  for (const thread of THREADS) void thread.close(readerError('A thread of the reader was ended.'));
};

/** Answered as soon as a thread has started. */
const NOTHING: TextToRead = { text: '', isQuery: false };

interface Unread extends TextToRead {
  readonly key: string;
}

/** The reader, in threads that all readers of the process share, so that other searches go on. A passage is read once. */
export class ReaderThreads implements TextReader {
  readonly #cache: EmbeddingCache | undefined;
  readonly #kept = new LRUCache<string, Float32Array>({ max: KEPT });

  /** @param cache keeps vectors of passages between runs; closed with the reader */
  constructor(cache?: EmbeddingCache) {
    this.#cache = cache;
  }

  /** Starts a thread, so that no search waits for it; others start where there is much to read. What fails is told where a text is read. */
  static async start(): Promise<void> {
    await withThreads(async () => THREADS[0]?.call(NOTHING)).catch(() => undefined);
  }

  /** Searches that read at once share the characters; the first unread passage is read by each. */
  async read(
    { query, passages, characters, longestMs = LONGEST_MS }: TextsToCompare,
    signal?: AbortSignal,
  ): Promise<ComparedTexts> {
    const { fingerprint, dimensions } = await readerIdentity();
    const keys = passages.map(cacheKeyerOf(fingerprint, 'document'));
    const queryKey = query === undefined ? undefined : cacheKeyerOf(fingerprint, 'query')(query);
    await this.#recall(keys, dimensions);
    const vectors = new Map(keys.map((key) => [key, this.#kept.get(key)]));
    const texts = new Map(passages.map((text, at) => [keys[at] ?? '', text]));
    const unread = [...texts]
      .filter(([key]) => vectors.get(key) === undefined)
      .map(([key, text]): Unread => ({ key, text, isQuery: false }));
    const asked = queryKey === undefined ? undefined : this.#kept.get(queryKey);
    if (queryKey !== undefined && query !== undefined && asked === undefined)
      unread.unshift({ key: queryKey, text: query, isQuery: true });
    const fresh = await this.#readNow(unread, { characters, longestMs }, signal);
    for (const [key, vector] of fresh) this.#kept.set(key, vector);
    await this.#cache?.setMany([...fresh].filter(([key, vector]) => key !== queryKey && vector.length > 0));
    return {
      query: queryKey === undefined ? undefined : (asked ?? fresh.get(queryKey)),
      passages: keys.map((key) => vectors.get(key) ?? fresh.get(key)),
    };
  }

  async close(): Promise<void> {
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
    unread: readonly Unread[],
    { characters, longestMs }: { readonly characters: number; readonly longestMs: number },
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, Float32Array>> {
    const fresh = new Map<string, Float32Array>();
    if (unread.length === 0) return fresh;
    return withThreads(async (readers) => {
      let until = Number.POSITIVE_INFINITY;
      const waiting = [...unread].reverse();
      let left = characters / readers;
      const next = (): Unread | undefined => {
        if (left <= 0 || runtime().elapsed() > until) return undefined;
        const text = waiting.pop();
        if (text?.isQuery === false) left -= Math.min(text.text.length, LONGEST_TEXT);
        return text;
      };
      const inFlight = new Set<Promise<void>>();
      const readWith = async (thread: (typeof THREADS)[number]): Promise<void> => {
        for (let text = next(); text !== undefined; text = next()) {
          const { key, ...asked } = text;
          const reading = thread.call(asked, signal).then((vector) => {
            fresh.set(key, vector);
            until = Math.min(until, runtime().elapsed() + longestMs);
            inFlight.delete(reading);
          });
          inFlight.add(reading);
          await reading;
        }
      };
      try {
        const [first, ...others] = THREADS.slice(0, Math.ceil(unread.length / TEXTS_A_THREAD));
        // One that has to start first is not waited for: it helps from then on.
        for (const thread of others)
          void thread
            .call(NOTHING)
            .then(() => readWith(thread))
            .catch(() => undefined);
        if (first !== undefined) await readWith(first);
        await Promise.all(inFlight);
      } finally {
        left = 0;
      }
      return fresh;
    });
  }
}

const readerError = (message: string, cause?: Error): RAGError =>
  new RAGError('RERANKER_UNAVAILABLE', message, { cause });
