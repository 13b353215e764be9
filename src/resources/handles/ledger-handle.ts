import { statSync } from 'node:fs';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { Mutex } from '../../core/mutex.js';
import { guardedLedger } from '../../ledger/guarded-ledger.js';
import type { Generation, GenerationReader, Ledger } from '../../ledger/ledger.js';
import type { LockRequest, WriterLock } from '../../ledger/lock.js';
import { callPart } from '../../platform/degradation/breakers.js';
import { type LedgerConnections, openConnections } from './ledger-connections.js';

/** The live generation, as the ledger says now. */
export interface LiveIndex {
  readonly ledger: Ledger;
  readonly facts: Generation;
  readonly reader: GenerationReader;
}

/** The ledger of an engine, opened on first use. */
export class LedgerHandle {
  /** Other hosts may have the same ledger. */
  readonly isShared: boolean;
  readonly #connections: LedgerConnections;
  /** A ledger on a server, and the same for searches. */
  #guarded: { readonly ledger: Ledger; readonly reader: Ledger } | undefined;
  readonly #lockTurns = new Mutex();

  /** @param onReplaced see `openConnections` */
  constructor(config: ResolvedConfig, { forgets }: { readonly forgets: boolean }, onReplaced: () => void) {
    const own = config.own?.ledger;
    this.isShared = own === undefined ? config.rag.ledger.type === 'postgres' : own.lock !== undefined;
    this.#connections = openConnections(config, { dataDir: config.dataDir, forgets }, onReplaced);
  }

  /** File of the ledger, where it is one. */
  get path(): string {
    return this.#connections.path;
  }

  /** The ledger for reading; undefined before the first `index`. */
  async reading(): Promise<Ledger | undefined> {
    const ledger = await this.#connections.reading();
    if (ledger === undefined || !this.isShared) return ledger;
    if (this.#guarded?.ledger !== ledger) this.#guarded = { ledger, reader: guardedLedger(ledger) };
    return this.#guarded.reader;
  }

  /** See `LedgerConnections.writing`. */
  writing(options: { readonly check: boolean }): Promise<Ledger> {
    return this.#connections.writing(options);
  }

  /** See `LedgerConnections.dry`. */
  dry(): Promise<Ledger> {
    return this.#connections.dry();
  }

  /**
   * See `LedgerConnections.lock`. A call waits for other holders in this process, however long: only other processes
   * are told to wait or to come again.
   */
  async lock(request: LockRequest): Promise<WriterLock> {
    if (this.isShared || ['learning', 'upgrading', 'extracting'].includes(request.subject))
      return this.#connections.lock(request);
    const leave = await this.#lockTurns.acquire(request.signal);
    try {
      const lock = await this.#connections.lock(request);
      const release = async (): Promise<void> => {
        try {
          await lock.release();
        } finally {
          leave();
        }
      };
      return { ...lock, release };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Whether this process writes the index now, or is about to. */
  get isBeingWritten(): boolean {
    return this.#lockTurns.isLocked;
  }

  /** See `LedgerConnections.assertSame`. */
  assertSame(): void {
    this.#connections.assertSame();
  }

  /** See `LedgerConnections.assertThere`. */
  assertThere(): void {
    this.#connections.assertThere();
  }

  /** See `LedgerConnections.discard`. */
  discard(): Promise<void> {
    return this.#connections.discard();
  }

  /** What searches read now; undefined before the first `index`. */
  live(): Promise<LiveIndex | undefined> {
    return this.isShared ? callPart('ledger', () => this.#live()) : this.#live();
  }

  async #live(): Promise<LiveIndex | undefined> {
    const ledger = await this.reading();
    const facts = await ledger?.live();
    if (ledger === undefined || facts === undefined) return undefined;
    return { ledger, facts, reader: ledger.reader(facts.generation) };
  }

  /** Another text after every change that a search may show; undefined where the ledger cannot tell, or there is none. */
  revision(): Promise<string | undefined> {
    return this.isShared ? callPart('ledger', () => this.#revision()) : this.#revision();
  }

  async #revision(): Promise<string | undefined> {
    const ledger = await this.reading();
    const revision = await ledger?.revision?.();
    if (revision === undefined) return undefined;
    // A file that a backup was put back into counts on from an earlier number.
    const file = statSync(this.#connections.path, { throwIfNoEntry: false });
    return `${revision}.${file?.ino ?? ''}.${file?.birthtimeMs ?? ''}`;
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}
