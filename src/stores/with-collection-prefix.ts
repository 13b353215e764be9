import { assertCollectionName, assertSpec } from './store-checks.js';
import type { CollectionSpec, VectorCollection, VectorStore } from './vector-store.js';

/**
 * The same store under longer collection names (`chunks-1` becomes `notes-chunks-1`): keeps apart what several projects keep
 * on one server, where the store itself has no such notion.
 */
export function withCollectionPrefix(store: VectorStore, prefix: string): VectorStore {
  const nameOf = (name: string): string => `${prefix}-${name}`;
  return {
    name: store.name,
    capabilities: store.capabilities,
    open: async (spec) => {
      assertSpec(spec);
      const collection = await store.open({ ...spec, name: nameOf(spec.name) });
      return collectionOf(collection, { ...collection.spec, name: spec.name });
    },
    describe: async (name) => {
      assertCollectionName(name);
      const spec = await store.describe(nameOf(name));
      return spec === undefined ? undefined : { ...spec, name };
    },
    drop: async (name) => {
      assertCollectionName(name);
      await store.drop(nameOf(name));
    },
    health: () => store.health(),
    close: () => store.close(),
  };
}

function collectionOf(collection: VectorCollection, spec: CollectionSpec): VectorCollection {
  const searchText = collection.searchText?.bind(collection);
  const rankVector = collection.rankVector?.bind(collection);
  const rankText = collection.rankText?.bind(collection);
  return {
    spec: Object.freeze(spec),
    upsert: (records, signal) => collection.upsert(records, signal),
    get: (ids, options) => collection.get(ids, options),
    delete: (filter, signal) => collection.delete(filter, signal),
    list: (query) => collection.list(query),
    count: (filter, signal) => collection.count(filter, signal),
    searchVector: (query) => collection.searchVector(query),
    ...(searchText === undefined ? {} : { searchText }),
    ...(rankVector === undefined ? {} : { rankVector }),
    ...(rankText === undefined ? {} : { rankText }),
    optimize: (signal) => collection.optimize(signal),
    stats: () => collection.stats(),
  };
}
