import { repeat, runtime } from '../../../core/runtime.js';
import type { EngineHealth, HealthOptions } from '../../../operations/engine.js';

/** Whatever says whether it answers: an engine, or the indexes of all tenants. */
export interface HealthSource {
  health(options?: HealthOptions): Promise<EngineHealth>;
}

/** What a check found, and when. */
export interface CheckedHealth {
  readonly health: EngineHealth;
  /** Milliseconds since some moment (`runtime().elapsed()`). */
  readonly at: number;
}

/** Checks the parts at intervals, one check at a time. */
export class HealthChecks {
  readonly #source: HealthSource;
  readonly #onChecked: (health: EngineHealth) => void;
  readonly #intervalMs: number;
  readonly #stop: () => void;
  #running: Promise<void> | undefined;
  #last: CheckedHealth | undefined;

  constructor(
    source: HealthSource,
    {
      intervalMs,
      onChecked,
    }: { readonly intervalMs: number; readonly onChecked: (health: EngineHealth) => void },
  ) {
    this.#source = source;
    this.#onChecked = onChecked;
    this.#intervalMs = intervalMs;
    const check = (): void => void this.check();
    check();
    this.#stop = repeat(check, intervalMs, { isBackground: true });
  }

  /** Undefined before the first check is over, and where two are late. */
  get last(): CheckedHealth | undefined {
    const age = runtime().elapsed() - (this.#last?.at ?? 0);
    return age > 2 * this.#intervalMs ? undefined : this.#last;
  }

  /** Checks now, unless a check is under way. */
  check(): Promise<void> {
    this.#running ??= this.#check().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #check(): Promise<void> {
    try {
      const health = await this.#source.health({ counts: true });
      this.#last = { health, at: runtime().elapsed() };
      this.#onChecked(health);
    } catch {
      // It was closed.
    }
  }

  async stop(): Promise<void> {
    this.#stop();
    await this.#running;
  }
}
