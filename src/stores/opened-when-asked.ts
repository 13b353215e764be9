import { isStoreOut, markFailed } from '../platform/degradation/breakers.js';
import type { CollectionSpec, VectorCollection, VectorStore } from './vector-store.js';

/** A collection of a store that does not answer now: every call opens it first, until one succeeds. */
export function openedWhenAsked(store: VectorStore, spec: CollectionSpec): VectorCollection {
  let opening: Promise<VectorCollection> | undefined;
  const opened = async (): Promise<VectorCollection> => {
    opening ??= store.open(spec);
    try {
      return await opening;
    } catch (error) {
      opening = undefined;
      // Whichever search began to open it, it is out for all that waited.
      if (isStoreOut(error)) markFailed('store', error);
      throw error;
    }
  };
  return {
    spec,
    upsert: async (records, signal) => (await opened()).upsert(records, signal),
    get: async (ids, options) => (await opened()).get(ids, options),
    delete: async (filter, signal) => (await opened()).delete(filter, signal),
    list: async (query) => (await opened()).list(query),
    count: async (filter, signal) => (await opened()).count(filter, signal),
    searchVector: async (query) => (await opened()).searchVector(query),
    searchText: async (query) => (await (await opened()).searchText?.(query)) ?? [],
    optimize: async (signal) => (await opened()).optimize(signal),
    purge: async (signal, options) => (await opened()).purge?.(signal, options),
    stats: async () => (await opened()).stats(),
  };
}
