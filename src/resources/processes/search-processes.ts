import type { ChildProcess } from 'node:child_process';
import { packConfig } from '../../config/packed-config.js';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import type { Scope } from '../../core/scope.js';
import { republish, type SentOperation } from '../../core/telemetry-listener.js';
import type { SearchQuery } from '../../operations/engine.js';
import type { FoundPassages, RemoteIndex } from '../found-passages.js';
import { SearchChild, type SearchJob, startSearchProcess } from './search-child.js';

/** Searches that one process has at once; more wait here, for whichever is free first. */
const JOBS_AT_ONCE = 8;
/** Processes that end one after the other before any could search: the next one would end too. */
const MOST_FALSE_STARTS = 3;
/** A search that ended so many processes is the reason. */
const MOST_DEATHS = 2;

export interface SearchProcessesOptions {
  /** Most processes. The first is started at once, others as they are needed. */
  readonly count: number;
  /** How long a search may wait for a process before others are refused, in milliseconds; 0 for any time. */
  readonly maxDelayMs: number;
  /** Starts one. @default `search-process` */
  readonly start?: (() => ChildProcess) | undefined;
}

/**
 * Processes that search, so that searches use all cores and the process that answers callers, and writes, stays free. Each reads the
 * index by itself, as any other process that has the data folder open: what was written before a search began is found. They are processes
 * and no threads, because the driver of the embedded store ends the whole process when a thread that uses it is stopped.
 */
export class SearchProcesses {
  readonly #options: SearchProcessesOptions;
  readonly #children = new Set<SearchChild>();
  #waiting: SearchJob[] = [];
  #jobs = 0;
  #indexes = 0;
  #falseStarts = 0;
  #isClosed = false;

  constructor(options: SearchProcessesOptions) {
    this.#options = options;
    this.#start();
  }

  /** The index of a configuration; undefined where it holds objects of the caller, which no other process has. */
  index(config: ResolvedConfig): RemoteIndex | undefined {
    const packed = packConfig(config);
    if (packed === undefined) return undefined;
    const index = this.#indexes++;
    return {
      find: (query, scope, startedAt) => this.#find({ index, config: packed, startedAt }, query, scope),
      tryNext: (part) => {
        for (const child of this.#children) child.tryNext(index, part);
      },
      close: () => {
        for (const child of this.#children) child.closeIndex(index);
      },
    };
  }

  /** Ends all processes; searches that they had fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const closed = new RAGError('ABORTED', 'The engine was closed.');
    for (const { reject } of this.#waiting.splice(0)) reject(closed);
    await Promise.all([...this.#children].map((child) => child.end()));
  }

  async #find(
    index: Pick<SearchJob, 'index' | 'config' | 'startedAt'>,
    { signal, ...query }: SearchQuery,
    scope: Scope,
  ): Promise<FoundPassages> {
    throwIfAborted(signal);
    this.#refuseOverload();
    let operations: readonly SentOperation[] = [];
    const onOperations = (told: readonly SentOperation[]): void => {
      operations = told;
    };
    try {
      return await this.#ask({ ...index, query, scope, onOperations }, signal);
    } finally {
      // Here, inside of the search that asked.
      republish(operations);
    }
  }

  #ask(
    asked: Pick<SearchJob, 'index' | 'config' | 'startedAt' | 'query' | 'scope' | 'onOperations'>,
    signal: AbortSignal | undefined,
  ): Promise<FoundPassages> {
    return new Promise((resolve, reject) => {
      const job: SearchJob = {
        ...asked,
        number: this.#jobs++,
        since: runtime().elapsed(),
        deaths: 0,
        resolve: (found) => {
          signal?.removeEventListener('abort', stop);
          resolve(found);
        },
        reject: (error) => {
          signal?.removeEventListener('abort', stop);
          reject(error);
        },
      };
      const stop = (): void => {
        this.#drop(job);
        reject(new RAGError('ABORTED', 'The operation was cancelled.', { cause: signal?.reason }));
      };
      signal?.addEventListener('abort', stop, { once: true });
      this.#waiting.push(job);
      this.#dispatch();
    });
  }

  #refuseOverload(): void {
    if (this.#isClosed) throw new RAGError('ABORTED', 'The engine was closed.');
    const { maxDelayMs } = this.#options;
    const oldest = this.#waiting[0]?.since;
    if (maxDelayMs > 0 && oldest !== undefined && runtime().elapsed() - oldest > maxDelayMs)
      throw new RAGError(
        'SERVICE_UNAVAILABLE',
        'There are more searches than can be answered. Try again shortly.',
      );
  }

  #drop(job: SearchJob): void {
    this.#waiting = this.#waiting.filter((one) => one !== job);
    for (const child of this.#children) child.drop(job);
  }

  #dispatch(): void {
    for (let child = this.#free(); child !== undefined; child = this.#free()) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      child.take(job);
    }
  }

  /** The least busy process that can take one more. Where all are busy, and there may be more, one is started. */
  #free(): SearchChild | undefined {
    if (this.#waiting.length === 0 || this.#isClosed) return undefined;
    const children = [...this.#children];
    const [least] = children.filter(({ isReady }) => isReady).sort((a, b) => a.load - b.load);
    if (least?.load === 0) return least;
    // One starts at a time, and the others go on until it is ready.
    const isStarting = children.some(({ isReady }) => !isReady);
    if (!isStarting && children.length < this.#options.count) this.#start();
    return least !== undefined && least.load < JOBS_AT_ONCE ? least : undefined;
  }

  #start(): void {
    const start = this.#options.start ?? startSearchProcess;
    const child: SearchChild = new SearchChild(start(), {
      onFree: () => this.#dispatch(),
      onEnd: ({ lost, hadBegun, how }) => {
        this.#children.delete(child);
        this.#falseStarts = hadBegun ? 0 : this.#falseStarts + 1;
        this.#search(lost, how);
      },
    });
    this.#children.add(child);
  }

  /** Searches change nothing, so what a process that ended had not answered is asked again. */
  #search(lost: readonly SearchJob[], how: string): void {
    const isHopeless = this.#falseStarts >= MOST_FALSE_STARTS;
    const again: SearchJob[] = [];
    for (const job of lost) {
      job.deaths += 1;
      if (this.#isClosed) job.reject(new RAGError('ABORTED', 'The engine was closed.'));
      else if (isHopeless || job.deaths >= MOST_DEATHS) job.reject(deathError(how));
      else again.push(job);
    }
    this.#waiting = [...again, ...this.#waiting];
    // The next search tries once more: memory may be free again by then.
    if (isHopeless) {
      this.#falseStarts = MOST_FALSE_STARTS - 1;
      for (const { reject } of this.#waiting.splice(0)) reject(deathError(how));
    }
    this.#dispatch();
  }
}

const deathError = (how: string): RAGError =>
  new RAGError(
    'SERVICE_UNAVAILABLE',
    `A process that searches ended (${how}), most often for want of memory. Set \`rag.server.searchProcesses\` to a smaller number, or to 0 to search without them.`,
  );
