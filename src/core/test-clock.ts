import { type Runtime, SYSTEM_RUNTIME, withRuntime } from './runtime.js';

/** Does work by a clock that only timers move: what it waits for is what it takes. */
export function onTimersAlone<Result>(work: () => Promise<Result>): Promise<Result> {
  let ms = 0;
  const own: Runtime = {
    ...SYSTEM_RUNTIME,
    elapsed: () => ms,
    setTimer: (callback, milliseconds) => {
      const timer = setImmediate(() => {
        ms += milliseconds;
        callback();
      });
      return () => clearImmediate(timer);
    },
  };
  return withRuntime(own, work);
}
