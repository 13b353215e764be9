import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import { RAGError } from '../../core/errors.js';
import { passageTextOf, type RerankedCandidate, type Reranker } from '../reranker.js';
import type { ClassifierOptions, WorkerAnswer, WorkerRequest } from './worker-messages.js';

export interface CrossEncoderOptions extends ClassifierOptions {
  /** Most candidates of one call. @default 100 */
  readonly maxCandidates?: number;
}

const DEFAULT_MAX_CANDIDATES = 100;

/**
 * A reranker that reads query and passage together: any sequence classifier in ONNX form with one output, or two (the
 * second being "relevant"). The network runs in a worker thread, because a run blocks its thread and deadlines and other
 * searches must go on. Nothing is loaded before the first call. Needs the optional package `@huggingface/transformers`.
 */
export function createCrossEncoderReranker(options: CrossEncoderOptions): Reranker {
  return new CrossEncoderReranker(options);
}

interface Waiting {
  readonly resolve: (scores: readonly number[]) => void;
  readonly reject: (error: RAGError) => void;
}

class CrossEncoderReranker implements Reranker {
  readonly name: string;
  readonly maxCandidates: number;
  /** Its thread scores one list after the other. */
  readonly concurrency = 1;
  readonly #options: ClassifierOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #calls = 0;

  constructor({ maxCandidates = DEFAULT_MAX_CANDIDATES, ...options }: CrossEncoderOptions) {
    this.name = `cross-encoder:${basename(options.model)}`;
    this.maxCandidates = maxCandidates;
    this.#options = options;
  }

  async doRerank(
    query: string,
    candidates: Parameters<Reranker['doRerank']>[1],
    signal?: AbortSignal,
  ): Promise<RerankedCandidate[]> {
    if (candidates.length === 0) return [];
    const scores = await this.#ask({ query, passages: candidates.map(passageTextOf) }, signal);
    return scores.map((score, index) => ({ index, score }));
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#failAll(new RAGError('ABORTED', 'The reranker was closed.'));
    await worker?.terminate();
  }

  #ask(
    { query, passages }: Pick<WorkerRequest & { kind: 'score' }, 'query' | 'passages'>,
    signal: AbortSignal | undefined,
  ): Promise<readonly number[]> {
    const id = this.#calls++;
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        this.#send({ kind: 'cancel', id });
        this.#settle(id)?.reject(
          new RAGError('ABORTED', 'Reranking was cancelled.', { cause: signal?.reason }),
        );
      };
      const stopListening = (): void => signal?.removeEventListener('abort', cancel);
      this.#waiting.set(id, {
        resolve: (scores) => {
          stopListening();
          resolve(scores);
        },
        reject: (error) => {
          stopListening();
          reject(error);
        },
      });
      if (signal?.aborted === true) {
        cancel();
        return;
      }
      signal?.addEventListener('abort', cancel, { once: true });
      this.#send({ kind: 'score', id, query, passages });
    });
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #send(request: WorkerRequest): void {
    if (request.kind === 'cancel' && this.#worker === undefined) return;
    this.#worker ??= this.#start();
    this.#worker.postMessage(request);
  }

  #start(): Worker {
    const worker = startWorker(this.#options);
    worker.unref();
    worker.on('message', (answer: WorkerAnswer) => {
      const waiting = this.#settle(answer.id);
      if ('scores' in answer) waiting?.resolve(answer.scores);
      else waiting?.reject(new RAGError(answer.reason, answer.message));
    });
    worker.on('error', (error) => this.#lose(worker, error));
    worker.on('exit', () => this.#lose(worker, undefined));
    return worker;
  }

  /** A worker that died is started again by the next call. */
  #lose(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#failAll(
      new RAGError('RERANKER_UNAVAILABLE', `The reranker ${this.name} stopped unexpectedly.`, { cause }),
    );
  }

  #failAll(error: RAGError): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id)?.reject(error);
  }
}

function startWorker(workerData: ClassifierOptions): Worker {
  const entry = new URL(import.meta.url.replace(/cross-encoder-reranker(\.[jt]s)$/, 'classifier-worker$1'));
  if (entry.pathname.endsWith('.js')) return new Worker(entry, { workerData });
  // Only a source tree, under test, holds TypeScript: a thread of its own must be told how to read it.
  const register = `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(entry.href)}); });`;
  return new Worker(register, { eval: true, workerData });
}
