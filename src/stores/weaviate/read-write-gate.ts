/**
 * Keeps reads and writes of one collection apart in this process. The server replaces a chunk whose vector changed by taking
 * the old one out of its indexes before the new one is in, and a read in between would miss the chunk.
 */
export class ReadWriteGate {
  readonly #reading = new Set<Promise<unknown>>();
  #writing: Promise<unknown> = Promise.resolve();

  /** Runs beside other reads, after the writes that were asked for before. */
  read<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#writing.then(run);
    const settled = quiet(result);
    this.#reading.add(settled);
    void settled.then(() => this.#reading.delete(settled));
    return result;
  }

  /** Runs alone, after everything that was asked for before. */
  write<T>(run: () => Promise<T>): Promise<T> {
    const result = Promise.all([this.#writing, ...this.#reading]).then(run);
    this.#writing = quiet(result);
    return result;
  }
}

/** Who asked for it sees the failure; who waits for its end does not care. */
const quiet = (promise: Promise<unknown>): Promise<unknown> => promise.catch(() => undefined);
