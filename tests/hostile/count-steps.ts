import { Session } from 'node:inspector/promises';

/**
 * How many blocks of JavaScript a run goes through, libraries included, as V8 counts them for coverage: the same number on
 * every machine, however busy it is. What V8 does inside one call of a regular expression or of a text's method is one step.
 */
export class StepMeter {
  readonly #session = new Session();

  private constructor() {
    this.#session.connect();
  }

  static async start(): Promise<StepMeter> {
    const meter = new StepMeter();
    await meter.#session.post('Profiler.enable');
    await meter.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return meter;
  }

  async stepsOf(run: () => unknown): Promise<number> {
    await this.#take();
    await run();
    return this.#take();
  }

  async stop(): Promise<void> {
    await this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }

  /** Taking the counts also sets them back. */
  async #take(): Promise<number> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    let steps = 0;
    for (const { functions } of result)
      for (const { ranges } of functions) for (const { count } of ranges) steps += count;
    return steps;
  }
}
