import { RAGError } from '../../src/core/errors.js';
import { compareText } from '../../src/core/filter.js';
import { hashesByKey } from '../../src/ledger/blocked-name.js';
import type {
  Generation,
  GenerationReader,
  GenerationTarget,
  GenerationWriter,
  Ledger,
  RunRecord,
} from '../../src/ledger/ledger.js';
import type { LockSubject } from '../../src/ledger/lock.js';
import { KEPT_RUNS } from '../../src/ledger/rows/runs.js';
import { assertStillLive } from '../../src/ledger/still-live.js';
import { LedgerBooks, type LedgerBooksOptions } from './ledger-books.js';
import { itemKeyOf, keyOf } from './ledger-keys.js';
import { type LeaseHolder, leaseLost } from './ledger-leases.js';

export type LedgerServerOptions = LedgerBooksOptions;

/** A holder of one of the locks of an index. */
interface LockHolder {
  readonly connection: string;
  readonly subject: LockSubject;
}

/**
 * A ledger in memory that outlives its connections, as the one on PostgreSQL does, and keeps its contract. Every call is
 * one transaction: done whole in one step of the event loop.
 */
export class LedgerServer {
  readonly #options: LedgerServerOptions;
  #books = new Map<number, LedgerBooks>();
  #lastGeneration = 0;
  readonly #remembered = new Map<string, Set<string>>();
  /** Sources by tenant and owner. */
  readonly #owned = new Map<string, { tenant: string; owner: string; sources: ReadonlySet<string> }>();
  #runs: RunRecord[] = [];
  #lastRunId = 0;
  /** By tenant and hash. */
  readonly #keptOut = new Map<string, Map<string, { readonly key: string; readonly receipt: string }>>();
  #locks: LockHolder[] = [];

  constructor(options: LedgerServerOptions) {
    this.#options = options;
  }

  get audit(): LedgerServerOptions['audit'] {
    return this.#options.audit;
  }

  /** Whether the lock was free for this connection, which has it now. */
  tryLock(connection: string, subject: LockSubject): boolean {
    const isRival = (held: LockHolder): boolean =>
      subject === 'learning'
        ? held.subject === 'learning'
        : held.subject === 'whole' || (subject === 'whole' && held.subject === 'items');
    if (this.#locks.some(isRival)) return false;
    this.#locks.push({ connection, subject });
    return true;
  }

  /** Frees what a connection holds: it was closed, or is gone. */
  unlock(connection: string): void {
    this.#locks = this.#locks.filter((held) => held.connection !== connection);
  }

  /** Frees what the connections hold whose name begins so: their process is gone, or they were cut. */
  cut(prefix: string): void {
    this.#locks = this.#locks.filter((held) => !held.connection.startsWith(prefix));
  }

  holds(connection: string): boolean {
    return this.#locks.some((held) => held.connection === connection);
  }

  connect({ readOnly = false }: { readonly readOnly?: boolean } = {}): Ledger {
    const write = <Args extends unknown[], T>(work: (...args: Args) => T) => {
      return async (...args: Args): Promise<T> => {
        if (readOnly) throw new RAGError('INDEX_READ_ONLY', 'The ledger was opened for reading.');
        return work(...args);
      };
    };
    const facts = (): Generation[] =>
      [...this.#books.values()].map((books) => books.facts).sort((a, b) => b.generation - a.generation);
    return {
      live: async () => this.#live()?.facts,
      generations: async () => facts(),
      begin: write((target, at) => this.#begin(target, at)),
      switchTo: write((generation, at, from) => this.#switchTo(generation, at, from)),
      makeFirst: write((generation, at) => {
        const live = this.#live();
        if (live !== undefined) return live.facts.generation === generation;
        this.#switchTo(generation, at);
        return true;
      }),
      drop: write((generation) => this.#drop(generation)),
      learned: async (generation) => this.#books.get(generation)?.learned,
      setLearned: write((generation, learned) => {
        const books = this.#books.get(generation);
        if (books === undefined) return;
        books.learned = learned?.bytes.slice();
        const { learned: _, ...rest } = books.facts;
        books.facts = learned === undefined ? rest : { ...rest, learned: learned.stamp };
      }),
      setUpgrade: write((generation, upgrade) => {
        const books = this.#books.get(generation);
        if (books !== undefined) books.facts = { ...books.facts, upgrade };
      }),
      reader: (generation) => this.#reader(generation),
      writer: (generation, holder) => this.#writer(generation, holder, write),
      rememberedSources: async (tenant) => [...(this.#remembered.get(tenant) ?? [])].sort(compareText),
      rememberSources: write((tenant, sources) => {
        const known = this.#remembered.get(tenant) ?? new Set();
        this.#remembered.set(tenant, known);
        for (const source of sources) known.add(source);
      }),
      forgetSources: write((tenant, sources) => {
        for (const source of sources) this.#remembered.get(tenant)?.delete(source);
      }),
      sourceOwners: async (tenant) => this.#owners(tenant),
      ownSources: write((tenant, owner, sources) => {
        this.#owned.set(keyOf(tenant, owner), { tenant, owner, sources: new Set(sources) });
      }),
      startRun: write((command, startedAt) => {
        this.#lastRunId += 1;
        this.#runs.push({ runId: this.#lastRunId, command, startedAt });
        this.#runs = this.#runs.slice(-KEPT_RUNS);
        return this.#lastRunId;
      }),
      finishRun: write((runId, { at, success, stats }) => {
        this.#runs = this.#runs.map((run) =>
          run.runId === runId ? { ...run, finishedAt: at, success, stats } : run,
        );
      }),
      lastRun: async () => this.#runs.at(-1),
      blockedNames: async (tenant) => {
        const kept = this.#keptOut.get(tenant) ?? new Map();
        return hashesByKey([...kept].map(([hash, { key }]) => ({ key, hash })));
      },
      block: write((tenant, { key, hashes, receipt }) => {
        const kept = this.#keptOut.get(tenant) ?? new Map();
        this.#keptOut.set(tenant, kept);
        for (const hash of hashes) kept.set(hash, { key, receipt });
      }),
      unblock: write((tenant, receipt) => this.#letIn(tenant, receipt)),
      editRuns: write((edit) => {
        let edited = 0;
        this.#runs = this.#runs.map((run) => {
          const stats = run.stats === undefined ? undefined : edit(run.stats);
          if (stats === undefined || stats === run.stats) return run;
          edited += 1;
          return { ...run, stats };
        });
        return edited;
      }),
      clear: write(() => this.#clear()),
      bytes: async () => undefined,
      integrity: async () => [],
      close: async () => undefined,
    };
  }

  #live(): LedgerBooks | undefined {
    for (const books of this.#books.values()) if (books.facts.state === 'live') return books;
    return undefined;
  }

  #begin(targetOf: (generation: number) => GenerationTarget, startedAt: string): Generation {
    const generation = this.#lastGeneration + 1;
    const { provider, collection, dimensions, fingerprint, embedder } = targetOf(generation);
    this.#lastGeneration = generation;
    const target = { provider, collection, dimensions, fingerprint, embedder };
    const facts: Generation = { ...target, generation, state: 'building', startedAt };
    this.#books.set(generation, new LedgerBooks(facts, this.#options));
    return facts;
  }

  #switchTo(generation: number, switchedAt: string, from?: number): void {
    if (from !== undefined) assertStillLive(this.#live()?.facts.generation, { from, to: generation });
    const wanted = this.#books.get(generation);
    if (wanted === undefined) throw new RAGError('USAGE', `There is no generation ${generation}.`);
    for (const books of this.#books.values())
      if (books !== wanted && books.facts.state === 'live')
        books.facts = { ...books.facts, state: 'retired' };
    wanted.facts = { ...wanted.facts, state: 'live', switchedAt };
  }

  #drop(generation: number): void {
    const books = this.#books.get(generation);
    if (books?.facts.state === 'live') throw new RAGError('USAGE', `Generation ${generation} is live.`);
    books?.drop();
    this.#books.delete(generation);
  }

  #owners(tenant: string): Map<string, string[]> {
    const owners = new Map<string, string[]>();
    const owned = [...this.#owned.values()].filter((entry) => entry.tenant === tenant);
    for (const { owner, sources } of owned.sort((a, b) => compareText(a.owner, b.owner)))
      for (const source of sources) owners.set(source, [...(owners.get(source) ?? []), owner]);
    return new Map([...owners].sort(([a], [b]) => compareText(a, b)));
  }

  #letIn(tenant: string, receipt: string): number {
    const kept = this.#keptOut.get(tenant) ?? new Map();
    const names = [...kept].flatMap(([hash, by]) => (by.receipt === receipt ? [hash] : []));
    for (const hash of names) kept.delete(hash);
    if (names.length > 0) for (const books of this.#books.values()) books.forgetCursors();
    return names.length;
  }

  #clear(): void {
    for (const books of this.#books.values()) books.drop();
    this.#books = new Map();
    this.#remembered.clear();
    this.#owned.clear();
    this.#runs = [];
  }

  /** Of a generation that is not there it reads nothing. */
  #readable(generation: number): LedgerBooks {
    const none: Generation = {
      ...{ generation, state: 'retired', provider: '', collection: '' },
      ...{ dimensions: 0, fingerprint: '', embedder: '' },
    };
    return this.#books.get(generation) ?? new LedgerBooks(none, this.#options);
  }

  #reader(generation: number): GenerationReader {
    const books = (): LedgerBooks => this.#readable(generation);
    return {
      generation,
      pendingWork: {
        items: async (...args) => books().pending.items(...args),
        batches: async (...args) => books().pending.batches(...args),
        batchCount: async () => books().pending.batches(Infinity).length,
        counts: async () => books().pending.counts((key) => books().isHeld(key)),
      },
      items: async (...args) => books().items(...args),
      hasItems: async (...args) => books().hasItems(...args),
      sourceCursor: async (...args) => books().cursor(...args),
      sourceStates: async (tenant) => books().states(tenant),
      sourceNames: async (tenant) => books().sourceNames(tenant),
      documentsOfItems: async (...args) => books().documentsOfItems(...args),
      documentCounts: async (...args) => books().documentCounts(...args),
      document: async (id) => books().document(id),
      documents: async (...args) => books().documents(...args),
      called: async (...args) => books().called(...args),
      heads: async (...args) => books().heads(...args),
      chunks: async (id) => books().chunks(id),
      chunksOf: async (ids) => new Map(ids.map((id) => [id, books().chunks(id)])),
      allChunks: async (...args) => books().allChunks(...args),
      preview: async (documents) => books().preview(documents),
      text: async (...args) => books().text(...args),
      graph: {
        rows: async (ids) => books().graphRows(ids),
        named: async (...args) => books().named(...args),
        referring: async (...args) => books().referring(...args),
        firstChunks: async (ids) => books().firstChunks(ids),
        unread: async (...args) => books().unread(...args),
      },
      statements: {
        packed: async (...args) => books().packedStatements(...args),
        unread: async (...args) => books().notExamined(...args),
      },
      sources: async () => books().summaries(),
      failures: async (limit) => books().failures(limit),
    };
  }

  #writer(
    generation: number,
    holder: string,
    write: <Args extends unknown[], T>(work: (...args: Args) => T) => (...args: Args) => Promise<T>,
  ): GenerationWriter {
    const by: LeaseHolder = { holder, tokens: new Map() };
    const books = (): LedgerBooks => {
      const found = this.#books.get(generation);
      if (found === undefined) throw leaseLost();
      return found;
    };
    const keysOf = (tenant: string, source: string, itemIds: readonly string[]) =>
      new Map(itemIds.map((itemId) => [itemKeyOf({ tenant, source, itemId }), itemId]));
    const idsOf = (keys: ReadonlyMap<string, string>, held: ReadonlySet<string>) =>
      new Set([...keys].flatMap(([key, itemId]) => (held.has(key) ? [itemId] : [])));
    const itemsOf = (tenant: string, source: string, itemIds: readonly string[]) =>
      itemIds.map((itemId) => ({ tenant, source, itemId }));
    const { pendingWork: pending, facts: _, ...reading } = this.#reader(generation);
    return {
      ...reading,
      pendingWork: pending && {
        ...pending,
        add: write((of, items) => (items.length === 0 ? undefined : books().add(by, of, items))),
        settle: write((tenant, source, items) =>
          this.#readable(generation).pending.settle(items.map((item) => ({ tenant, source, ...item }))),
        ),
        begin: write((tenant, source, itemIds, count) =>
          this.#readable(generation).pending.begin(itemsOf(tenant, source, itemIds), count),
        ),
      },
      claim: write((tenant, source, itemIds, forMs) => {
        if (itemIds.length === 0) return new Set<string>();
        const keys = keysOf(tenant, source, itemIds);
        return idsOf(keys, books().claim(by, [...keys.keys()], forMs));
      }),
      renew: write((tenant, source, itemIds, forMs) => {
        const keys = keysOf(tenant, source, itemIds);
        return idsOf(keys, this.#readable(generation).renew(by, [...keys.keys()], forMs));
      }),
      announce: write((tenant, source, itemIds) => books().announce(by, itemsOf(tenant, source, itemIds))),
      release: write((tenant, source, itemIds) =>
        this.#readable(generation).release(by, [...keysOf(tenant, source, itemIds).keys()]),
      ),
      setSourceCursor: write((...args) => books().setCursor(...args)),
      setSourceState: write((...args) => books().setState(...args)),
      forgetSource: write((...args) => this.#readable(generation).forgetSource(...args)),
      plan: write((documents) => (documents.length === 0 ? [] : books().plan(by, documents))),
      commit: write((ids, at) => (ids.length === 0 ? undefined : books().commit(by, ids, at))),
      completeItems: write((items) => (items.length === 0 ? undefined : books().completeItems(by, items))),
      failItem: write((item, failure) => books().failItem(by, item, failure)),
      planDeletion: write((ids) => (ids.length === 0 ? [] : books().planDeletion(by, ids))),
      forget: write((ids) => (ids.length === 0 ? undefined : books().forget(by, ids))),
      forgetItems: write((tenant, source, itemIds) =>
        itemIds.length === 0 ? undefined : books().forgetItems(by, itemsOf(tenant, source, itemIds)),
      ),
      pruneVersions: async (tenant, source, keep, { dryRun }) =>
        this.#readable(generation).pruneVersions(tenant, source, keep, dryRun),
      fillGraph: write((filling) => books().fillGraph(filling)),
      fillStatements: write((fillings) => books().fillStatements(fillings)),
      markChunksMissing: write((ids) => (ids.length === 0 ? undefined : books().markMissing(by, ids))),
    };
  }
}
