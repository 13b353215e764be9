import { type Runtime, SYSTEM_RUNTIME } from '../../core/runtime.js';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that goes on when it is told to. Its wall clock can be set, as that of a machine. */
export class TestClock {
  #elapsed = 0;
  #wall: number;
  readonly #timers = new Set<Timer>();

  constructor(start: string) {
    this.#wall = Date.parse(start);
  }

  readonly runtime: Runtime = {
    ...SYSTEM_RUNTIME,
    now: () => this.#wall + this.#elapsed,
    elapsed: () => this.#elapsed,
    random: () => 0.5,
    setTimer: (callback, milliseconds) => {
      const timer = { at: this.#elapsed + milliseconds, callback };
      this.#timers.add(timer);
      return () => this.#timers.delete(timer);
    },
  };

  get time(): string {
    return new Date(this.runtime.now()).toISOString().slice(0, 16);
  }

  /** The wall clock shows another time from now on; what is measured goes on. */
  set(time: string): void {
    this.#wall = Date.parse(time) - this.#elapsed;
  }

  /** Goes on, timer by timer; `settled` resolves when what a timer began has come to rest. */
  async advance(milliseconds: number, settled: () => Promise<void>): Promise<void> {
    const end = this.#elapsed + milliseconds;
    await settled();
    for (;;) {
      const next = [...this.#timers].sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#timers.delete(next);
      this.#elapsed = Math.max(this.#elapsed, next.at);
      next.callback();
      await settled();
    }
    this.#elapsed = end;
  }
}
