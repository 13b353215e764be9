import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Writes the milliseconds of each file to the file that `RAGSTONE_DURATIONS` names. */
export default class DurationsReporter implements Reporter {
  readonly #durations: Record<string, number> = {};

  onTestModuleEnd(module: TestModule): void {
    const { collectDuration, setupDuration, duration } = module.diagnostic();
    this.#durations[module.relativeModuleId] = collectDuration + setupDuration + duration;
  }

  onTestRunEnd(): void {
    const path = process.env.RAGSTONE_DURATIONS;
    if (path !== undefined) writeFileSync(path, JSON.stringify(this.#durations));
  }
}
