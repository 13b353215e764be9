import type { VectorCollection, VectorStore } from './vector-store.js';

/** A store that cannot search text, as Chroma or pgvector. */
export function withoutText(store: VectorStore): VectorStore {
  const strip = (inner: VectorCollection): VectorCollection => ({
    spec: inner.spec,
    upsert: (...rest) => inner.upsert(...rest),
    get: (...rest) => inner.get(...rest),
    delete: (...rest) => inner.delete(...rest),
    list: (query) => inner.list(query),
    count: (...rest) => inner.count(...rest),
    searchVector: (query) => inner.searchVector(query),
    optimize: (signal) => inner.optimize(signal),
    stats: () => inner.stats(),
  });
  return {
    name: store.name,
    capabilities: { ...store.capabilities, lexical: 'none' },
    describe: (name) => store.describe(name),
    drop: (name) => store.drop(name),
    health: () => store.health(),
    close: () => store.close(),
    open: async (spec) => strip(await store.open(spec)),
  };
}
