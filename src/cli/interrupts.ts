/** Tells when the person wants to stop. */
export interface Interrupts {
  readonly signal: AbortSignal;
  stop(): void;
}

/** A command that has not ended so long after it was asked to is waiting for something that never comes. Milliseconds. */
const GRACE_MS = 1_800;

/**
 * The first Ctrl-C (or SIGTERM) asks the work to end cleanly; a second, or a while without an end, ends the process at once. What was
 * being written is mended by the next run, as after any other death.
 *
 * @param isFinishing whether the command has work of others to finish, however long that takes.
 */
export function watchInterrupts(isFinishing: () => boolean): Interrupts {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) end(signal);
    controller.abort(new Error('interrupted'));
    setTimeout(() => {
      if (!isFinishing()) end(signal);
    }, GRACE_MS).unref();
  };
  const stop = (): void => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
  // By the signal itself: `process.exit` waits for threads, and one of them may be in a read that never returns.
  const end = (signal: NodeJS.Signals): void => {
    stop();
    process.kill(process.pid, signal);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return { signal: controller.signal, stop };
}
