import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { PackedConfig } from '../../config/packed-config.js';
import { RAGError } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import type { Scope } from '../../core/scope.js';
import { receivedError } from '../../core/sent-error.js';
import { isTelemetryHeard, type SentOperation } from '../../core/telemetry-listener.js';
import type { SearchQuery } from '../../operations/engine.js';
import type { PartName } from '../../platform/degradation/level.js';
import type { FoundPassages } from '../found-passages.js';
import type { FromProcess, ToProcess } from './search-message.js';

/** A search that a process is asked for. */
export interface SearchJob {
  readonly number: number;
  readonly index: number;
  readonly config: PackedConfig;
  readonly query: Omit<SearchQuery, 'signal'>;
  readonly scope: Scope;
  /** When its deadline began to count, by the clock of `runtime().elapsed()`. */
  readonly startedAt: number;
  /** When it was asked for, by the clock of `runtime().elapsed()`. */
  readonly since: number;
  /** Told what the search did before it is answered; nothing where nobody listens. */
  readonly onOperations: (operations: readonly SentOperation[]) => void;
  readonly resolve: (found: FoundPassages) => void;
  readonly reject: (error: Error) => void;
  /** Processes that ended while they had it. */
  deaths: number;
}

interface SearchChildEvents {
  /** It can take a search: it has started, or one of its searches is over. */
  readonly onFree: () => void;
  /** It has ended, with what it had not answered. */
  readonly onEnd: (end: {
    readonly lost: readonly SearchJob[];
    readonly hadBegun: boolean;
    readonly how: string;
  }) => void;
}

/** One search process and the searches it has. */
export class SearchChild {
  readonly #process: ChildProcess;
  readonly #events: SearchChildEvents;
  readonly #jobs = new Map<number, SearchJob>();
  readonly #opened = new Set<number>();
  #isReady = false;
  #hasEnded = false;

  constructor(process: ChildProcess, events: SearchChildEvents) {
    this.#process = process;
    this.#events = events;
    process
      .on('message', (message: FromProcess) => this.#receive(message))
      .on('error', (cause) => this.#ended(cause.message))
      .on('exit', (code, signal) => this.#ended(signal ?? `exit code ${code}`));
    this.#hold();
  }

  /** It has started. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** How many searches it has. */
  get load(): number {
    return this.#jobs.size;
  }

  take(job: SearchJob): void {
    this.#jobs.set(job.number, job);
    this.#hold();
    const { index, config, number, query, scope, startedAt } = job;
    if (!this.#opened.has(index)) this.#send({ kind: 'open', index, config });
    this.#opened.add(index);
    const waitedMs = runtime().elapsed() - startedAt;
    const isHeard = isTelemetryHeard();
    this.#send({
      kind: 'find',
      job: number,
      index,
      query,
      scope,
      isHeard,
      waitedMs,
      sentAt: runtime().now(),
    });
  }

  /** Nobody waits for the answer any more. */
  drop(job: SearchJob): void {
    if (this.#jobs.has(job.number)) this.#send({ kind: 'stop', job: job.number });
  }

  tryNext(index: number, part: PartName): void {
    if (this.#opened.has(index)) this.#send({ kind: 'try', index, part });
  }

  closeIndex(index: number): void {
    if (this.#opened.delete(index)) this.#send({ kind: 'close', index });
  }

  /** Ends it. Nothing is lost: it writes nothing. */
  async end(): Promise<void> {
    if (this.#hasEnded) return;
    const over = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.ref();
    this.#process.kill('SIGKILL');
    await over;
  }

  #send(message: ToProcess): void {
    // Without a function to call, a channel that broke throws where nobody can catch it; `exit` tells the same.
    if (this.#process.connected) this.#process.send(message, () => undefined);
  }

  #receive(message: FromProcess): void {
    if (message.kind === 'ready') {
      this.#isReady = true;
      this.#hold();
      this.#events.onFree();
      return;
    }
    const job = this.#jobs.get(message.job);
    if (job === undefined) return;
    this.#jobs.delete(message.job);
    this.#hold();
    job.onOperations(message.operations);
    if (message.kind === 'found') job.resolve(message.found);
    else
      job.reject(
        receivedError(message.failure) ??
          new RAGError('INTERNAL', 'A search failed for an unexpected reason.', {
            cause: new Error(message.failure.message),
          }),
      );
    this.#events.onFree();
  }

  #ended(how: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const lost = [...this.#jobs.values()];
    this.#jobs.clear();
    this.#events.onEnd({ lost, hadBegun: this.#isReady, how });
  }

  /** The program goes on for a process that searches or starts, and not for one that has nothing to do. */
  #hold(): void {
    const isIdle = this.#isReady && this.#jobs.size === 0;
    this.#process[isIdle ? 'unref' : 'ref']();
    this.#process.channel?.[isIdle ? 'unref' : 'ref']();
  }
}

/** Starts one. From source, in tests and tools, a loader of TypeScript goes first. */
export function startSearchProcess(): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts');
  const module = fileURLToPath(
    new URL(`../../searching/processes/search-process.${isSource ? 'ts' : 'js'}`, import.meta.url),
  );
  return fork(module, [], {
    execArgv: isSource ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] : [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}
