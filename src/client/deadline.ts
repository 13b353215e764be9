import type { CallOptions } from './call.js';
import type { ClientRuntime } from './client-runtime.js';
import { aborted, type ServiceError, timedOut } from './service-error.js';

/** How long somebody waits for a call. */
export interface Deadline {
  /** Fires when the caller cancels or the time is over. */
  readonly signal: AbortSignal;
  /** Milliseconds; undefined without a limit. */
  readonly left: () => number | undefined;
  /** Why the call ends, where it is nobody's failure; undefined while it goes on. */
  readonly over: () => ServiceError | undefined;
  /** Waits between two tries; ends early when the signal fires. */
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly end: () => void;
}

/** Begins to wait for a call. Whoever begins it ends it. */
export function startDeadline(
  { signal: callers, timeoutMs }: Pick<CallOptions, 'signal' | 'timeoutMs'>,
  { elapsed, setTimer }: ClientRuntime,
): Deadline {
  const controller = new AbortController();
  const start = elapsed();
  let reason: ServiceError | undefined;
  const stop = (why: ServiceError): void => {
    reason ??= why;
    controller.abort(why);
  };
  const onCancel = (): void => stop(aborted(callers?.reason));
  if (callers?.aborted === true) onCancel();
  callers?.addEventListener('abort', onCancel, { once: true });
  const cancelTimer =
    timeoutMs === undefined ? () => undefined : setTimer(() => stop(timedOut(timeoutMs)), timeoutMs);
  const { signal } = controller;
  return {
    signal,
    left: () => (timeoutMs === undefined ? undefined : Math.max(0, timeoutMs - (elapsed() - start))),
    over: () => reason,
    wait: (milliseconds) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const done = (): void => {
          cancel();
          signal.removeEventListener('abort', done);
          resolve();
        };
        const cancel = setTimer(done, milliseconds);
        signal.addEventListener('abort', done, { once: true });
      }),
    end: () => {
      cancelTimer();
      callers?.removeEventListener('abort', onCancel);
    },
  };
}
