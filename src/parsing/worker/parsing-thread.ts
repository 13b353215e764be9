import type { Worker } from 'node:worker_threads';
import type { ParsedDocument } from '../../core/document.js';
import { RAGError, systemErrorCode, throwIfAborted } from '../../core/errors.js';
import { repeat, runtime } from '../../core/runtime.js';
import { receivedError } from '../../core/sent-error.js';
import { startWorker, WITHOUT_SECRETS } from '../../platform/threads/start-worker.js';
import { STILL_AT_WORK } from '../still-at-work.js';
import { TOLERATE_STRAY_REJECTIONS } from '../stray-rejections.js';
import { type ParseReply, type ParseRequest, READY } from './parse-message.js';

/** What the parsing of one document may take. */
export interface ParsingLimits {
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Mebibytes of the thread's heap; buffers outside of it may take as much again, but no more in all than a half of what the machine or container has left. */
  readonly memoryMb: number;
}

/** How often the memory outside of the heap is looked at while a document is parsed, in milliseconds. */
const MEMORY_CHECK_MS = 50;
/** A thread that has nothing to do for so long is stopped, for what its libraries hold. */
const IDLE_MS = 10_000;
const MIB = 1024 * 1024;
/** Of the memory that is left when a document is begun, so that one document never ends the process for want of it. */
const SHARE_OF_FREE = 0.5;

/**
 * A thread in which documents are parsed one after another. It is started with the first, kept, and killed by the
 * document that takes too much or on which a parser fails in a way of its own; the next one finds a new thread. It never keeps the process alive.
 */
export class ParsingThread {
  #worker: Promise<Worker> | undefined;
  #cancelIdle: () => void = () => undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly limits: ParsingLimits,
    readonly open: (limits: ParsingLimits) => Promise<Worker> = startParser,
  ) {}

  /**
   * @throws RAGError what the parser throws; `DOCUMENT_PARSE_TIMEOUT`, `DOCUMENT_PARSE_MEMORY`; `DOCUMENT_INVALID` where
   *   the parser fails in a way of its own; `ABORTED` by the signal, which kills the thread
   */
  parse(request: ParseRequest, signal?: AbortSignal): Promise<ParsedDocument> {
    const result = this.#last.then(() => this.#parseNow(request, signal));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #parseNow(request: ParseRequest, signal?: AbortSignal): Promise<ParsedDocument> {
    const wasUsed = this.#worker !== undefined;
    const first = await this.#ask(request, signal);
    // What an earlier document left behind may be what this one failed on.
    const reply = first.isSpent && wasUsed ? await this.#ask(request, signal) : first;
    if ('parsed' in reply) return reply.parsed;
    throw (
      receivedError(reply.failure) ??
      new RAGError('DOCUMENT_INVALID', `"${request.document.externalId}" could not be parsed: ${RECOVER}`, {
        cause: new Error(reply.failure.message),
      })
    );
  }

  async #ask(request: ParseRequest, signal?: AbortSignal): Promise<ParseReply> {
    throwIfAborted(signal);
    this.#cancelIdle();
    this.#worker ??= this.#start();
    const worker = await this.#worker.catch((cause: unknown) => {
      this.#worker = undefined;
      throw new RAGError('INTERNAL', 'The thread that parses documents could not be started.', { cause });
    });
    worker.ref();
    try {
      const reply = await this.#exchange(worker, request, signal);
      if (reply.isSpent) await this.#kill(worker);
      return reply;
    } catch (error) {
      // After a failure that is no answer, nothing is known of the thread.
      await this.#kill(worker);
      throw error;
    } finally {
      worker.unref();
      this.#cancelIdle = runtime().setTimer(() => void this.#kill(worker), IDLE_MS, { isBackground: true });
    }
  }

  #start(): Promise<Worker> {
    const started = this.open(this.limits).then((worker) =>
      // A thread that ends while it waits is replaced by the next document.
      worker.once('exit', () => {
        if (this.#worker === started) this.#worker = undefined;
      }),
    );
    return started;
  }

  #exchange(worker: Worker, request: ParseRequest, signal?: AbortSignal): Promise<ParseReply> {
    const { timeoutMs, memoryMb } = this.limits;
    const name = request.document.externalId;
    const rssBefore = process.memoryUsage.rss();
    const most = Math.min(2 * memoryMb * MIB, SHARE_OF_FREE * process.availableMemory());
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        forgetTime();
        forgetMemory();
        signal?.removeEventListener('abort', onAbort);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        act();
      };
      const fail = (error: RAGError): void => settle(() => reject(error));
      const onMessage = (message: ParseReply | typeof STILL_AT_WORK): void => {
        forgetTime();
        if (message === STILL_AT_WORK) forgetTime = startTime();
        else settle(() => resolve(message));
      };
      const onError = (cause: Error): void =>
        fail(
          systemErrorCode(cause) === 'ERR_WORKER_OUT_OF_MEMORY'
            ? tooMuchMemory(name, memoryMb)
            : stopped(name, cause),
        );
      const onExit = (): void => fail(stopped(name));
      const onAbort = (): void =>
        fail(new RAGError('ABORTED', 'The operation was cancelled.', { cause: signal?.reason }));
      signal?.addEventListener('abort', onAbort, { once: true });
      const startTime = () => runtime().setTimer(() => fail(tooSlow(name, timeoutMs)), timeoutMs);
      let forgetTime = startTime();
      const forgetMemory = repeat(() => {
        if (process.memoryUsage.rss() - rssBefore > most)
          fail(tooMuchMemory(name, Math.min(memoryMb, Math.floor(most / MIB))));
      }, MEMORY_CHECK_MS);
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      const { document } = request;
      // A copy, which is then handed over: a slice of a larger buffer would take all of it along.
      const content =
        typeof document.content === 'string' ? document.content : Uint8Array.from(document.content);
      const handed = typeof content === 'string' ? [] : [content.buffer];
      worker.postMessage({ ...request, document: { ...document, content } }, handed);
    });
  }

  async #kill(worker: Worker): Promise<void> {
    if ((await this.#worker?.catch(() => undefined)) === worker) this.#worker = undefined;
    await worker.terminate();
  }

  /** Stops the thread; the next document starts another. */
  async stop(): Promise<void> {
    this.#cancelIdle();
    const worker = await this.#worker?.catch(() => undefined);
    if (worker !== undefined) await this.#kill(worker);
  }
}

const RECOVER = 'the parser failed on it. Save it again, or exclude it.';
const tooSlow = (name: string, timeoutMs: number): RAGError =>
  new RAGError(
    'DOCUMENT_PARSE_TIMEOUT',
    `"${name}" took longer than ${timeoutMs} ms to parse and was given up. Split or exclude it, or raise limits.parseTimeoutMs.`,
    { details: { timeoutMs } },
  );

const tooMuchMemory = (name: string, memoryMb: number): RAGError =>
  new RAGError(
    'DOCUMENT_PARSE_MEMORY',
    `"${name}" took more than ${memoryMb} MiB to parse and was given up. Split or exclude it, or give more memory (limits.parseMemoryMb, and the machine or container has to have as much again).`,
    { details: { memoryMb } },
  );

const stopped = (name: string, cause?: Error): RAGError =>
  new RAGError(
    'DOCUMENT_PARSE_STOPPED',
    `"${name}" ended the thread that parsed it. Save it again, or exclude it.`,
    { cause },
  );

async function startParser({ memoryMb }: ParsingLimits): Promise<Worker> {
  const worker = startWorker(new URL('./parse-worker.js', import.meta.url), {
    ...WITHOUT_SECRETS,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    execArgv: [TOLERATE_STRAY_REJECTIONS],
    stdout: true,
    stderr: true,
  });
  await new Promise<void>((resolve, reject) => {
    worker.once('message', (message) =>
      message === READY ? resolve() : reject(new Error('unexpected message')),
    );
    worker.once('error', reject);
  });
  // A caller that waits for an answer listens too; without a listener an error would end the process.
  return worker.on('error', () => undefined);
}
