import { RAGError } from '../../core/errors.js';
import { withDeadline } from '../../core/with-deadline.js';
import { Breaker, type PartState } from '../../platform/degradation/breaker.js';
import type { CollectionSpec, VectorCollection, VectorStore } from '../vector-store.js';
import type { Mark } from './journal-state.js';
import { isSilence } from './outages.js';
import { StoreMark } from './store-mark.js';
import { applyWrite, type StoreWrite } from './store-write.js';

export interface MemberOptions {
  /** `rag.degradation.failures` */
  readonly failures: number;
  /** `rag.degradation.retryAfterMs` */
  readonly retryAfterMs: number;
  /** What is asked quickly is given up after so many milliseconds. */
  readonly patienceMs: number;
}

/** One of the stores: behind a breaker, with what is open of it and how far it was found to be. */
export class MemberStore {
  readonly name: string;
  readonly store: VectorStore;
  readonly #options: MemberOptions;
  readonly #breaker: Breaker;
  readonly #mark: StoreMark;
  readonly #collections = new Map<string, Promise<VectorCollection>>();
  /** The last write that it was found to have, since it last failed; undefined where it was not asked. */
  #seen: Mark | undefined;
  #lastSeen: Mark | undefined;
  #lastError: string | undefined;

  constructor(name: string, store: VectorStore, options: MemberOptions) {
    this.name = name;
    this.store = store;
    this.#options = options;
    this.#mark = new StoreMark(store);
    this.#breaker = new Breaker({
      failures: options.failures,
      retryAfterMs: options.retryAfterMs,
      isOutage: isSilence,
      lateError: () => this.#late(),
      refusal: (why) =>
        new RAGError(
          'STORE_UNAVAILABLE',
          `The store "${name}" has failed ${options.failures} times in a row and is left alone for ${options.retryAfterMs} ms; the last time: ${why}`,
        ),
    });
  }

  get breaker(): PartState {
    return this.#breaker.state;
  }

  /** It is left alone now. */
  get isLeftAlone(): boolean {
    return this.#breaker.refuses;
  }

  get seen(): Mark | undefined {
    return this.#seen;
  }

  /** The last write that it was ever found to have. */
  get lastSeen(): Mark | undefined {
    return this.#lastSeen;
  }

  /** Why it did not answer when it last failed; undefined once it answers. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  /** What the store itself says, whatever was found before. */
  async readMark(journal: string): Promise<Mark | undefined> {
    const mark = await this.quickly(() => this.#mark.read(journal));
    [this.#seen, this.#lastSeen] = [mark, mark];
    return mark;
  }

  async writeMark(journal: string, mark: Mark): Promise<void> {
    await this.ask(() => this.#mark.write(journal, mark));
    [this.#seen, this.#lastSeen] = [mark, mark];
  }

  /** Does a write and then says that it is done. */
  async apply(write: StoreWrite, journal: string, mark: Mark): Promise<number> {
    const count = await this.ask(() => applyWrite(write, this.store, (spec) => this.opened(spec)));
    if (write.kind === 'drop') this.#collections.delete(write.name);
    await this.writeMark(journal, mark);
    // The mark stands in the log that was just emptied.
    if (write.kind === 'purge') await this.ask(() => this.#mark.purge(journal));
    return count;
  }

  /** A collection that is there. */
  collection(spec: CollectionSpec): Promise<VectorCollection> {
    return this.ask(() => this.opened(spec));
  }

  /** Makes a collection anew, empty. */
  async emptied(spec: CollectionSpec): Promise<VectorCollection> {
    await this.ask(() => this.store.drop(spec.name));
    this.#collections.delete(spec.name);
    return this.collection(spec);
  }

  /** A request through its breaker; what it says stays what it was after a failure is found out anew. */
  async ask<Result>(request: () => Promise<Result>): Promise<Result> {
    const session = this.#breaker.begin();
    try {
      const answer = await session.ask(request);
      this.#lastError = undefined;
      return answer;
    } catch (error) {
      if (isSilence(error)) {
        this.#lastError = error.message;
        this.distrust();
      }
      throw error;
    } finally {
      session.end();
    }
  }

  /** A request that a store answers at once where it answers at all. */
  quickly<Result>(request: () => Promise<Result>): Promise<Result> {
    const { patienceMs: timeoutMs } = this.#options;
    return this.ask(() => withDeadline({ timeoutMs, lateError: () => this.#late() }, request));
  }

  /** How far it is, and what is open of it, is found out anew. */
  distrust(): void {
    this.#seen = undefined;
    this.#collections.clear();
    this.#mark.forget();
  }

  /** Whether it is opened already. */
  hasOpen(name: string): boolean {
    return this.#collections.has(name);
  }

  /** As `collection`, within a request. */
  opened(spec: CollectionSpec): Promise<VectorCollection> {
    const key = spec.name;
    let opening = this.#collections.get(key);
    if (opening === undefined) {
      opening = this.store.open(spec);
      this.#collections.set(key, opening);
      opening.catch(() => this.#collections.delete(key));
    }
    return opening;
  }

  #late(): RAGError {
    return new RAGError(
      'STORE_TIMEOUT',
      `The store "${this.name}" did not answer within ${this.#options.patienceMs} ms.`,
    );
  }
}
