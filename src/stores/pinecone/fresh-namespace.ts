import type { Index } from '@pinecone-database/pinecone';
import { runtime, sleep } from '../../core/runtime.js';
import type { CallOptions, NamespacePlace, Outcome, PineconeConnection } from './pinecone-connection.js';
import { staleError } from './pinecone-errors.js';

/** Number that a write is given (https://docs.pinecone.io/guides/index-data/check-data-freshness). */
const WRITTEN = 'x-pinecone-request-lsn';
/** The last number whose write a query has seen. */
const SEEN = 'x-pinecone-max-indexed-lsn';
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;

/**
 * One namespace, whose reads see what was written here before. The service shows writes some time later and numbers them; a read waits until a query,
 * which alone tells the number that it has seen, has seen the last one. Writes of other processes are seen when the service shows them.
 */
export class FreshNamespace {
  readonly place: NamespacePlace;
  readonly #connection: PineconeConnection;
  readonly #probe: number[];
  /** After how long at most a write is seen by everybody. */
  readonly eventualMs: number;
  #written = 0;
  #seen = 0;

  constructor(
    connection: PineconeConnection,
    place: NamespacePlace,
    { dimensions, eventualMs }: { readonly dimensions: number; readonly eventualMs: number },
  ) {
    this.#connection = connection;
    this.place = place;
    this.#probe = Array.from({ length: dimensions }, (_, i) => (i === 0 ? 1 : 0));
    this.eventualMs = eventualMs;
  }

  /** The number of the last write through this handle. */
  get written(): number {
    return this.#written;
  }

  /** Undefined where there is no such namespace. */
  async write<T>(call: CallOptions, run: (index: Index) => Promise<T>): Promise<T | undefined> {
    const { value, headers } = await this.#connection.data(this.place, call, run);
    this.#written = Math.max(this.#written, Number(headers.get(WRITTEN)) || 0);
    return value;
  }

  /** Undefined where there is no such namespace. */
  async read<T>(call: CallOptions, run: (index: Index) => Promise<T>): Promise<T | undefined> {
    await this.settle(call);
    const { value, headers } = await this.#connection.data(this.place, call, run);
    this.#note(headers);
    return value;
  }

  /** Waits until every write through this handle is seen. Throws `STORE_TIMEOUT` where that takes too long. */
  async settle(call: CallOptions): Promise<void> {
    const wanted = this.#written;
    const end = runtime().elapsed() + this.eventualMs;
    for (
      let pauseMs = FIRST_PAUSE_MS;
      this.#seen < wanted;
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    ) {
      const { headers }: Outcome<unknown> = await this.#connection.data(this.place, call, (index) =>
        index.query({ topK: 1, vector: this.#probe, includeValues: false, includeMetadata: false }),
      );
      this.#note(headers);
      if (this.#seen >= wanted) return;
      if (runtime().elapsed() > end) throw staleError(this.place.host, call.action, this.eventualMs);
      await sleep(pauseMs, call.signal);
    }
  }

  #note(headers: Headers): void {
    this.#seen = Math.max(this.#seen, Number(headers.get(SEEN)) || 0);
  }
}
