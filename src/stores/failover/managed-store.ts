import type { ScoredChunk } from '../../core/chunk.js';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { compareText, type Filter } from '../../core/filter.js';
import {
  assertCollectionName,
  assertFilter,
  assertRecords,
  assertSameSpec,
  assertSpec,
} from '../store-checks.js';
import type {
  CollectionSpec,
  ListPage,
  ListQuery,
  ScoredId,
  StoreCapabilities,
  TextQuery,
  VectorCollection,
  VectorQuery,
  VectorStore,
} from '../vector-store.js';
import type { MemberStore } from './member-store.js';
import { isSilence } from './outages.js';
import type { StoreReads } from './store-reads.js';
import type { StoresInStep } from './stores-in-step.js';

export interface ManagedParts {
  readonly name: string;
  readonly members: readonly MemberStore[];
  readonly inStep: StoresInStep;
  readonly reads: StoreReads;
  /** Called before anything is asked of the stores. */
  readonly begin: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Several stores as one: what is written goes to all by the journal, what is asked is asked of the first that has every write. */
export function managedStore(parts: ManagedParts): VectorStore {
  const { name, members, inStep, reads, begin, close } = parts;
  const capabilities = managedCapabilities(members.map(({ store }) => store.capabilities));
  const describe = async (collection: string): Promise<CollectionSpec | undefined> => {
    assertCollectionName(collection);
    await begin();
    return reads.ask(collection, (member) => member.store.describe(collection));
  };
  return {
    name,
    capabilities,
    describe,
    open: async (spec) => {
      assertSpec(spec);
      const there = await describe(spec.name).catch((error: unknown) => {
        // Where nothing is left anywhere, a new collection begins anew.
        if (RAGError.isInstance(error) && error.reason === 'STORE_DAMAGED') return undefined;
        throw error;
      });
      if (there === undefined) await inStep.write({ kind: 'create', spec });
      else {
        assertSameSpec(there, spec);
        await reads.of(spec, async () => undefined);
      }
      return new ManagedCollection(spec, parts, capabilities);
    },
    drop: async (collection) => {
      assertCollectionName(collection);
      await begin();
      await inStep.write({ kind: 'drop', name: collection });
    },
    health: async () => {
      const states = await Promise.all(
        members.map(async ({ name: store, store: member }) => ({ store, ...(await member.health()) })),
      );
      return {
        ok: states.some(({ ok }) => ok),
        detail: states.map(({ store, detail }) => `${store}: ${detail}`).join('; '),
      };
    },
    close,
  };
}

/** Where a listing is, and of which store. */
interface ListCursor {
  readonly store: string;
  readonly cursor: string;
  readonly last: string;
}

class ManagedCollection implements VectorCollection {
  readonly spec: CollectionSpec;
  readonly searchText?: (query: TextQuery) => Promise<ScoredChunk[]>;
  readonly rankText?: (query: TextQuery) => Promise<ScoredId[]>;
  readonly #parts: ManagedParts;

  constructor(spec: CollectionSpec, parts: ManagedParts, { lexical }: StoreCapabilities) {
    this.spec = Object.freeze({ ...spec });
    this.#parts = parts;
    if (lexical === 'none') return;
    this.searchText = (query) => this.#ask(async (from) => (await from.searchText?.(query)) ?? []);
    this.rankText = (query) =>
      this.#ask(async (from) => from.rankText?.(query) ?? idsOf((await from.searchText?.(query)) ?? []));
  }

  async upsert(records: Parameters<VectorCollection['upsert']>[0], signal?: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    // Before it is written down: what no store can take must not be repeated.
    assertRecords(this.spec, records);
    if (records.length === 0) return;
    await this.#parts.inStep.write({ kind: 'upsert', spec: this.spec, records });
  }

  async delete(filter: Filter, signal?: AbortSignal): Promise<number> {
    throwIfAborted(signal);
    assertFilter(filter);
    return this.#parts.inStep.write({ kind: 'delete', spec: this.spec, filter });
  }

  get(...query: Parameters<VectorCollection['get']>): ReturnType<VectorCollection['get']> {
    return this.#ask((from) => from.get(...query));
  }

  count(filter: Filter, signal?: AbortSignal): Promise<number> {
    return this.#ask((from) => from.count(filter, signal));
  }

  searchVector(query: VectorQuery): Promise<ScoredChunk[]> {
    return this.#ask((from) => from.searchVector(query));
  }

  rankVector(query: VectorQuery): Promise<ScoredId[]> {
    return this.#ask(async (from) => from.rankVector?.(query) ?? idsOf(await from.searchVector(query)));
  }

  /** A page of another store than the one before begins behind the last chunk that was shown. */
  list({ cursor, ...query }: ListQuery): Promise<ListPage> {
    const at = cursor === undefined ? undefined : (JSON.parse(cursor) as ListCursor);
    return this.#ask(async (from, { name: store }) => {
      let page = await from.list(at?.store === store ? { ...query, cursor: at.cursor } : query);
      const isShown = (id: string): boolean => at !== undefined && compareText(id, at.last) <= 0;
      while (page.cursor !== undefined && page.chunks.every(({ id }) => isShown(id)))
        page = await from.list({ ...query, cursor: page.cursor });
      const chunks = page.chunks.filter(({ id }) => !isShown(id));
      const last = chunks.at(-1)?.id ?? at?.last;
      if (page.cursor === undefined || last === undefined) return { chunks };
      return { chunks, cursor: JSON.stringify({ store, cursor: page.cursor, last } satisfies ListCursor) };
    });
  }

  /** Of every store that answers; one that does not has it done when it has caught up. */
  async optimize(signal?: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    const { members } = this.#parts;
    const outcomes = await Promise.allSettled(
      members.map((member) => member.ask(async () => (await member.opened(this.spec)).optimize(signal))),
    );
    const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    const isNobodyLeft = failed.length === members.length;
    const fault: unknown =
      failed.find((error) => !isSilence(error)) ?? (isNobodyLeft ? failed[0] : undefined);
    if (fault !== undefined) throw fault instanceof Error ? fault : new Error(String(fault));
  }

  async purge(signal?: AbortSignal, options?: { readonly thorough?: boolean | undefined }): Promise<void> {
    throwIfAborted(signal);
    const { thorough = false } = options ?? {};
    await this.#parts.inStep.write({ kind: 'purge', spec: this.spec, thorough });
  }

  stats(): ReturnType<VectorCollection['stats']> {
    return this.#ask((from) => from.stats());
  }

  #ask<Result>(
    request: (collection: VectorCollection, member: MemberStore) => Promise<Result>,
  ): Promise<Result> {
    return this.#parts.reads.of(this.spec, request);
  }
}

const idsOf = (found: readonly ScoredChunk[]): ScoredId[] =>
  found.map(({ chunk: { id }, score }) => ({ id, score }));

/** What holds whichever of the stores answers. */
function managedCapabilities(all: readonly StoreCapabilities[]): StoreCapabilities {
  const [first, ...others] = all;
  if (first === undefined) throw new TypeError('A manager has stores.');
  return others.reduce(both, first);
}

const both = (a: StoreCapabilities, b: StoreCapabilities): StoreCapabilities => ({
  filterOperators: a.filterOperators.filter((operator) => b.filterOperators.includes(operator)),
  lexical: weaker(a.lexical, b.lexical),
  ...joined('addedTextIndex', [a.addedTextIndex, b.addedTextIndex]),
  maxTopK: Math.min(a.maxTopK, b.maxTopK),
  consistency: slower(a.consistency, b.consistency),
  persistent: a.persistent && b.persistent,
  exactVectorSearch: a.exactVectorSearch && b.exactVectorSearch,
  ...joined('keepsDeleted', [a.keepsDeleted, b.keepsDeleted]),
});

function weaker(a: StoreCapabilities['lexical'], b: StoreCapabilities['lexical']) {
  if (a === 'none' || b === 'none') return 'none';
  return a === 'bm25' && b === 'bm25' ? 'bm25' : 'other';
}

function slower(
  a: StoreCapabilities['consistency'],
  b: StoreCapabilities['consistency'],
): StoreCapabilities['consistency'] {
  if (a === 'immediate') return b;
  if (b === 'immediate') return a;
  return { eventualMs: Math.max(a.eventualMs, b.eventualMs) };
}

function joined<Name extends string>(name: Name, texts: readonly (string | undefined)[]) {
  const stated = [...new Set(texts.flatMap((text) => text ?? []))];
  return stated.length === 0 ? {} : ({ [name]: stated.join('; ') } as Readonly<Record<Name, string>>);
}
