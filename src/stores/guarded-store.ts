import { callPart } from '../platform/degradation/breakers.js';
import { collectionOf, membersOf } from './collection-members.js';
import type { VectorCollection, VectorStore } from './vector-store.js';

/** A store whose reads go through the breaker of the store wherever a search is made (`callPart`). Writes ask the store itself. */
export function guardedStore(
  store: VectorStore,
  { isRemote }: { /** It opens at once, for it runs elsewhere already. */ readonly isRemote: boolean },
): VectorStore {
  const { openForReading, writtenWords } = store;
  const opening = <Result>(open: () => Promise<Result>): Promise<Result> =>
    isRemote ? callPart('store', open) : open();
  return {
    name: store.name,
    capabilities: store.capabilities,
    open: async (spec) => guardedCollection(await opening(() => store.open(spec))),
    ...(openForReading === undefined
      ? {}
      : { openForReading: async (spec) => guardedCollection(await openForReading.call(store, spec)) }),
    ...(writtenWords === undefined ? {} : { writtenWords: writtenWords.bind(store) }),
    describe: (name) => opening(() => store.describe(name)),
    drop: (name) => store.drop(name),
    health: () => store.health(),
    close: () => store.close(),
  };
}

function guardedCollection(collection: VectorCollection): VectorCollection {
  const members = membersOf(collection);
  const { searchText, rankVector, rankText, termsBeginning } = members;
  return collectionOf({
    ...members,
    get: (ids, options) => callPart('store', () => members.get(ids, options)),
    list: (query) => callPart('store', () => members.list(query)),
    count: (filter, signal) => callPart('store', () => members.count(filter, signal)),
    searchVector: (query) => callPart('store', () => members.searchVector(query)),
    searchText: searchText && ((query) => callPart('store', () => searchText(query))),
    rankVector: rankVector && ((query) => callPart('store', () => rankVector(query))),
    rankText: rankText && ((query) => callPart('store', () => rankText(query))),
    termsBeginning: termsBeginning && ((query) => callPart('store', () => termsBeginning(query))),
  });
}
