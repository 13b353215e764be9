import { indexedTextOfStored } from '../../core/analysis/indexed-text.js';
import { analyzeText } from '../../core/analysis/lexical-analyzer.js';
import type { ChunkRecord, StoredChunk } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';
import { repeat } from '../../core/runtime.js';
import { isSearching } from '../../platform/degradation/breakers.js';
import { collectionOf, membersOf } from '../collection-members.js';
import type { CollectionSpec, VectorStore } from '../vector-store.js';
import { copyStale, type RecordsOf } from './copy-stale.js';
import type { StoresStatus } from './failover-states.js';
import { type JournalFiles, MACHINE_FILES } from './journal-files.js';
import { managedStore } from './managed-store.js';
import { MemberStore } from './member-store.js';
import { readStates } from './read-states.js';
import { StoreReads } from './store-reads.js';
import { StoresInStep } from './stores-in-step.js';
import { WriteJournal } from './write-journal.js';

export interface VectorStoreManagerOptions {
  /** By name; the first is asked first, until `switchStore` says otherwise. The manager closes them. */
  readonly stores: Readonly<Record<string, VectorStore>>;
  /** Where the journal is kept. One folder an index. */
  readonly folder: string;
  /** @default the name of the first store */
  readonly name?: string | undefined;
  /** `rag.failover.dualWrite`. @default true */
  readonly dualWrite?: boolean | undefined;
  /** The journal keeps no more, in bytes: writes are refused then. @default 1 GiB */
  readonly maxJournalBytes?: number | undefined;
  /** Failures in a row after which a store is left alone. @default 3 */
  readonly failures?: number | undefined;
  /** How long, and how often each store is looked at, in milliseconds. @default 5000 */
  readonly retryAfterMs?: number | undefined;
  /** What a store answers at once where it answers at all is given up after so many milliseconds. @default 2000 */
  readonly patienceMs?: number | undefined;
  /** Runs work while no other process does work of that name in this folder. @default no other process has the folder */
  readonly exclusively?:
    | (<Result>(what: 'write' | 'copy', work: () => Promise<Result>) => Promise<Result>)
    | undefined;
  /** Every collection that the index has, asked before the first write. @default those that `adopt` names */
  readonly known?: (() => Promise<readonly CollectionSpec[]>) | undefined;
  /** Makes records of what a store gives back. @default their words are made of what is stored, without what surrounds a chunk */
  readonly recordsOf?: RecordsOf | undefined;
  /** @default those of the machine */
  readonly files?: JournalFiles | undefined;
}

const DEFAULTS = { maxJournalBytes: 1024 ** 3, failures: 3, retryAfterMs: 5_000, patienceMs: 2_000 } as const;

/**
 * Several stores that hold the same, as one (`store`): it is written to all of them by a journal, and answered by the first that has every
 * write. A store that was out catches up by itself and is read when it has. `docs/failover.md` says what is promised.
 */
export class VectorStoreManager {
  /** All of them as one. */
  readonly store: VectorStore;
  readonly #members: readonly MemberStore[];
  readonly #journal: WriteJournal;
  readonly #inStep: StoresInStep;
  readonly #options: VectorStoreManagerOptions;
  readonly #stopped = new AbortController();
  #begun: Promise<void> | undefined;
  #stopLooking: (() => void) | undefined;
  #looking: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: VectorStoreManagerOptions) {
    this.#options = options;
    const { folder, files = MACHINE_FILES, dualWrite = true } = options;
    const { failures = DEFAULTS.failures, retryAfterMs = DEFAULTS.retryAfterMs } = options;
    const { patienceMs = DEFAULTS.patienceMs, maxJournalBytes = DEFAULTS.maxJournalBytes } = options;
    const members = Object.entries(options.stores).map(
      ([name, store]) => new MemberStore(name, store, { failures, retryAfterMs, patienceMs }),
    );
    const [first] = members;
    if (first === undefined) throw new RAGError('USAGE', 'A manager of stores needs at least one store.');
    this.#members = members;
    this.#journal = new WriteJournal({ folder, files, maxBytes: maxJournalBytes });
    this.#inStep = new StoresInStep({
      ...{ members, dualWrite },
      journal: this.#journal,
      exclusively: (work) => this.#exclusively('write', work),
      known: options.known,
    });
    this.store = managedStore({
      name: options.name ?? first.name,
      ...{ members, inStep: this.#inStep },
      reads: new StoreReads({
        journal: this.#journal,
        inStep: this.#inStep,
        patience: () => (isSearching() ? patienceMs : undefined),
        onDoubt: () => void this.#look(),
      }),
      begin: () => this.#begin(),
      close: () => this.close(),
    });
  }

  /** One of the stores, to be asked alone; what is written goes to `store`. */
  getStore(name: string): VectorStore {
    const member = this.#members.find((one) => one.name === name);
    if (member !== undefined) return readOnlyStore(member.store, name);
    const names = this.#members.map((one) => one.name).join(', ');
    throw new RAGError('USAGE', `"${name}" is none of the stores: name one of ${names}.`);
  }

  /**
   * Asks this store first from now on, in every process of the index. It catches up before.
   *
   * @throws RAGError `STORE_UNAVAILABLE` where it cannot: then nothing has changed
   */
  async switchStore(name: string): Promise<void> {
    await this.catchUp();
    await this.#inStep.switchTo(name);
  }

  /**
   * Gives every store what it lacks, and copies what must be copied.
   *
   * @returns whether all of them now have everything
   */
  async catchUp(signal?: AbortSignal): Promise<boolean> {
    const { members, journal, inStep } = {
      members: this.#members,
      journal: this.#journal,
      inStep: this.#inStep,
    };
    const before = new Map(members.map((member) => [member, journal.state?.stores[member.name]?.status]));
    const isLevel = await inStep.catchUp(signal);
    await copyStale({
      ...{ members, journal, inStep, signal },
      recordsOf: this.#options.recordsOf ?? recordsWithWords,
      exclusively: (work) => this.#exclusively('copy', work),
    });
    const state = await journal.refresh();
    for (const member of members)
      if (before.get(member) === 'behind' && state?.stores[member.name]?.status === 'current')
        await this.#optimize(member);
    return isLevel && members.every(({ name }) => state?.stores[name]?.stale.length === 0);
  }

  /** Tells the journal, once, of every collection that the first store had before there was one, so that the others get them too. */
  async adopt(specs: readonly CollectionSpec[]): Promise<void> {
    if ((await this.#journal.refresh())?.isComplete !== true) await this.#inStep.adoptAll(specs);
  }

  /** Gives up what the journal keeps for a store, which is copied anew when it answers. */
  rebuild(name: string): Promise<void> {
    return this.#inStep.rebuild(name);
  }

  /** How the stores are, asked now. */
  async status(): Promise<StoresStatus> {
    const { dualWrite = true, maxJournalBytes = DEFAULTS.maxJournalBytes } = this.#options;
    return readStates({
      ...{ dualWrite, maxBytes: maxJournalBytes },
      members: this.#members,
      journal: this.#journal,
      inStep: this.#inStep,
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stopLooking?.();
    this.#stopped.abort();
    await this.#looking;
    if (this.#begun !== undefined) await this.#inStep.tidy().catch(() => undefined);
    await this.#journal.close();
    await Promise.all(this.#members.map(({ store }) => store.close()));
  }

  /** What a dead process left is finished before anything is read, and from then on the stores are looked at. */
  #begin(): Promise<void> {
    this.#begun ??= this.#inStep
      .recover()
      // Who reads may go on: it is said where nothing can be read.
      .catch(() => undefined)
      .then(() => {
        if (this.#stopped.signal.aborted) return;
        const { retryAfterMs = DEFAULTS.retryAfterMs } = this.#options;
        this.#stopLooking = repeat(() => void this.#look(), retryAfterMs, { isBackground: true });
      });
    return this.#begun;
  }

  /** Looks at each store, and catches up where one lacks something. */
  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    try {
      // Nothing is begun by whoever only reads.
      if (this.#stopped.signal.aborted || (await this.#journal.refresh()) === undefined) return;
      await this.catchUp(this.#stopped.signal);
    } catch {
      // It is tried again; `status` says how things are.
    }
  }

  async #optimize(member: MemberStore): Promise<void> {
    for (const spec of Object.values(this.#journal.state?.collections ?? {})) {
      const optimize = async () => (await member.opened(spec)).optimize(this.#stopped.signal);
      await member.ask(optimize).catch(() => undefined);
    }
  }

  #exclusively<Result>(what: 'write' | 'copy', work: () => Promise<Result>): Promise<Result> {
    const { exclusively } = this.#options;
    return exclusively === undefined ? work() : exclusively(what, work);
  }
}

/** One of several stores that are kept in step: it is asked alone, and refuses what is written to it alone. */
function readOnlyStore(store: VectorStore, name: string): VectorStore {
  const refuse = (): Promise<never> =>
    Promise.reject(
      new RAGError(
        'USAGE',
        `The store "${name}" is one of several that are kept in step: write to the manager's \`store\`, which writes to all of them.`,
      ),
    );
  return {
    name: store.name,
    capabilities: store.capabilities,
    open: async (spec) => {
      if ((await store.describe(spec.name)) === undefined) return refuse();
      const members = membersOf(await store.open(spec));
      const { purge } = members;
      return collectionOf({
        ...members,
        upsert: refuse,
        delete: refuse,
        optimize: refuse,
        enlist: undefined,
        purge: purge && refuse,
      });
    },
    describe: (collection) => store.describe(collection),
    drop: refuse,
    health: () => store.health(),
    // It is closed with the manager.
    close: async () => undefined,
  };
}

/** Records of stored chunks. Stores do not give words back; these are made of what is stored, and lack what surrounds a chunk. */
async function recordsWithWords(chunks: readonly StoredChunk[]): Promise<ChunkRecord[]> {
  return chunks.map(({ vector, ...chunk }) => {
    if (vector === undefined)
      throw new RAGError('STORE_DAMAGED', `The store gives no vector of chunk ${JSON.stringify(chunk.id)}.`);
    return { ...chunk, vector, searchText: analyzeText(indexedTextOfStored(chunk)).join(' ') };
  });
}
