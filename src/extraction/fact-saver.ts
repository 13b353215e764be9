import type { FactRecord } from '../graph/facts.js';

/**
 * Writes what was read as soon as it may be written: what comes while a write is under way goes together in the next one. So a death loses
 * nothing but the calls that are under way.
 */
export class FactSaver {
  readonly #write: (records: readonly FactRecord[]) => Promise<unknown>;
  #waiting: FactRecord[] = [];
  #next: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(write: (records: readonly FactRecord[]) => Promise<unknown>) {
    this.#write = write;
  }

  /** Resolves when it is durable. */
  save(record: FactRecord): Promise<void> {
    this.#waiting.push(record);
    this.#next ??= this.#afterLast();
    return this.#next;
  }

  async #afterLast(): Promise<void> {
    await this.#last.catch(() => undefined);
    const records = this.#waiting;
    this.#waiting = [];
    this.#next = undefined;
    this.#last = this.#write(records);
    await this.#last;
  }
}
