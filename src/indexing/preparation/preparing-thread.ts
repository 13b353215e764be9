import type { Worker } from 'node:worker_threads';
import type { RawDocument } from '../../core/document.js';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import { receivedError, type SentError } from '../../core/sent-error.js';
import type { PreparedChunk, PreparedDocument } from '../prepare-document.js';
import type { FromThread, PrepareRequest, ToThread } from './prepare-message.js';

/** A document that a thread is asked to prepare. */
export interface Job {
  readonly request: PrepareRequest;
  readonly resolve: (document: PreparedDocument) => void;
  readonly reject: (error: unknown) => void;
  readonly addTimes: (times: Readonly<Record<string, number>>) => void;
}

/**
 * Batches of chunks on their way from a thread to the writer: they wait here, and the thread is told what was read,
 * so that it sends no more than is wanted.
 */
class ChunkStream implements AsyncIterableIterator<readonly PreparedChunk[]> {
  readonly #waiting: (readonly PreparedChunk[])[] = [];
  readonly #onRead: () => void;
  readonly #onDrop: () => void;
  #state: 'open' | 'ended' | { readonly error: unknown } = 'open';
  #wake: () => void = () => undefined;

  constructor({ onRead, onDrop }: { readonly onRead: () => void; readonly onDrop: () => void }) {
    this.#onRead = onRead;
    this.#onDrop = onDrop;
  }

  push(chunks: readonly PreparedChunk[]): void {
    this.#waiting.push(chunks);
    this.#wake();
  }

  end(): void {
    if (this.#state === 'open') this.#state = 'ended';
    this.#wake();
  }

  /** What was sent before is lost: a document is written whole or not at all. */
  fail(error: unknown): void {
    if (this.#state === 'open') this.#state = { error };
    this.#wake();
  }

  async next(): Promise<IteratorResult<readonly PreparedChunk[]>> {
    while (this.#state === 'open' && this.#waiting.length === 0)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    if (typeof this.#state === 'object') throw this.#state.error;
    const value = this.#waiting.shift();
    if (value === undefined) return { done: true, value };
    this.#onRead();
    return { done: false, value };
  }

  /** Gives up what was not read. */
  async return(): Promise<IteratorResult<readonly PreparedChunk[]>> {
    this.#waiting.length = 0;
    if (this.#state === 'open') this.#onDrop();
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** Without the request: the bytes of the document are the thread's alone. */
type OpenJob = Omit<Job, 'request'> & { readonly name: string; readonly stream: ChunkStream };

/** One thread, the document it is busy with, and those whose chunks it still hands out. */
export class PreparingThread {
  readonly #worker: Worker;
  readonly #open = new Map<number, OpenJob>();
  readonly #onFree: () => void;
  #busyWith: number | undefined;
  #isGone = false;

  /** @param onFree told when another document can be given, here or, where the thread has ended, to another one */
  constructor(worker: Worker, onFree: () => void) {
    this.#worker = worker;
    this.#onFree = onFree;
    // The run waits for the documents, not for the thread.
    worker.unref();
    worker
      .on('message', (message: FromThread) => this.#receive(message))
      .on('messageerror', (cause: Error) => this.#ended(cause))
      .on('error', (cause: Error) => this.#ended(cause))
      .on('exit', () => this.#ended());
  }

  get isFree(): boolean {
    return this.#busyWith === undefined && !this.#isGone;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  start({ request, ...job }: Job): void {
    const { job: number, document } = request;
    const stream = new ChunkStream({
      onRead: () => this.#send({ kind: 'more', job: number, batches: 1 }),
      onDrop: () => this.#send({ kind: 'drop', job: number }),
    });
    this.#open.set(number, { ...job, name: document.externalId, stream });
    this.#busyWith = number;
    this.#worker.ref();
    this.#send(request, movableBytes(document));
  }

  /** Ends the thread, whatever it does; its documents fail with the error. */
  async stop(error: RAGError): Promise<void> {
    this.#fail(error);
    await this.#worker.terminate();
  }

  #send(message: ToThread, moved: ArrayBuffer[] = []): void {
    if (!this.#isGone) this.#worker.postMessage(message, moved);
  }

  #receive(message: FromThread): void {
    const job = this.#open.get(message.job);
    if (job === undefined) return;
    if (message.kind === 'document')
      job.resolve({ ...message.summary, sketches: message.sketches, batches: job.stream });
    else if (message.kind === 'batch') job.stream.push(message.chunks);
    else if (message.kind === 'waiting') this.#free(message.job);
    else this.#settle(job, message);
  }

  #settle(job: OpenJob, message: Extract<FromThread, { kind: 'end' | 'failed' }>): void {
    if (message.kind === 'end') {
      job.addTimes(message.times);
      job.stream.end();
    } else {
      const error = errorOf(message.failure, job.name);
      job.reject(error);
      job.stream.fail(error);
    }
    this.#open.delete(message.job);
    if (this.#open.size === 0) this.#worker.unref();
    this.#free(message.job);
  }

  #free(job: number): void {
    if (this.#busyWith !== job) return;
    this.#busyWith = undefined;
    this.#onFree();
  }

  #ended(cause?: Error): void {
    if (this.#isGone) return;
    const isMemory = systemErrorCode(cause) === 'ERR_WORKER_OUT_OF_MEMORY';
    this.#fail((name) => (isMemory ? outOfMemory(name, cause) : ended(name, cause)));
    this.#onFree();
  }

  #fail(error: RAGError | ((name: string) => RAGError)): void {
    this.#isGone = true;
    for (const { name, reject, stream } of this.#open.values()) {
      const failure = typeof error === 'function' ? error(name) : error;
      reject(failure);
      stream.fail(failure);
    }
    this.#open.clear();
  }
}

/** The buffer of a document's bytes, where it holds them alone and may be moved. */
function movableBytes({ content, isMovable }: RawDocument): ArrayBuffer[] {
  if (isMovable !== true || typeof content === 'string' || !(content.buffer instanceof ArrayBuffer))
    return [];
  return content.byteLength === content.buffer.byteLength ? [content.buffer] : [];
}

const errorOf = (failure: SentError, name: string): RAGError =>
  receivedError(failure) ??
  new RAGError('DOCUMENT_INVALID', `"${name}" could not be processed.`, {
    cause: new Error(failure.message),
  });

const ended = (name: string, cause: Error | undefined): RAGError =>
  new RAGError(
    'DOCUMENT_PARSE_STOPPED',
    `"${name}" ended the thread that prepared it. Save it again, or exclude it.`,
    { cause },
  );

const outOfMemory = (name: string, cause: Error | undefined): RAGError =>
  new RAGError(
    'DOCUMENT_PARSE_MEMORY',
    `"${name}" took more memory than the thread that prepared it may have. Split or exclude it, or index it on a machine with more memory.`,
    { cause },
  );
