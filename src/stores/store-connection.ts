import { RAGError, throwIfAborted } from '../core/errors.js';
import type { CalledServer } from './server-calls.js';

/** A connection of one store to its server. */
export class StoreConnection implements CalledServer {
  readonly title: string;
  readonly address: string;
  readonly #closing = new AbortController();

  constructor(title: string, address: string) {
    this.title = title;
    this.address = address;
  }

  /** Aborts when the store is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Throws `ABORTED` where the call is cancelled and `STORE_UNAVAILABLE` where the store is closed. */
  begin(signal?: AbortSignal): void {
    throwIfAborted(signal);
    if (this.closing.aborted)
      throw new RAGError('STORE_UNAVAILABLE', `The ${this.title} store is closed; create a new one.`);
  }

  /** Every later call is refused. Idle connections close by themselves. */
  async close(): Promise<void> {
    this.#closing.abort();
  }
}
