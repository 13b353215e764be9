import type { Worker } from 'node:worker_threads';
import { RAGError } from '../../core/errors.js';
import { receivedError, type SentError } from '../../core/sent-error.js';

/** What a thread is told. */
export type ToThread<Request> =
  | { readonly kind: 'call'; readonly id: number; readonly request: Request }
  /** The answer is not awaited any more. */
  | { readonly kind: 'cancel'; readonly id: number };

export type FromThread<Answer> =
  | { readonly id: number; readonly answer: Answer }
  | { readonly id: number; readonly failure: SentError };

export interface ThreadCallsOptions {
  readonly start: () => Worker;
  /** Where the thread failed without a reason of ours. */
  readonly failed: (message: string) => RAGError;
  /** Where it ended while it was asked. */
  readonly lost: (cause: Error | undefined) => RAGError;
}

interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: RAGError) => void;
}

/**
 * Asks a thread that answers by `answerCalls`. It is started by the first call, and by the next one where it died. It keeps the
 * process alive only while a call waits for it.
 */
export class ThreadCalls<Request, Answer> {
  readonly #options: ThreadCallsOptions;
  readonly #waiting = new Map<number, Waiting<Answer>>();
  #worker: Worker | undefined;
  #calls = 0;

  constructor(options: ThreadCallsOptions) {
    this.#options = options;
  }

  /** @throws RAGError `ABORTED` by the signal; what the thread failed with */
  call(request: Request, signal?: AbortSignal): Promise<Answer> {
    const id = this.#calls++;
    const aborted = (): RAGError => new RAGError('ABORTED', 'It was cancelled.', { cause: signal?.reason });
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(aborted());
        return;
      }
      const cancel = (): void => {
        this.#worker?.postMessage({ kind: 'cancel', id } satisfies ToThread<Request>);
        this.#settle(id)?.reject(aborted());
      };
      const stopListening = (): void => signal?.removeEventListener('abort', cancel);
      signal?.addEventListener('abort', cancel, { once: true });
      this.#waiting.set(id, {
        resolve: (answer) => {
          stopListening();
          resolve(answer);
        },
        reject: (error) => {
          stopListening();
          reject(error);
        },
      });
      this.#worker ??= this.#start();
      this.#worker.ref();
      this.#worker.postMessage({ kind: 'call', id, request } satisfies ToThread<Request>);
    });
  }

  /** Ends the thread; calls that wait for it fail with the error. */
  async close(error: RAGError): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#failAll(error);
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = this.#options.start();
    return worker
      .on('message', (message: FromThread<Answer>) => this.#receive(message))
      .on('messageerror', (cause) => this.#lose(worker, cause))
      .on('error', (cause) => this.#lose(worker, cause))
      .on('exit', () => this.#lose(worker));
  }

  #receive(message: FromThread<Answer>): void {
    const waiting = this.#settle(message.id);
    if ('answer' in message) waiting?.resolve(message.answer);
    else waiting?.reject(receivedError(message.failure) ?? this.#options.failed(message.failure.message));
  }

  #settle(id: number): Waiting<Answer> | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker?.unref();
    return waiting;
  }

  #lose(worker: Worker, cause?: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#failAll(this.#options.lost(cause));
  }

  #failAll(error: RAGError): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id)?.reject(error);
  }
}
