import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import type { Embedder, EmbeddingKind } from '../embedder.js';
import type { EmbedAnswer, EmbedCall, EmbedThreadData } from './embed-messages.js';
import { createTransformersEmbedder, type TransformersEmbedderOptions } from './transformers-embedder.js';

interface Waiting {
  readonly resolve: (vectors: Float32Array[]) => void;
  readonly reject: (error: RAGError) => void;
}

/**
 * The same embedder as `createTransformersEmbedder`, for much work that nobody waits for: its network runs in a thread of its own with a
 * lower priority (on Linux), on half of the cores, so that searches on this thread and others go before it.
 *
 * @throws RAGError as `createTransformersEmbedder`
 */
export async function createBackgroundEmbedder(options: TransformersEmbedderOptions): Promise<Embedder> {
  // Reads names, lengths and tokens; its network is never loaded.
  const model = await createTransformersEmbedder(options);
  const threads = options.threads ?? Math.max(1, Math.floor(availableParallelism() / 2));
  return new BackgroundEmbedder(model, { ...options, threads });
}

class BackgroundEmbedder implements Embedder {
  readonly identity;
  readonly dimensions;
  readonly maxInputTokens;
  readonly maxBatch;
  readonly isCheap = false;
  readonly #model: Embedder;
  readonly #options: TransformersEmbedderOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #calls = 0;

  constructor(model: Embedder, options: TransformersEmbedderOptions) {
    this.#model = model;
    this.#options = options;
    this.identity = model.identity;
    this.dimensions = model.dimensions;
    this.maxInputTokens = model.maxInputTokens;
    this.maxBatch = model.maxBatch;
  }

  countTokens(text: string): number {
    return this.#model.countTokens(text);
  }

  async doEmbed(
    texts: readonly string[],
    kind: EmbeddingKind,
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    throwIfAborted(signal);
    const id = this.#calls++;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        signal?.removeEventListener('abort', cancel);
        this.#waiting.delete(id);
        if (this.#waiting.size === 0) this.#worker?.unref();
      };
      // The thread ends what it has begun, and nobody takes it.
      const cancel = (): void => {
        settle();
        reject(new RAGError('ABORTED', 'Embedding was cancelled.', { cause: signal?.reason }));
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#waiting.set(id, {
        resolve: (vectors) => {
          settle();
          resolve(vectors);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      this.#send({ id, texts, kind });
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#failAll(new RAGError('ABORTED', 'The embedding model was closed.'));
    await worker?.terminate();
    await this.#model.close();
  }

  #send(call: EmbedCall): void {
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage(call);
  }

  #start(): Worker {
    const worker = startThread({ options: this.#options });
    worker.on('message', (answer: EmbedAnswer) => {
      const waiting = this.#waiting.get(answer.id);
      if ('vectors' in answer) waiting?.resolve([...answer.vectors]);
      else waiting?.reject(new RAGError(answer.reason, answer.message));
    });
    worker.on('error', (error) => this.#lose(worker, error));
    worker.on('exit', () => this.#lose(worker, undefined));
    return worker;
  }

  /** A thread that died is started again by the next call. */
  #lose(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#failAll(
      new RAGError(
        'EMBEDDING_FAILED',
        `The thread of the embedding model ${this.identity.model} stopped unexpectedly${cause instanceof Error ? ` (${cause.message})` : ''}. Check that there is memory for it, and try again.`,
        { cause },
      ),
    );
  }

  #failAll(error: RAGError): void {
    for (const { reject } of [...this.#waiting.values()]) reject(error);
  }
}

function startThread(workerData: EmbedThreadData): Worker {
  const entry = new URL(import.meta.url.replace(/background-embedder(\.[jt]s)$/, 'embed-worker$1'));
  if (entry.pathname.endsWith('.js')) return new Worker(entry, { workerData });
  // Only a source tree, under test, holds TypeScript: a thread of its own must be told how to read it.
  const loader = createRequire(import.meta.url)
    .resolve('tsx/esm/api')
    .replace(/\.cjs$/, '.mjs');
  const register = `import(${JSON.stringify(pathToFileURL(loader).href)}).then(({ register }) => { register(); return import(${JSON.stringify(entry.href)}); });`;
  return new Worker(register, { eval: true, workerData });
}
