import type { VectorCollection } from './vector-store.js';

/**
 * Every member of a collection by name, undefined where it has none: who builds one says of each member, optional or not, what
 * becomes of it. It no longer compiles when `VectorCollection` gains another.
 */
export type CollectionMembers = {
  readonly [Name in keyof Required<VectorCollection>]: VectorCollection[Name];
};

/**
 * The members of a collection, to be passed on by a wrapper that changes some of them. Not for what protects a collection:
 * `stores/scoped-collection.ts` names each member itself, so that none is passed on before its scope is decided.
 */
export const membersOf = (collection: VectorCollection): CollectionMembers => ({
  spec: collection.spec,
  upsert: (records, signal) => collection.upsert(records, signal),
  get: (ids, options) => collection.get(ids, options),
  delete: (filter, signal) => collection.delete(filter, signal),
  list: (query) => collection.list(query),
  count: (filter, signal) => collection.count(filter, signal),
  searchVector: (query) => collection.searchVector(query),
  searchText: collection.searchText?.bind(collection),
  rankVector: collection.rankVector?.bind(collection),
  rankText: collection.rankText?.bind(collection),
  termsBeginning: collection.termsBeginning?.bind(collection),
  enlist: collection.enlist?.bind(collection),
  optimize: (signal) => collection.optimize(signal),
  purge: collection.purge?.bind(collection),
  stats: () => collection.stats(),
});

/** The collection that has these members; undefined ones are absent. */
export function collectionOf(members: CollectionMembers): VectorCollection {
  const { searchText, rankVector, rankText, termsBeginning, enlist, purge, ...required } = members;
  return {
    ...required,
    ...(searchText === undefined ? {} : { searchText }),
    ...(rankVector === undefined ? {} : { rankVector }),
    ...(rankText === undefined ? {} : { rankText }),
    ...(termsBeginning === undefined ? {} : { termsBeginning }),
    ...(enlist === undefined ? {} : { enlist }),
    ...(purge === undefined ? {} : { purge }),
  };
}
