import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type * as NodeFiles from 'node:fs/promises';
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { RAGError, throwIfAborted } from './errors.js';

/**
 * What an engine takes from the machine that is not the same twice: clocks, timers, chance, threads, and files that others write. Leases, deadlines, retries, ids
 * and times are made of it, so that a program that hands in its own (`createEngine({ runtime })`) decides what happens when.
 */
export interface Runtime {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since some moment, never fewer than before: how long something takes is measured by it. */
  readonly elapsed: () => number;
  /** A number from 0 up to 1, and never 1. */
  readonly random: () => number;
  /** A name that nobody else makes, such as a UUID. */
  readonly uniqueName: () => string;
  /** Calls back once, after so many milliseconds, unless the function that is returned is called before. */
  readonly setTimer: (callback: () => void, milliseconds: number, options?: TimerOptions) => () => void;
  /**
   * Prepares one document by calling `work`, when and in whatever order it likes. Everything is then prepared on the engine's own
   * thread. @default threads, where there is much to prepare
   */
  readonly prepare?: (<Result>(work: () => Promise<Result>) => Promise<Result>) | undefined;
  /** How the sources of files list and read them. The index's own files are not reached through it. @default those of the machine */
  readonly files?: SourceFiles | undefined;
}

/** What sources read files with: functions of `node:fs/promises`, or of whatever has the same form (`memfs`). */
export type SourceFiles = Pick<typeof NodeFiles, 'lstat' | 'open' | 'readdir' | 'realpath' | 'stat'>;

export interface TimerOptions {
  /** The process may end before. @default false */
  readonly isBackground?: boolean | undefined;
}

/** That of the machine. */
export const SYSTEM_RUNTIME: Runtime & { readonly files: SourceFiles } = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  random: () => Math.random(),
  uniqueName: () => randomUUID(),
  setTimer: (callback, milliseconds, { isBackground = false } = {}) => {
    const timer = setTimeout(callback, milliseconds);
    if (isBackground) timer.unref();
    return () => clearTimeout(timer);
  },
  files: { lstat, open, readdir, realpath, stat },
};

const runtimes = new AsyncLocalStorage<Runtime>();

/** The runtime of the engine that this work is done for. */
export const runtime = (): Runtime => runtimes.getStore() ?? SYSTEM_RUNTIME;

/** Its time in ISO 8601, UTC. */
export const isoNow = (): string => new Date(runtime().now()).toISOString();

/** The files of that runtime. */
export const sourceFiles = (): SourceFiles => runtime().files ?? SYSTEM_RUNTIME.files;

/** Does work, and whatever it starts, with a runtime; without one, with that which is in force. */
export const withRuntime = <Result>(given: Runtime | undefined, work: () => Result): Result =>
  given === undefined ? work() : runtimes.run(given, work);

/** Waits. Throws `ABORTED` as soon as the signal fires. */
export function sleep(milliseconds: number, signal?: AbortSignal, options?: TimerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    throwIfAborted(signal);
    const onAbort = (): void => {
      cancel();
      reject(new RAGError('ABORTED', 'The operation was cancelled.', { cause: signal?.reason }));
    };
    const cancel = runtime().setTimer(
      () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
      milliseconds,
      options,
    );
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Calls back again and again until the function that is returned is called. */
export function repeat(callback: () => void, milliseconds: number, options?: TimerOptions): () => void {
  const { setTimer } = runtime();
  let isOver = false;
  let cancel = (): void => undefined;
  const next = (): void => {
    cancel = setTimer(
      () => {
        callback();
        if (!isOver) next();
      },
      milliseconds,
      options,
    );
  };
  next();
  return () => {
    isOver = true;
    cancel();
  };
}

/** A signal that fires with a `TimeoutError` after so many milliseconds. */
export function timeoutSignal(milliseconds: number): AbortSignal {
  const controller = new AbortController();
  const late = (): void =>
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  runtime().setTimer(late, milliseconds, { isBackground: true });
  return controller.signal;
}
