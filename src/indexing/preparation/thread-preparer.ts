import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { startWorker, WITHOUT_SECRETS } from '../../platform/threads/start-worker.js';
import { type PreparedDocument, prepareDocument } from '../prepare-document.js';
import type { PreparationOrder, Preparer } from './preparer.js';
import { type Job, PreparingThread } from './preparing-thread.js';

/** What a thread takes with the built-in model and a document of the usual size, and as much again for a large one. */
const BYTES_PER_THREAD = 256 * 1024 * 1024;

/** A thread a core, fewer where memory is short. */
export const threadsOfMachine = (): number =>
  Math.max(1, Math.min(availableParallelism(), Math.floor(process.availableMemory() / BYTES_PER_THREAD)));

export interface ThreadPreparerOptions {
  /** Most threads. @default one a core, fewer where memory is short */
  readonly threads?: number | undefined;
  /** Starts one. @default `prepare-worker` */
  readonly start?: (() => Worker) | undefined;
}

/**
 * Prepares documents in threads, which are started as they are needed and live as long as the run. What an order cannot state
 * as plain data is prepared on this thread. A thread that ends fails the documents it had; the next one finds another thread.
 */
export class ThreadPreparer implements Preparer {
  readonly #limit: number;
  readonly #start: () => Worker;
  readonly #waiting: Job[] = [];
  #threads: PreparingThread[] = [];
  #jobs = 0;
  #closed: RAGError | undefined;

  constructor({ threads = threadsOfMachine(), start = startPrepareWorker }: ThreadPreparerOptions = {}) {
    this.#limit = threads;
    this.#start = start;
  }

  async prepare(document: RawDocument, order: PreparationOrder): Promise<PreparedDocument> {
    const { recipe, contextualise, modelFolder, addTimes } = order;
    if (recipe === undefined || contextualise !== undefined) return prepareDocument(document, order);
    if (this.#closed !== undefined) throw this.#closed;
    const { scope, source, sourceType, sourceMetadata } = order;
    const origin = { scope, source, sourceType, sourceMetadata };
    return new Promise((resolve, reject) => {
      const job = this.#jobs++;
      const request = { kind: 'prepare', job, document, origin, recipe, modelFolder } as const;
      this.#waiting.push({ request, resolve, reject, addTimes });
      this.#dispatch();
    });
  }

  /** Ends all threads at once; what they had fails with the error. */
  async close(
    error: RAGError = new RAGError('ABORTED', 'The run that wanted this document is over.'),
  ): Promise<void> {
    this.#closed ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    await Promise.all(this.#threads.splice(0).map((thread) => thread.stop(error)));
  }

  #dispatch(): void {
    this.#threads = this.#threads.filter(({ isGone }) => !isGone);
    for (let thread = this.#freeThread(); thread !== undefined; thread = this.#freeThread()) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      thread.start(job);
    }
  }

  #freeThread(): PreparingThread | undefined {
    if (this.#waiting.length === 0 || this.#closed !== undefined) return undefined;
    const free = this.#threads.find(({ isFree }) => isFree);
    if (free !== undefined || this.#threads.length >= this.#limit) return free;
    const thread = new PreparingThread(this.#start(), () => this.#dispatch());
    this.#threads.push(thread);
    return thread;
  }
}

const startPrepareWorker = (): Worker =>
  startWorker(new URL('./prepare-worker.js', import.meta.url), WITHOUT_SECRETS);
