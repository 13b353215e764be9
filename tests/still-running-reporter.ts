import type { Reporter, TestModule } from 'vitest/node';

const QUIET_MS = 60_000;

/** Names the files that run when nothing has ended for a minute, so that a test that hangs is seen by its name. */
export default class StillRunningReporter implements Reporter {
  readonly #running = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  onTestModuleStart(module: TestModule): void {
    this.#running.add(module.relativeModuleId);
    this.#watch();
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module.relativeModuleId);
    this.#watch();
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
  }

  #watch(): void {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      process.stderr.write(`still running: ${[...this.#running].join(', ')}\n`);
    }, QUIET_MS);
    this.#timer.unref();
  }
}
