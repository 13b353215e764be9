/** Tells when the person wants to stop. */
export interface Interrupts {
  readonly signal: AbortSignal;
  stop(): void;
}

/** A command that has not ended so long after it was asked to is waiting for something that never comes. Milliseconds. */
const GRACE_MS = 1_800;
/** How often it is looked whether `npx` is still there. */
const PARENT_INTERVAL_MS = 1_000;

/**
 * The first Ctrl-C (or SIGTERM) asks the work to end cleanly; a second, or a while without an end, ends the process at once. What was
 * being written is mended by the next run, as after any other death. The end of `npx`, which started this, counts as SIGTERM: it tells its
 * shell of the signal, and the shell tells nobody.
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
    clearInterval(watch);
  };
  // By the signal itself: `process.exit` waits for threads, and one of them may be in a read that never returns.
  const end = (signal: NodeJS.Signals): void => {
    stop();
    process.kill(process.pid, signal);
  };
  const parent = process.ppid;
  const watch = isOfNpx(process.env)
    ? setInterval(() => {
        if (process.ppid === parent) return;
        clearInterval(watch);
        onSignal('SIGTERM');
      }, PARENT_INTERVAL_MS).unref()
    : undefined;
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return { signal: controller.signal, stop };
}

/** `npx ragstone ...` and nothing that it starts in turn: who leaves a service behind on purpose has it go on. */
const isOfNpx = ({
  npm_lifecycle_event: event,
  npm_lifecycle_script: script = '',
}: NodeJS.ProcessEnv): boolean => event === 'npx' && /^["']?ragstone["']?$/.test(script);
