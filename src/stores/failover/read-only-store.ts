import { RAGError } from '../../core/errors.js';
import { collectionOf, membersOf } from '../collection-members.js';
import type { VectorStore } from '../vector-store.js';

/** One of several stores that are kept in step: it is asked alone, and refuses what is written to it alone. */
export function readOnlyStore(store: VectorStore, name: string): VectorStore {
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
