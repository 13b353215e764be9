import { type Runtime, SYSTEM_RUNTIME } from '../../src/core/runtime.js';

/** Thrown where a simulated process has died. */
export class Crash extends Error {}

/**
 * A runtime whose process may die. The engine asks its runtime for the time before and after each call to ledger and store, and for
 * every file that it lists or reads, so a death at any of these moments leaves what a real one could leave. From then on all is refused:
 * nothing is done any more by work that goes on.
 */
export class CrashingRuntime {
  #left = Infinity;
  #isDead = false;
  /** Moments that went by. */
  moments = 0;
  readonly #now: () => number;

  /** @param now the time, in milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The process dies after so many moments. */
  dieAfter(moments: number): void {
    this.#left = moments;
  }

  /** Another process. */
  revive(): void {
    this.#left = Infinity;
    this.#isDead = false;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get runtime(): Runtime {
    const { files } = SYSTEM_RUNTIME;
    const at = <Args extends unknown[], Result>(call: (...args: Args) => Result) => {
      return (...args: Args): Result => {
        this.#live();
        return call(...args);
      };
    };
    return {
      now: at(this.#now),
      elapsed: at(() => SYSTEM_RUNTIME.elapsed()),
      random: at(() => 0.5),
      uniqueName: at(() => SYSTEM_RUNTIME.uniqueName()),
      setTimer: SYSTEM_RUNTIME.setTimer,
      prepare: (work) => {
        this.#live();
        return work();
      },
      files: {
        lstat: at(files.lstat) as typeof files.lstat,
        open: at(files.open),
        readdir: at(files.readdir) as typeof files.readdir,
        realpath: at(files.realpath) as typeof files.realpath,
        stat: at(files.stat) as typeof files.stat,
      },
    };
  }

  #live(): void {
    this.moments += 1;
    this.#left -= 1;
    if (this.#left < 0) this.#isDead = true;
    if (this.#isDead) throw new Crash('The process died.');
  }
}
