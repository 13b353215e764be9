import { collectionOf, membersOf } from './collection-members.js';
import { assertCollectionName, assertSpec } from './store-checks.js';
import type { VectorStore } from './vector-store.js';

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
      const own = Object.freeze({ ...collection.spec, name: spec.name });
      return collectionOf({ ...membersOf(collection), spec: own });
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
