import { indexedTextOfStored } from '../core/analysis/indexed-text.js';
import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import type { StoredChunk } from '../core/chunk.js';
import { RAGError } from '../core/errors.js';
import { EVERYTHING } from '../core/filter.js';
import { withDeadline } from '../core/with-deadline.js';
import { isSearching, isStoreOut, markFailed } from '../platform/degradation/breakers.js';
import { collectionOf, membersOf } from './collection-members.js';
import { type Exclusively, hasWords, lexicalSpec, NO_VECTOR, UNFINISHED } from './copied-words.js';
import { listPages } from './list-pages.js';
import { openedWhenAsked } from './opened-when-asked.js';
import type { CollectionSpec, VectorCollection, VectorStore } from './vector-store.js';

export interface WordCopyOptions {
  /** A store of this machine that ranks by BM25. */
  readonly copy: VectorStore;
  /** Of chunks of the copy those that are of the index as it is now; the others are not shown. */
  readonly confirm: (chunks: readonly StoredChunk[]) => Promise<readonly StoredChunk[]>;
  /** Words are waited for so long, in milliseconds, before the copy is asked. */
  readonly patienceMs: number;
  readonly exclusively: Exclusively;
}

/**
 * Keeps a copy of what a store on a server holds, without vectors, and searches its words while the store does not answer. Outside of
 * searches, and as long as the store answers, the copy is only written.
 *
 * Every write goes to the copy first and is idempotent, so the ledger's plan covers both. Where the copy lacks what the store has, the
 * first write fills it.
 */
export function withWordCopy(store: VectorStore, options: WordCopyOptions): VectorStore {
  const { copy } = options;
  const both = (main: VectorCollection): VectorCollection => copiedCollection(main, options);
  return {
    name: store.name,
    capabilities: store.capabilities,
    open: async (spec) => both(await store.open(spec)),
    openForReading: async (spec) => both(openedWhenAsked(store, spec)),
    ...(store.writtenWords === undefined ? {} : { writtenWords: store.writtenWords.bind(store) }),
    describe: (name) => store.describe(name),
    drop: async (name) => {
      await copy.drop(name);
      await store.drop(name);
    },
    health: () => store.health(),
    close: async () => {
      await Promise.all([store.close(), copy.close()]);
    },
  };
}

function copiedCollection(
  main: VectorCollection,
  { copy, confirm, patienceMs, exclusively }: WordCopyOptions,
): VectorCollection {
  const members = membersOf(main);
  const { spec } = main;
  let filled: Promise<VectorCollection> | undefined;
  const writable = (): Promise<VectorCollection> => {
    filled ??= fillCopy(main, { copy, exclusively });
    filled.catch(() => {
      filled = undefined;
    });
    return filled;
  };
  const whole = async (): Promise<VectorCollection | undefined> =>
    (await hasWords({ lexical: copy }, spec.name)) ? copy.open(lexicalSpec(spec)) : undefined;

  const orCopy = async <Result>(
    ask: () => Promise<Result>,
    askCopy: (copied: VectorCollection) => Promise<Result>,
  ): Promise<Result> => {
    if (!isSearching()) return ask();
    try {
      return await withDeadline({ timeoutMs: patienceMs, lateError: () => late(patienceMs) }, ask);
    } catch (error) {
      if (!isStoreOut(error)) throw error;
      markFailed('store', error);
      const copied = await whole();
      if (copied === undefined) throw error;
      return askCopy(copied);
    }
  };
  const { searchText, rankText, termsBeginning } = members;
  return collectionOf({
    ...members,
    upsert: async (records, signal) => {
      await (await writable()).upsert(
        records.map((record) => ({ ...record, vector: NO_VECTOR })),
        signal,
      );
      await members.upsert(records, signal);
    },
    delete: async (filter, signal) => {
      await (await writable()).delete(filter, signal);
      return members.delete(filter, signal);
    },
    get: (ids, options) => {
      const ask = () => members.get(ids, options);
      // The copy has no vectors.
      if (options?.includeVectors === true) return ask();
      return orCopy(ask, async (copied) => [...(await confirm(await copied.get(ids, options)))]);
    },
    list: (query) =>
      orCopy(
        () => members.list(query),
        async (copied) => {
          const page = await copied.list(query);
          return { ...page, chunks: await confirm(page.chunks) };
        },
      ),
    count: (filter, signal) =>
      orCopy(
        () => members.count(filter, signal),
        (copied) => copied.count(filter, signal),
      ),
    searchText:
      searchText &&
      ((query) =>
        orCopy(
          () => searchText(query),
          async (copied) => {
            const found = (await copied.searchText?.(query)) ?? [];
            const shown = new Set((await confirm(found.map(({ chunk }) => chunk))).map(({ id }) => id));
            return found.filter(({ chunk }) => shown.has(chunk.id));
          },
        )),
    rankText:
      rankText &&
      ((query) =>
        orCopy(
          () => rankText(query),
          // What is shown of it is read by `get`.
          async (copied) => (await copied.rankText?.(query)) ?? [],
        )),
    termsBeginning:
      termsBeginning &&
      ((query) =>
        orCopy(
          () => termsBeginning(query),
          async (copied) => (await copied.termsBeginning?.(query)) ?? [],
        )),
    enlist: undefined,
    optimize: async (signal) => {
      await (await writable()).optimize(signal);
      await members.optimize(signal);
    },
    purge: async (signal, options) => {
      await (await whole())?.purge?.(signal, options);
      await members.purge?.(signal, options);
    },
  });
}

/** The copy of a collection; made of its chunks where there is none, or only a part of one. */
async function fillCopy(
  main: VectorCollection,
  { copy, exclusively }: Pick<WordCopyOptions, 'copy' | 'exclusively'>,
): Promise<VectorCollection> {
  const { spec } = main;
  if (await hasWords({ lexical: copy }, spec.name)) return copy.open(lexicalSpec(spec));
  return exclusively(async () => {
    if (await hasWords({ lexical: copy }, spec.name)) return copy.open(lexicalSpec(spec));
    await dropUnfinished(copy);
    await copy.open({ name: UNFINISHED, dimensions: 1, fingerprint: spec.name });
    const copied = await copy.open(lexicalSpec(spec));
    for await (const chunks of listPages(main, { filter: EVERYTHING }))
      await copied.upsert(
        chunks.map((chunk) => ({
          ...chunk,
          // The store does not give its words back; these lack what surrounds a chunk.
          searchText: analyzeText(indexedTextOfStored(chunk)).join(' '),
          vector: NO_VECTOR,
        })),
      );
    await copy.drop(UNFINISHED);
    return copied;
  });
}

async function dropUnfinished(copy: VectorStore): Promise<void> {
  const unfinished: CollectionSpec | undefined = await copy.describe(UNFINISHED);
  if (unfinished === undefined) return;
  await copy.drop(unfinished.fingerprint);
  await copy.drop(UNFINISHED);
}

const late = (milliseconds: number): RAGError =>
  new RAGError(
    'STORE_TIMEOUT',
    `The store did not answer within ${milliseconds} ms (rag.degradation.slowStoreMs).`,
  );
