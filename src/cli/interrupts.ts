import { ExitCode } from './errors.js';

/** Tells when the person wants to stop. */
export interface Interrupts {
  readonly signal: AbortSignal;
  stop(): void;
}

/** The first Ctrl-C (or SIGTERM) asks the work to end cleanly, the second ends the process at once. */
export function watchInterrupts(): Interrupts {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(ExitCode.interrupted);
    controller.abort(new Error('interrupted'));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    stop: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
